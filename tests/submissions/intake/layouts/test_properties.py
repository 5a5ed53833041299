"""Properties of the grouping of any upload, however its entries are named and whatever is chosen."""

import string
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings, strategies as st

from submissions.intake.choices import Choices
from submissions.intake.grouping import Grouping, ListingBuilder, group_files
from submissions.intake.layouts.registry import LAYOUTS, recognise
from submissions.intake.members import UnpackedEntry
from tests.submissions.intake.layouts.samples import SAMPLES

PARTS = sorted({part for files in SAMPLES.values() for path in files for part in path.split("/")})
TEXTS = sorted({text for files in SAMPLES.values() for text in files.values()})

# There is a row for each layout.
FEWER = settings(max_examples=max(5, settings().max_examples // 8))

letters = string.ascii_letters + string.digits + "_-+@. ;,()"
name = st.sampled_from(PARTS) | st.text(letters, min_size=1, max_size=30)
paths = st.lists(name, min_size=1, max_size=4).map("/".join)
whole = st.sampled_from(sorted({path for files in SAMPLES.values() for path in files}))
content = st.sampled_from(TEXTS) | st.text(max_size=60)
uploads = st.dictionaries(paths | whole, content, max_size=15)
samples = st.sampled_from(sorted(SAMPLES)).map(SAMPLES.__getitem__)
dates = st.sampled_from([None, *(datetime(2026, month, 1, tzinfo=UTC) for month in range(1, 13))])
depths = st.builds(Choices, depth=st.none() | st.integers(0, 5), attempts=st.sampled_from(["last", "all"]))
layouts = st.builds(
    Choices, layout=st.sampled_from(["", *LAYOUTS]), attempts=st.sampled_from(["last", "all"]), due=dates
)


def group(files: dict[str, str], choices: Choices) -> Grouping:
    builder = ListingBuilder("upload")
    for path, text in files.items():
        data = text.encode("utf-8", "surrogatepass")
        builder.add(UnpackedEntry(path, data, len(data), ""))
    return group_files(builder.listing(), choices)


def checked(files: dict[str, str], choices: Choices) -> Grouping:
    """Return the grouping of files, after checking what holds for every grouping."""
    grouping = group(files, choices)
    assert grouping.places.keys() | grouping.ignored.keys() == files.keys()
    assert not grouping.places.keys() & grouping.ignored.keys()
    assert len(set(grouping.places.values())) == len(grouping.places)
    assert all(grouping.ignored.values())
    for place in grouping.places.values():
        assert place.path
        assert 0 < len(place.submission) <= 400
        assert "/" not in place.submission
    assert grouping.submissions.keys() == {place.submission for place in grouping.places.values()}
    assert set(grouping.earlier.values()) <= grouping.submissions.keys()
    assert grouping.earlier.keys() <= grouping.ignored.keys()
    for submission in grouping.submissions.values():
        assert submission.students
        assert 1 <= submission.attempt <= submission.attempts
    for warning in grouping.warnings:
        assert set(warning.submissions) <= grouping.submissions.keys()
    return grouping


def regrouped(files: dict[str, str], choices: Choices, data: st.DataObject) -> Choices:
    """Return the choices with some of their submissions renamed and split."""
    names = sorted(group(files, choices).submissions) or ["nobody"]
    some = st.sampled_from([*names, "nobody"])
    return Choices(
        choices.layout,
        choices.depth,
        choices.attempts,
        choices.due,
        data.draw(st.frozensets(some, max_size=3)),
        data.draw(st.dictionaries(some, some | st.just("Team 1"), max_size=4)),
    )


@pytest.mark.slow
@given(uploads | samples, layouts | depths, st.data())
def test_no_entry_is_lost_and_their_order_changes_nothing(
    files: dict[str, str], choices: Choices, data: st.DataObject
) -> None:
    choices = regrouped(files, choices, data)
    shuffled = data.draw(st.permutations(list(files.items())))
    assert checked(files, choices) == checked(dict(shuffled), choices)


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
@FEWER
@given(files=uploads)
def test_a_layout_that_was_chosen_loses_no_entry_of_any_upload(layout: str, files: dict[str, str]) -> None:
    checked(files, Choices(layout))


@given(uploads | samples, layouts | depths, st.data())
def test_choices_are_the_same_after_they_were_stored(
    files: dict[str, str], choices: Choices, data: st.DataObject
) -> None:
    choices = regrouped(files, choices, data)
    assert Choices.from_json(choices.to_json()) == choices


@given(uploads)
def test_scores_are_parts_and_some_layout_always_fits(files: dict[str, str]) -> None:
    builder = ListingBuilder()
    for path in files:
        builder.add(UnpackedEntry(path, b"x", 1, ""))
    scores = [ranked.score for ranked in recognise(builder.listing())]
    assert all(0 <= score <= 1 for score in scores)
    assert scores[0] > 0
