"""Sentences about the files of an upload that were read: their languages, and those that were read badly."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from fingerprint.engine import choices
from submissions.intake import warning_sentences as sentences
from submissions.intake.archives.grouping_warnings import GroupingWarning, listed
from submissions.intake.archives.languages import family_of, likely_language

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

PROSE = "text"
# A file of which less became tokens is listed.
LEAST_SHARE = 0.5


class ReadFile(NamedTuple):
    """A file that is compared: whose it is, its path and language, and what of it became tokens.

    `share` is the part of its code that became tokens; `unclosed` is the first line, from 1, in which a
    string or comment begins that never ends. Of a file that is not read yet there are neither, and no
    `tokens`.
    """

    submission: str
    path: str
    language: str
    tokens: int | None = None
    share: float = 1.0
    unclosed: int | None = None

    @property
    def name(self) -> str:
        return self.path if self.path.startswith(self.submission) else f"{self.submission}/{self.path}"


def languages_read(languages: Iterable[str]) -> str:
    """Return the languages of files, the most frequent first: `48 Java, 2 read as prose`."""
    titles = dict(choices())
    counted = sorted(Counter(languages).items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(
        f"{files:,} {sentences.PROSE if name == PROSE else titles.get(name, name)}" for name, files in counted
    )


def reading_warnings(files: Sequence[ReadFile]) -> Iterator[GroupingWarning]:
    """Yield what an instructor should look at: where absence of a match is no finding."""
    yield from _read_otherwise(files)
    yield from _without_code(files)
    few = [file for file in files if file.tokens and file.share < LEAST_SHARE]
    if few:
        names = listed([file.name for file in few])
        yield _warning("few-tokens", sentences.FEW_TOKENS.format(names=names), few)
    unclosed = [file for file in files if file.unclosed]
    if unclosed:
        names = listed([f"{file.name} {sentences.OPENED.format(n=file.unclosed)}" for file in unclosed])
        yield _warning("unclosed", sentences.UNCLOSED.format(names=names), unclosed)


def _read_otherwise(files: Sequence[ReadFile]) -> Iterator[GroupingWarning]:
    likely = likely_language(file.language for file in files)
    others = [file for file in files if file.language not in family_of(likely)] if likely else []
    if others:
        titles = dict(choices())
        names = listed([f"{file.name} ({titles.get(file.language, file.language)})" for file in others])
        title = titles.get(likely, likely)
        text = sentences.OTHER_LANGUAGE.format(language=title, names=names)
        yield _warning("read-otherwise", text, others)


def _without_code(files: Sequence[ReadFile]) -> Iterator[GroupingWarning]:
    with_code = {file.submission for file in files if file.tokens != 0}
    empty = [file for file in files if file.submission not in with_code]
    if empty:
        names = listed({file.submission for file in empty})
        yield _warning("without-code", sentences.WITHOUT_CODE.format(names=names), empty)


def _warning(kind: str, text: str, files: Iterable[ReadFile]) -> GroupingWarning:
    return GroupingWarning(kind, text, tuple(sorted({file.submission for file in files})))
