"""A class for Dolos and its pairs, beside what Dolos itself says of them.

`dolos/run.mjs` wrote `files.json` and `pairs.csv`.
"""

import csv
import json
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from moss.cli import main
from submissions.intake.layouts.places import Ignored, Placement
from submissions.intake.layouts.registry import LAYOUTS, recognise
from tests.submissions.intake.layouts.test_layouts import listing_of

FOLDER = Path(__file__).with_name("dolos")
CLASS = FOLDER / "class"
FILES: list[dict[str, Any]] = json.loads((FOLDER / "files.json").read_text())
COUNTS = ("totalOverlap", "longestFragment", "leftCovered", "rightCovered")


def names() -> dict[str, str]:
    """Return the name of the submission of each file, as Dolos shows it."""
    return {one["path"]: one["extra"]["fullName"] or one["path"] for one in FILES if not one["ignored"]}


def test_a_class_is_read_as_dolos_reads_it() -> None:
    listing = listing_of({str(path.relative_to(CLASS)): path.read_text() for path in CLASS.rglob("*.*")})
    assert recognise(listing)[0].layout is LAYOUTS["dolos"]
    places = LAYOUTS["dolos"].place(listing)
    for one in FILES:
        place, extra = places[one["path"]], one["extra"]
        if one["ignored"]:
            assert isinstance(place, Ignored)
        else:
            assert isinstance(place, Placement)
            assert place.students[0].name == names()[one["path"]]
            assert place.submitted == datetime.fromisoformat(extra["createdAt"])


def test_pairs_have_the_columns_rows_and_sums_of_dolos() -> None:
    arguments = ["check", str(CLASS), "--format", "dolos", "--boilerplate", str(CLASS / "template.java"), "--all"]
    output = CliRunner().invoke(main, arguments).stdout
    ours, theirs = (list(csv.DictReader(StringIO(text))) for text in (output, (FOLDER / "pairs.csv").read_text()))
    assert list(ours[0]) == list(theirs[0])

    def sides(row: dict[str, str]) -> frozenset[str]:
        return frozenset(names().get(row[side], row[side]) for side in ("leftFilePath", "rightFilePath"))

    assert {sides(row) for row in ours} == {sides(row) for row in theirs}
    assert sides(ours[0]) == sides(theirs[0]) == {"Ada Byron", "Ben Berg"}
    for row in (*ours, *theirs):
        assert 0 <= float(row["similarity"]) <= 1
        total, longest, left, right = (int(row[name]) for name in COUNTS)
        assert total == left + right
        assert longest <= min(left, right)
