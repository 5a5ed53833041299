"""Exports of each platform in which one metadata file, or every name, repeats one word."""

from collections.abc import Iterator

from submissions.intake.layouts.registry import metadata_limit
from submissions.intake.limits import Limits
from tests.hostile.case import Case
from tests.hostile.slow_texts import USUAL, pumped, repeated
from tests.submissions.intake.layouts.samples import SAMPLES, VARIANTS
from tests.support.archives import zipped
from tests.support.regex_ambiguity import Pumped

LAYOUTS = "submissions/intake/layouts/"
# Characters of a metadata file, as many as a record may have, and names in an export.
CHARACTERS, NAMES = 190_000, 10
# Of the usual words, each of so many is tried in an upload; `test_growth.py` tries all of them.
ONE_OF = 8


def record_cases() -> Iterator[Case]:
    for sample, files in SAMPLES.items():
        data = {path: text.encode() for path, text in files.items()}
        for path in filter(metadata_limit, files):
            for text in _words(sample):
                record = repeated(text, CHARACTERS).encode("utf-8", "replace")
                detail = f"{path} of {sample}: {text.before!r}, {text.word!r} again and again"
                yield Case("metadata", detail, ".zip", zipped(data | {path: record}), alone=True)
            too_large = data | {path: b"\n" * 4_900_000}
            yield Case("metadata", f"{path} of {sample}: too large", ".zip", zipped(too_large), alone=True)
    yield from _names()


def _words(sample: str) -> tuple[Pumped, ...]:
    """Return some usual words, and those of the expressions of a layout."""
    words = pumped(LAYOUTS + VARIANTS.get(sample, sample).replace("-", "_"))
    return (*words[: len(USUAL) : ONE_OF], *words[len(USUAL) :])


def _names() -> Iterator[Case]:
    longest = Limits().path_length - 20
    for text in pumped(LAYOUTS):
        name = repeated(text, longest, "").replace("\0", "x")[:longest]
        files = {f"{name}{number}/a.py": b"x = 1\n" for number in range(NAMES)}
        files |= {f"{name}{number}.py": b"x = 1\n" for number in range(NAMES)}
        yield Case("names that repeat", f"{text.before!r}, {text.word!r}", ".zip", zipped(files), alone=True)
