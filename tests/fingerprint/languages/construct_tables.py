"""The tables of constructs in `conformance/`, one a language, and the programs that are made of them.

The name of a file is that of the language, unless a section `language` has it: some languages have forms
that exclude each other. A table has sections that begin with `=== name`; a line `--` separates the constructs
of a section. `first` and `second` are functions; `head` begins every program; `place` is the statement in
which a literal stands, as `@`.

literals : literals without code in them; the first one is plain, and all have its tokens
regexes : the same, each with the statement around it
comments : what the language's compiler skips; no token is read of it
others : constructs with code in them
unclosed : lines with a literal or comment that does not end
limits : constructs that are known to change the tokens of the functions around them
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from fingerprint.languages import front_end
from fingerprint.languages.language_table import LANGUAGES

TABLES = Path(__file__).parent / "conformance"
PATHS = sorted(TABLES.glob("*.txt"))
ALIKE = ("literals", "regexes")
SECTIONS = (*ALIKE, "comments", "others", "unclosed")

_FRAME = ("language", "head", "first", "second", "place")
_HEADING = re.compile(r"^=== (\w+)\n", re.MULTILINE)
# Kind and lexeme of each token.
Tokens = list[tuple[str, str]]


class Table(NamedTuple):
    """The constructs of one language, by section."""

    name: str
    language: str
    head: str
    first: str
    second: str
    place: str
    constructs: dict[str, list[str]]


@cache
def table(path: Path) -> Table:
    """Return the table of a language; raises AssertionError for a section of an unknown name."""
    _, *parts = _HEADING.split(path.read_text(encoding="utf-8"))
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    assert sections.keys() <= {*SECTIONS, "limits", *_FRAME}, path
    constructs = {name: _constructs(sections.get(name, "")) for name in (*SECTIONS, "limits")}
    language, head, first, second, place = (sections.get(name, "") for name in _FRAME)
    return Table(path.stem, language.strip() or path.stem, head, first, second, place, constructs)


def _constructs(section: str) -> list[str]:
    return [f"{part}\n" for part in section.removesuffix("\n").split("\n--\n")] if section else []


def misread(of: Table, section: str) -> Iterator[str]:
    """Yield a line for each construct of a section that is read otherwise than by the language's compiler."""
    for construct in of.constructs[section]:
        statement = statement_of(of, section, construct)
        wrong = [*lost_functions(of, statement), *_wrong_tokens(of, section, statement)]
        if wrong:
            yield f"{construct!r}: {', '.join(wrong)}"


def lost_functions(of: Table, construct: str) -> Iterator[str]:
    """Yield each function whose tokens a construct changes that is before, between or after the functions."""
    for place, parts in {
        "before": (construct, of.first, of.second),
        "between": (of.first, construct, of.second),
        "after": (of.first, of.second, construct),
    }.items():
        text = of.head + "".join(parts)
        for name, function in (("first", of.first), ("second", of.second)):
            start = text.index(function)
            alone = _tokens_alone(of.language, of.head, function)
            if _tokens(of.language, text, start, start + len(function)) != alone:
                yield f"the {name} function is changed by it {place}"


def _wrong_tokens(of: Table, section: str, statement: str) -> Iterator[str]:
    read = _kinds(of, statement)
    if section == "comments" and read:
        yield f"it is read as {read}"
    if section in ALIKE:
        plain = statement_of(of, section, of.constructs[section][0])
        if read != _kinds(of, plain):
            yield f"it is read as {read}"
    if section != "unclosed":
        text = of.head + statement
        errors = [text[start:end] for start, end, css in front_end(of.language).highlight(text) if css == "err"]
        if errors:
            yield f"no rule reads {errors}"


def statement_of(of: Table, section: str, construct: str) -> str:
    """Return a construct with the statement around it."""
    return of.place.replace("@", construct.removesuffix("\n")) if section == "literals" else construct


def _kinds(of: Table, statement: str) -> list[str]:
    return [kind for kind, _ in _tokens_alone(of.language, of.head, statement)]


@cache
def _tokens_alone(language: str, head: str, statement: str) -> Tokens:
    return _tokens(language, head + statement, len(head), len(head) + len(statement))


def _tokens(language: str, text: str, start: int, end: int) -> Tokens:
    """Return kind and lexeme of each token that begins within a range of a text."""
    spans = front_end(language).named_tokens(text)
    return [(kind, text[begin:stop]) for begin, stop, kind in spans if start <= begin < end]


def kinds_of_others() -> str:
    """Return how the constructs with code in them are read: each, and the kinds of its tokens."""
    readings = (
        f"=== {of.name}\n{construct}--> {' '.join(_kinds(of, construct))}\n"
        for of in map(table, PATHS)
        for construct in of.constructs["others"]
    )
    return "".join(readings)


def markdown_table() -> str:
    """Return, for docs/work/languages.md, the number of constructs of each language, and the known limits."""
    titles = {row.name: row.title for row in LANGUAGES}
    counts, limits = [], ["| language | known limits |", "|---|---|"]
    for of in map(table, PATHS):
        title = f"{titles.get(of.language, of.language)}{f' ({of.name})' if of.name != of.language else ''}"
        counts.append(f"{title} {sum(len(found) for name, found in of.constructs.items() if name != 'limits')}")
        if of.constructs["limits"]:
            limits.append(f"| {title} | {'; '.join(map(_cell_code, of.constructs['limits']))} |")
    return f"{', '.join(counts)}.\n\n" + "".join(f"{line}\n" for line in limits)


def _cell_code(construct: str) -> str:
    """Return a construct as code in a cell of a table in Markdown, which has one line and no bar."""
    text = " ⏎ ".join(construct.strip().replace("|", " ").splitlines())
    longest = max(map(len, re.findall("`+", text)), default=0)
    mark, space = "`" * (longest + 1), " " if longest else ""
    return f"{mark}{space}{text}{space}{mark}"
