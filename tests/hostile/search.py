"""Search for the slowest text of each front-end and of each pattern of language detection.

`python -m tests.hostile.search [NAME ...]` adds the rows that `slow_texts.json` lacks, or makes those of the
names anew. Candidates are made from the regular expressions themselves: what each of their parts can match,
once as the beginning of a text and then again and again. All are timed on short texts, the slowest on longer
ones.
"""

import argparse
import json
import math
import random
import re
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from operator import itemgetter
from typing import Any, NamedTuple

from pygments.lexer import RegexLexer

from fingerprint.engine import TooSlow, time_limit
from fingerprint.languages.detection import AMBIGUOUS, CONTENT_PATTERNS, PROGRAM_PATTERNS
from fingerprint.languages.front_ends import front_end
from fingerprint.languages.language_table import LANGUAGES, Language
from fingerprint.languages.lexers import lexer_class
from tests.hostile.slow_texts import FOUND, SlowText, slowest_texts

Reader = Callable[[str], object]

SHORT, MIDDLE, LONG = 1_500, 4_000, 16_000
# No candidate takes longer than this, in seconds; none of it is the time that counts.
MOST = 1.0
CANDIDATES, FINALISTS = 100, 5
# How deep the parts of an expression are followed, and how many strings each part gives.
DEPTH, STRINGS = 6, 4
# Beginnings and ends of comments, strings and blocks of many languages.
USUAL = (
    "(",
    "[",
    "{",
    "<",
    '"',
    "'",
    "`",
    "/*",
    "//",
    "#",
    "--",
    "{-",
    "(*",
    "<!--",
    "<?",
    "$",
    "@",
    "\\",
    "%",
    "&",
)
AFTER = ("", "\n!", "\0", '"')


class Candidate(NamedTuple):
    before: str
    repeated: str
    after: str

    def text(self, characters: int) -> str:
        return self.before + self.repeated * (characters // len(self.repeated)) + self.after


def states_of(row: Language) -> dict[str, list[Any]]:
    """Return the rules in each state of the lexer of a front-end; none of a lexer without rules."""
    lexer: Any = lexer_class(row.lexer)()
    return dict(lexer._tokens) if isinstance(lexer, RegexLexer) else {}  # type: ignore[attr-defined]


def expressions(row: Language) -> set[str]:
    """Return the regular expressions in all states of the lexer of a front-end."""
    return {rule[0].__self__.pattern for rules in states_of(row).values() for rule in rules}


def matches_of(pattern: re.Pattern[str]) -> list[str]:
    """Return some strings that a whole expression matches, where its conditions allow them."""
    return _strings(list(import_module("re._parser").parse(pattern.pattern, pattern.flags)), DEPTH, set())


def strings_of(pattern: str) -> set[str]:
    """Return some strings that the parts of a regular expression match."""
    found_strings: set[str] = set()
    parsed = import_module("re._parser").parse(pattern)
    _strings(list(parsed), DEPTH, found_strings)
    return {string for string in found_strings if 0 < len(string) <= 24}


def _strings(parts: list[Any], depth: int, seen: set[str]) -> list[str]:
    """Return strings that a sequence of parts matches, and add those of its beginnings to `seen`."""
    whole = [""]
    for kind, value in parts:
        pieces = _pieces(str(kind), value, depth, seen) if depth else [""]
        seen.update(pieces)
        whole = [(start + piece)[:24] for start in whole for piece in pieces][:STRINGS]
        seen.update(whole)
    return whole


def _pieces(kind: str, value: Any, depth: int, seen: set[str]) -> list[str]:
    """Return strings that one part matches; an empty one where it matches none or is a condition."""
    if kind in GROUPS:
        return _strings(list(GROUPS[kind](value)), depth - 1, seen)
    if kind in REPEATS:
        inner = _strings(list(value[2]), depth - 1, seen)
        return [inner[0] * max(1, value[0]), inner[-1] * max(value[0], 2)]
    if kind == "BRANCH":
        return [string for option in value[1] for string in _strings(list(option), depth - 1, seen)][:STRINGS]
    if kind in CONDITIONS:
        _strings(list(value[1]), depth - 1, seen)
    return CHARACTERS[kind](value) if kind in CHARACTERS else [""]


def _of_set(items: Iterable[tuple[object, Any]]) -> list[str]:
    names = [(str(kind), value) for kind, value in items]
    matcher = re.compile("[" + "".join(_set_item(kind, value) for kind, value in names) + "]")
    likely = [char for char in "a0 _\n\t(\"'\\x;.A" if matcher.match(char)]
    return likely[:2] or [char for char in map(chr, range(1, 0x3000)) if matcher.match(char)][:1] or [""]


def _set_item(kind: str, value: Any) -> str:
    if kind == "NEGATE":
        return "^"
    if kind == "RANGE":
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    if kind == "CATEGORY":
        classes = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}
        name = str(value).removeprefix("CATEGORY_").removeprefix("UNI_")
        return classes.get(name, classes.get(name.removeprefix("NOT_"), r"\w").upper())
    return re.escape(chr(value))


GROUPS: dict[str, Callable[[Any], Any]] = {"SUBPATTERN": itemgetter(3), "ATOMIC_GROUP": list}
REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})
CONDITIONS = frozenset({"ASSERT", "ASSERT_NOT"})
CHARACTERS: dict[str, Callable[[Any], list[str]]] = {
    "LITERAL": lambda code: [chr(code)],
    "NOT_LITERAL": lambda code: ["b" if code == ord("a") else "a"],
    "ANY": lambda _: ["a"],
    "IN": _of_set,
}


def candidates(patterns: Iterable[str], seed: str) -> Iterator[Candidate]:
    """Yield texts of what the expressions match: each string repeated, and pairs of strings at random."""
    rng = random.Random(seed)
    strings = sorted({string for pattern in patterns for string in strings_of(pattern)} | set(USUAL))
    for string in strings if len(strings) < CANDIDATES else rng.sample(strings, CANDIDATES):
        yield Candidate("", string, rng.choice(AFTER))
        yield Candidate(rng.choice(strings), string, rng.choice(AFTER))
    for _ in range(CANDIDATES):
        first, second = rng.choice(strings), rng.choice(strings)
        yield Candidate("", first + second, rng.choice(AFTER))
        yield Candidate(rng.choice(strings), first + rng.choice(("a", " ", "\n", "0")), rng.choice(AFTER))


def seconds_for(reader: Reader, text: str, most: float = MOST) -> float:
    """Return the processor time of reading a text, which is stopped after `most` seconds by the clock."""
    started = time.process_time()
    try:
        with time_limit(most):
            reader(text)
    except TooSlow:
        pass
    except ValueError:  # a front-end that fails on it refuses the file, so it takes no more time
        return 0.0
    return time.process_time() - started


def slowest(target: str, suffix: str, reader: Reader, patterns: Iterable[str]) -> SlowText:
    """Return the slowest text that the search finds for a reader."""
    texts = list(dict.fromkeys(candidates(patterns, target)))
    reader("x")
    first = sorted(texts, key=lambda one: -seconds_for(reader, one.text(SHORT)))[: 4 * FINALISTS]
    second = sorted(first, key=lambda one: -seconds_for(reader, one.text(MIDDLE)))[:FINALISTS]
    best = max(second, key=lambda one: seconds_for(reader, one.text(LONG)))
    return measured(target, suffix, reader, best)


def measured(target: str, suffix: str, reader: Reader, text: Candidate) -> SlowText:
    """Return a text with the time that it takes and the growth of it."""
    seconds = seconds_for(reader, text.text(LONG))
    growth = math.log2(max(seconds, 1e-6) / max(seconds_for(reader, text.text(LONG // 2)), 1e-6))
    return SlowText(target, suffix, *text, seconds=round(seconds, 3), growth=round(growth, 1))


def searches() -> dict[str, Callable[[], SlowText]]:
    """Return a search for each tuned front-end and for each pattern of language detection."""
    every: dict[str, Callable[[], SlowText]] = {row.name: partial(_search_front_end, row) for row in LANGUAGES}
    patterns = [(end, pattern) for end, rows in AMBIGUOUS.items() for pattern, _ in rows if pattern]
    patterns += [("", pattern) for pattern, _ in (*CONTENT_PATTERNS, *PROGRAM_PATTERNS)]
    return every | {_pattern_name(pattern): partial(_search_pattern, *row) for row in patterns for pattern in row[1:]}


def suffix_of(row: Language) -> str:
    """Return the end of the name of a file of that language, "" if none tells it."""
    return row.file_patterns.partition(" ")[0].removeprefix("*")


def _search_front_end(row: Language) -> SlowText:
    return slowest(row.name, suffix_of(row), front_end(row.name).tokens, expressions(row))


def _search_pattern(suffix: str, pattern: str) -> SlowText:
    return slowest(_pattern_name(pattern), suffix, re.compile(pattern, re.MULTILINE).search, [pattern])


def _pattern_name(pattern: str) -> str:
    return f"detection by {pattern}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="front-ends or patterns; default: all")
    names = parser.parse_args().names
    rows = {row.target: row for row in slowest_texts()}
    for name, search in searches().items():
        if name in names or (not names and name not in rows):
            started = time.monotonic()
            rows[name] = search()
            print(f"{time.monotonic() - started:.0f} s: {rows[name]}", flush=True)  # noqa: T201 - a command
            FOUND.write_text(json.dumps([row._asdict() for row in rows.values()], indent=1) + "\n")


if __name__ == "__main__":
    main()
