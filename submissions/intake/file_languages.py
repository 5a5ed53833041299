"""Choose the files of a submission that are compared, and the language in which each is read."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

from fingerprint.engine import choices, leaves_doubt, possible_languages
from submissions.intake.left_out.patterns import BadPatterns, Globs, parse_patterns, pattern_lines

# Languages of texts and data. Beside a program they are kept for reading and not compared.
NO_PROGRAM = frozenset(
    {"text", "json", "xml", "yaml", "ini", "toml", "properties", "diff", "make", "docker", "cmake", "nginx"}
)
# Languages that are often detected in files of each other, such as headers.
FAMILIES = (frozenset({"c", "cpp"}), frozenset({"c", "objective-c"}), frozenset({"javascript", "typescript"}))
# A notebook has cells in a language of its own.
NOTEBOOK = "notebook"


@dataclass(frozen=True)
class ChosenLanguages:
    """The languages that an instructor chose: `language` for all files, or "", and others for some names.

    `patterns` are lines such as `*.st = structured-text`, in the syntax of `.gitignore`; of several that fit
    a file the last one decides.
    """

    language: str = ""
    patterns: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        return pattern_lines(self.patterns.splitlines())

    @property
    def key(self) -> str:
        """All of it on one line."""
        return "; ".join((self.language, *self.lines))

    def reading(self, paths: Sequence[str], detected: Sequence[str]) -> list[str]:
        """Return for each file of one submission the language to read it in, or "" if it is not compared.

        `paths` are those inside the submission, `detected` the languages that the files seem to have.
        """
        by_name = [self._by_name(path) for path in paths]
        seeming = [name or language for name, language in zip(by_name, detected, strict=True)]
        chosen = reading_languages(seeming, self.language)
        return [name or language for name, language in zip(by_name, chosen, strict=True)]

    def _by_name(self, path: str) -> str:
        return next((language for globs, language in self._rows if globs.match(path)), "")

    @cached_property
    def _rows(self) -> list[tuple[Globs, str]]:
        """The patterns and their languages, the last line first; a line that is none is left out."""
        rows = map(_named_language, reversed(self.lines))
        return [(Globs([pattern]), language) for pattern, language in rows if language]


def _named_language(line: str) -> tuple[str, str]:
    """Return the pattern of a line, and the name of its language, "" if there is no such one."""
    pattern, _, language = line.rpartition("=")
    wanted = language.strip().casefold()
    names = (name for name, title in choices() if wanted in {name, title.casefold()})
    return pattern.strip(), next(names, "")


def check_language_patterns(text: str) -> None:
    """Check the lines of `ChosenLanguages.patterns`.

    Raises BadPatterns for a line without a pattern or a known language; the message says what to write.
    """
    rows = {line: _named_language(line) for line in pattern_lines(text.splitlines())}
    for line, (pattern, language) in rows.items():
        if not pattern:
            raise BadPatterns(f"{line[:60]!r} names no language. Write it as in: *.st = structured-text")
        if not language:
            unknown = line.rpartition("=")[2].strip()[:60]
            raise BadPatterns(f"No language is called {unknown!r}. The menu of languages has their names.")
    parse_patterns(pattern for pattern, _ in rows.values())


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
        kept = {language: language if language == NOTEBOOK else wanted for language in family}
        return [kept.get(language, "") for language in detected]
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


def settled_languages(
    names: Sequence[str], detected: Sequence[str], again: Callable[[Sequence[int], str], Iterable[str]]
) -> list[str]:
    """Return the languages of the files of a class: where a file leaves doubt, the certain ones decide.

    `again` returns the languages of the files with these numbers where another one is likely. The files that
    are in a language by their name vote; where none is, those that stay in it though another is likely do.
    """
    settled, certain, doubtful = list(detected), list[str](), defaultdict[frozenset[str], list[int]](list)
    for number, (name, language) in enumerate(zip(names, detected, strict=True)):
        if language and leaves_doubt(name):
            doubtful[possible_languages(name)].append(number)
        else:
            certain.append(language)
    for possible, numbers in doubtful.items():
        likely = likely_language(one for one in certain if not possible or one in possible)
        likely = likely or likely_language(_certain_by_content(numbers, detected, again))
        others = [number for number in numbers if likely not in ("", detected[number])]
        for number, language in zip(others, again(others, likely), strict=True):
            settled[number] = language
    return settled


def _certain_by_content(
    numbers: Sequence[int], detected: Sequence[str], again: Callable[[Sequence[int], str], Iterable[str]]
) -> list[str]:
    """Return the languages of files that stay in it where the rival is likely; of all where none stays."""
    languages = [detected[number] for number in numbers if detected[number] not in NO_PROGRAM]
    stay, rivals = list[str](), [language for language, _ in Counter(languages).most_common(2)]
    for language, rival in zip(rivals, rivals[::-1] if len(rivals) > 1 else (), strict=False):
        own = [number for number in numbers if detected[number] == language]
        stay += [one for one in again(own, rival) if one == language]
    return stay or languages
