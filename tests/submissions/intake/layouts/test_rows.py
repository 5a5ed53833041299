"""A layout that names say is one row: an expression for its names, and what people read."""

import re
from datetime import UTC, datetime

from submissions.intake.layouts.fields import by_name
from submissions.intake.layouts.places import Ignored, Placement, Student
from tests.submissions.intake.layouts.test_layouts import listing_of

HARBOUR = by_name(
    "harbour",
    "a Harbour download",
    student_names=re.compile(
        r"(?P<ignored>log_)?(?P<name>[^/_]+)_(?P<id>\d+)_(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)_(?P<file>[^/]+)"
    ),
    ignored="what Harbour printed",
)


def test_a_row_says_who_handed_in_what_and_when() -> None:
    listing = listing_of(
        {
            "lab/Ada_7_2026-03-01T14-05-09Z_Main.java": "",
            "lab/log_Ada_7_2026-03-01T14-05-09Z_run.txt": "",
            "lab/notes.txt": "",
        }
    )
    time = datetime(2026, 3, 1, 14, 5, 9, tzinfo=UTC)
    assert HARBOUR.place(listing) == {
        "lab/Ada_7_2026-03-01T14-05-09Z_Main.java": Placement(
            (Student("Ada", "7"),), "Main.java", time, time
        ),
        "lab/log_Ada_7_2026-03-01T14-05-09Z_run.txt": Ignored("what Harbour printed"),
        "lab/notes.txt": Ignored(
            "not named like a student's work in a Harbour download; choose another layout if it is one"
        ),
    }


def test_a_row_fits_what_has_its_names_and_nothing_else() -> None:
    ours = {f"Ada_{number}_2026-03-01T14-05-09Z_Main.java": "" for number in range(3)}
    assert HARBOUR.score(listing_of(ours)) == 1
    assert HARBOUR.score(listing_of({"ada/Main.java": "", "ben/Main.java": ""})) == 0


def test_a_version_is_a_number_and_a_name_is_enough() -> None:
    counted = by_name(
        "counted", "a count", student_names=re.compile(r"(?P<name>[^/_]+)_v(?P<version>\d+)(?=/)")
    )
    placed = counted.place(listing_of({"Ada_v2/src/main.c": ""}))
    assert placed == {"Ada_v2/src/main.c": Placement((Student("Ada"),), "src/main.c", 2)}
