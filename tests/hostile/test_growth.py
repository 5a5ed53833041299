"""Texts from outside take time that grows as they do: metadata, rosters, names and searched files."""

import re
from collections.abc import Callable
from pathlib import Path
from time import process_time

import pytest

from submissions.core.names import Names
from submissions.core.redaction import normalised_words
from submissions.intake.choices import Choices
from submissions.intake.entries import Entry, clean_path
from submissions.intake.layouts.registry import metadata_limit
from submissions.intake.preview import ListedUpload, group_upload
from submissions.intake.rosters import RosterRefused, id_key, name_key, parse_roster
from submissions.matches.groups import natural_key
from submissions.students.naming import Spellings
from tests.hostile.slow_texts import pumped, repeated
from tests.submissions.intake.layouts.samples import SAMPLES, VARIANTS
from tests.support.regex_ambiguity import Pumped

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
        rows = [Entry(name, len(each), digest=b"1") for name, each in data.items()]
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


STUDENTS = ("Ada Lovelace", "Zo\u00eb \u00d6zil", "bob", "x1")
NAMES = Names({name: f"Alias {number}" for number, name in enumerate(STUDENTS)}, "[name]")
SPELLINGS = Spellings(frozenset(STUDENTS[:3]), frozenset(STUDENTS[3:]))
READS: dict[str, Callable[[str], object]] = {
    "erasing": SPELLINGS.taken_out,
    "hiding in a label": NAMES.redact_text,
    "hiding in a source": NAMES.source_spans,
    "hiding in a path": NAMES.redact_entry,
    "words": normalised_words,
    "path": lambda text: clean_path(text, 400),
    "key of a name": name_key,
    "key of an id": id_key,
    "order": natural_key,
}
# Half of ordinary code can be ends of lines. Python sorts combining marks of different classes by insertion.
REPEATED = {
    "lines": "a\n",
    "spaces": " ",
    "marks": "\u0301\u0323",
    "one name": "Ada ",
    "parts of names": "Ada Lovelace, ",
    "segments": "/bob",
    "stops": "bob.",
    "letters with marks": "Zo\u00eb ",
    "runs": "aB1",
    "addresses": "a@a.b ",
    "labels": "# name: ",
    "comments": "/*",
}


@pytest.mark.parametrize("word", REPEATED.values(), ids=REPEATED)
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_name_or_file_that_repeats_a_word_takes_as_much_longer_as_it_is_longer(
    read: Callable[[str], object], word: str
) -> None:
    assert _grows_like_a_line(read, "a", word)


def test_only_one_function_normalises_texts_from_outside() -> None:
    product = [path for package in ("moss", "submissions") for path in Path(package).rglob("*.py")]
    calls = [
        str(path) for path in product if re.search(rb"unicodedata\.normalize\(|import normalize", path.read_bytes())
    ]
    assert calls == ["submissions/intake/entries.py"]


def _grows_like_a_line(work: Callable[[str], object], before: str, word: str) -> bool:
    """Return whether a text four times as long takes less than MOST times as long, at least once in three."""
    short, long = (repeated(Pumped(before, word), size) for size in (SHORT, LONG))
    return any(_seconds(work, long) < MOST * _seconds(work, short) for _ in range(3))


def _seconds(work: Callable[[str], object], text: str) -> float:
    times = []
    for _ in range(2):
        started = process_time()
        work(text)
        times.append(process_time() - started)
    return max(min(times), 1e-3)
