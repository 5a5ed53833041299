"""Write the compare50 scores (pass `structure`) of all pairs of files in a folder to a CSV file.

Arguments: FOLDER OUT. Run it with an interpreter that has compare50.
"""

import csv
import sys
from importlib import import_module
from pathlib import Path


def main(folder: str, out: str) -> None:
    compare50 = import_module("compare50")
    data = import_module("compare50._data")
    structure = compare50.passes.structure
    preprocessor = data.Preprocessor(structure.preprocessors)
    submissions = [
        compare50.Submission(folder, [path.name], preprocessor=preprocessor) for path in sorted(Path(folder).iterdir())
    ]
    ranked = compare50.rank(submissions, [], set(), structure, n=len(submissions) ** 2)
    with Path(out).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["left", "right", "similarity"])
        for score in ranked:
            writer.writerow([score.sub_a.files[0].name, score.sub_b.files[0].name, score.score])


if __name__ == "__main__":
    main(*sys.argv[1:])
