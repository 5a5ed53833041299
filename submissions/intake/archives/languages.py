"""Choose the files of a submission that are compared, and the language in which each is read."""

from __future__ import annotations

from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Languages of texts and data. Beside a program they are kept for reading and not compared.
NO_PROGRAM = frozenset(
    {"text", "json", "xml", "yaml", "ini", "toml", "properties", "diff", "make", "docker", "cmake", "nginx"}
)
# Languages that are often detected in files of each other, such as headers.
FAMILIES = (frozenset({"c", "cpp"}), frozenset({"c", "objective-c"}), frozenset({"javascript", "typescript"}))
# A notebook has cells in a language of its own.
NOTEBOOK = "notebook"
NOT_COMPARED = "text or data beside a program, or another language than that of the assignment"


def reading_languages(detected: Sequence[str], wanted: str = "") -> list[str]:
    """Return for each file of one submission the language to read it in, or "" if it is not compared.

    `detected` are the languages that the files seem to have, `wanted` is the language of the assignment, if
    one was chosen: then only files in it count, unless the submission has none. Their names do not tell the
    language then, so all of its files are read in it. Without a chosen language all programs count, and
    where there is none, all texts and data.
    """
    if wanted:
        family = family_of(wanted)
        if not family.intersection(detected):
            return [wanted] * len(detected)
        return [_in_family(language, wanted) if language in family else "" for language in detected]
    if all(language in NO_PROGRAM for language in detected):
        return list(detected)
    return ["" if language in NO_PROGRAM else language for language in detected]


def family_of(language: str) -> set[str]:
    """Return the languages that files of a class in this one may seem to have: it, and those like it."""
    return {language, NOTEBOOK}.union(*(family for family in FAMILIES if language in family))


def likely_language(detected: Iterable[str]) -> str:
    """Return the language in which most programs of a class are, "" if there is no such one."""
    programs = Counter(language for language in detected if language and language not in NO_PROGRAM)
    language, files = max(programs.items(), key=itemgetter(1), default=("", 0))
    return language if files > programs.total() / 2 else ""


def _in_family(language: str, wanted: str) -> str:
    return language if language == NOTEBOOK else wanted
