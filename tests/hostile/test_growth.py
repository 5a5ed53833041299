"""Metadata of each platform, and rosters, take time that grows as they do, whatever word they repeat."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

import pytest

from submissions.intake.choices import Choices
from submissions.intake.layouts.registry import metadata_limit
from submissions.intake.preview import ListedRow, ListedUpload, group_upload
from submissions.intake.rosters import RosterRefused, parse_roster
from tests.hostile.pumped import pumped, repeated
from tests.submissions.intake.layouts.samples import SAMPLES, VARIANTS
from tests.support.regex_ambiguity import Pumped

if TYPE_CHECKING:
    from collections.abc import Callable

# Characters of a text and of one four times as long; the square of that is sixteen times as long.
SHORT, LONG, MOST = 10_000, 40_000, 9
HEADERS = ("", "name,login,email\n", "Last name;First name;ID number\n", '"Student","ID","Section"\n')
RECORDS = [(sample, path) for sample, files in SAMPLES.items() for path in filter(metadata_limit, files)]


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(("sample", "path"), RECORDS)
def test_metadata_that_repeats_a_word_takes_as_much_longer_as_it_is_longer(sample: str, path: str) -> None:
    files = {name: text.encode() for name, text in SAMPLES[sample].items()}
    choices = Choices(VARIANTS.get(sample, sample))

    def group(text: str) -> None:
        data = files | {path: text.encode("utf-8", "replace")}
        rows = [ListedRow(name, len(each), digest=b"1") for name, each in data.items()]
        group_upload(ListedUpload(rows, data, choices=choices))

    slow = [text for text in pumped("submissions/intake/layouts/") if not _grows_like_a_line(group, *text)]
    assert slow == []


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("header", HEADERS)
def test_a_roster_that_repeats_a_word_takes_as_much_longer_as_it_is_longer(header: str) -> None:
    def parse(text: str) -> None:
        try:
            parse_roster((header + text).encode("utf-8", "replace"))
        except RosterRefused:
            return

    slow = [text for text in pumped("submissions/intake/rosters/") if not _grows_like_a_line(parse, *text)]
    assert slow == []


def _grows_like_a_line(work: Callable[[str], None], before: str, word: str) -> bool:
    """Return whether a text four times as long takes less than MOST times as long, at least once in three."""
    short, long = (repeated(Pumped(before, word), size) for size in (SHORT, LONG))
    return any(_seconds(work, long) < MOST * _seconds(work, short) for _ in range(3))


def _seconds(work: Callable[[str], None], text: str) -> float:
    times = []
    for _ in range(2):
        started = process_time()
        work(text)
        times.append(process_time() - started)
    return max(min(times), 1e-3)
