"""Write the copydetect scores of all pairs of files in a folder to a CSV file.

Arguments: FOLDER OUT. Run it with an interpreter that has copydetect.
"""

import csv
import sys
from importlib import import_module
from itertools import combinations
from pathlib import Path


def main(folder: str, out: str) -> None:
    detector = import_module("copydetect").CopyDetector(test_dirs=[folder], autoopen=False, silent=True)
    detector.test_files.sort()
    detector.ref_files.sort()
    detector.run()
    names = [Path(path).relative_to(folder).as_posix() for path in detector.test_files]
    with Path(out).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["left", "right", "similarity"])
        for i, j in combinations(range(len(names)), 2):
            similarity = max(detector.similarity_matrix[i, j])
            if similarity > 0:  # -1 where a file could not be read
                writer.writerow([names[i], names[j], similarity])


if __name__ == "__main__":
    main(*sys.argv[1:])
