"""All hostile uploads: more than 2,000, the same in every run."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from itertools import islice, product

from submissions.intake.left_out.patterns import MAX_CHARACTERS, MAX_PATTERNS, MAX_STARS, parse_patterns
from tests.hostile.bombs import bomb_cases
from tests.hostile.case import Case
from tests.hostile.libarchive import libarchive_cases
from tests.hostile.names import name_cases
from tests.hostile.notebooks import notebook_cases
from tests.hostile.records import record_cases
from tests.hostile.slow_texts import slow_cases
from tests.hostile.streams import stream_cases
from tests.hostile.tars import tar_cases
from tests.hostile.texts import text_cases
from tests.hostile.zips import zip_cases
from tests.support.archives import zipped

WORDS = ("a", "ab", "a/", "[ab]", "?", "[!b]", "**/", "*/")
NAMES = ("a" * 250, "ab" * 125, "/".join("a" * 120), "/".join(["ab"] * 100), "aab/" * 80 + "a")


def pattern_cases() -> Iterator[Case]:
    files = {f"student{n}/{name}x.py": b"x = 1\n" for n in range(40) for name in NAMES}
    data = zipped(files)
    for word, end in product(WORDS, ("b", "/b", "")):
        stars = MAX_STARS // max(1, 1 + word.count("*"))
        pattern = (f"*{word}" * stars)[: MAX_CHARACTERS - len(end)] + end
        lines = [pattern, *(f"{pattern}{number}" for number in range(MAX_PATTERNS - 1))]
        lines = [line for line in lines if len(line) <= MAX_CHARACTERS]
        parse_patterns(lines)
        detail = f"{len(lines)} times {pattern}"
        yield Case("patterns", detail, ".zip", data, alone=True, patterns="\n".join(lines))


Source = Callable[[], Iterable[Case]]

SOURCES: tuple[Source, ...] = (
    zip_cases, tar_cases, stream_cases, libarchive_cases, name_cases, bomb_cases, text_cases, notebook_cases,
    slow_cases, record_cases, pattern_cases,
)  # fmt: skip


def all_cases(*sources: Source) -> Iterator[Case]:
    """Yield every case of some or all sources once: cases with the same bytes and suffix are one."""
    seen = set()
    for source in sources or SOURCES:
        for case in source():
            key = (case.suffix, case.patterns, sha256(case.data).digest())
            if key not in seen:
                seen.add(key)
                yield case


def by_kind(cases: Iterable[Case]) -> dict[str, list[Case]]:
    kinds = defaultdict(list)
    for case in cases:
        kinds[case.kind].append(case)
    return dict(kinds)


def some_of_each_kind(cases: Iterable[Case], most: int) -> list[Case]:
    """Return up to `most` cases of each kind, spread evenly over them."""
    return [
        case for group in by_kind(cases).values() for case in islice(group, 0, None, max(1, -(-len(group) // most)))
    ]
