"""What holds for the layouts of any upload, however its entries are named."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings, strategies as st

from submissions.archives.grouping import ListingBuilder, group_files
from submissions.archives.layouts.registry import LAYOUTS, recognise
from submissions.archives.unpack import UnpackedEntry
from tests.submissions.archives.layouts.samples import SAMPLES

PARTS = sorted({part for files in SAMPLES.values() for path in files for part in path.split("/")})
TEXTS = sorted({text for files in SAMPLES.values() for text in files.values()})

letters = string.ascii_letters + string.digits + "_-+@. ;,()"
name = st.sampled_from(PARTS) | st.text(letters, min_size=1, max_size=30)
paths = st.lists(name, min_size=1, max_size=4).map("/".join)
whole = st.sampled_from(sorted({path for files in SAMPLES.values() for path in files}))
content = st.sampled_from(TEXTS) | st.text(max_size=60)
uploads = st.dictionaries(paths | whole, content, max_size=15)


def grouped(files: dict[str, str], layout: str = "") -> tuple[object, ...]:
    builder = ListingBuilder("upload")
    for path, text in files.items():
        data = text.encode("utf-8", "surrogatepass")
        builder.add(UnpackedEntry(path, data, len(data), ""))
    grouping = group_files(builder.listing(), layout)
    assert grouping.places.keys() | grouping.ignored.keys() == files.keys()
    assert not grouping.places.keys() & grouping.ignored.keys()
    assert len(set(grouping.places.values())) == len(grouping.places)
    assert all(grouping.ignored.values())
    for place in grouping.places.values():
        assert place.path
        assert 0 < len(place.submission) <= 400
        assert "/" not in place.submission
    known = {place.submission for place in grouping.places.values()}
    assert grouping.identifiers.keys() | grouping.submitted.keys() | set(grouping.earlier.values()) <= known
    return grouping.layout.key, grouping.places, grouping.ignored, grouping.identifiers, grouping.submitted


@given(uploads, st.randoms())
def test_no_entry_is_lost_and_their_order_changes_nothing(files: dict[str, str], random: object) -> None:
    shuffled = list(files.items())
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert grouped(files) == grouped(dict(shuffled))


@pytest.mark.parametrize("layout", LAYOUTS)
@settings(max_examples=25)
@given(files=uploads)
def test_a_layout_that_was_chosen_loses_no_entry_of_any_upload(layout: str, files: dict[str, str]) -> None:
    grouped(files, layout)


@given(uploads)
def test_scores_are_parts_and_some_layout_always_fits(files: dict[str, str]) -> None:
    builder = ListingBuilder()
    for path in files:
        builder.add(UnpackedEntry(path, b"x", 1, ""))
    scores = [ranked.score for ranked in recognise(builder.listing())]
    assert all(0 <= score <= 1 for score in scores)
    assert scores[0] > 0
