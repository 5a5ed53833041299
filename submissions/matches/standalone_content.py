"""The content of the HTML file that `moss check` writes, with the terms that both sides share.

Needs no Django.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from fingerprint import engine

if TYPE_CHECKING:
    from fingerprint.engine import LexicalTerms, TokenStream
    from submissions.matches.bands import PairBin
    from submissions.matches.differences import TokenRun
    from submissions.matches.ranked_pairs import PairRow, Stripe

# Terms that are listed, lines and characters of each.
LISTED, LINES_LISTED, CHARACTERS = 60, 5, 80
KINDS = {"literals": "literal", "names": "name", "words": "word", "imports": "import"}
NO_COUNTS: Mapping[int, int] = MappingProxyType({})


class TermFile(NamedTuple):
    """One file of a side: path as readers see it, name of the language, text, tokens and terms."""

    path: str
    language: str
    text: str
    tokens: TokenStream
    lexical: LexicalTerms


class TermLines(NamedTuple):
    """The first lines of one file on which a term begins, and how many more there are."""

    path: str
    lines: list[int]
    more: int


class SharedTerm(NamedTuple):
    """A term of both sides; `kind` is literal, name, word or import, `text` its first characters on the left.

    `some` submissions have it, where that was counted.
    """

    kind: str
    text: str
    sides: tuple[list[TermLines], list[TermLines]]
    some: int = 0


class SharedTerms(NamedTuple):
    """The longest shared terms with their lines, and the number of all shared terms."""

    listed: list[SharedTerm]
    total: int

    @property
    def more(self) -> int:
        return self.total - len(self.listed)


def shared_terms(
    left: list[TermFile],
    right: list[TermFile],
    handed_out: Iterable[LexicalTerms],
    hide: Callable[[str], str] = str,
    counts: Mapping[int, int] = NO_COUNTS,
) -> SharedTerms:
    """Return the terms that both sides have and that were not handed out, the rarest, then the longest first.

    `hide` replaces what a reader may not see in a text; `counts` says how many submissions have a term.
    """
    sides = [[file.lexical for file in files] for files in (left, right)]
    wanted = engine.without_terms(engine.common_terms(*sides), handed_out)
    left_lines, texts = _lines_by_term(left, wanted)
    right_lines, _ = _lines_by_term(right, wanted)
    terms = [
        SharedTerm(KINDS[key[0]], hide(texts[key])[:CHARACTERS], (lines, right_lines[key]), counts.get(key[1], 0))
        for key, lines in left_lines.items()
        if key in right_lines
    ]
    order = list(KINDS.values())
    terms.sort(key=lambda one: (one.some, -min(len(one.text), 8), order.index(one.kind), -len(one.text), one.text))
    return SharedTerms(terms[:LISTED], len(terms))


def _lines_by_term(
    files: list[TermFile], wanted: LexicalTerms
) -> tuple[dict[tuple[str, int], list[TermLines]], dict[tuple[str, int], str]]:
    """Return the lines of each term by kind and id, and its text at its first place."""
    from submissions.matches.source_html import line_starts  # noqa: PLC0415 - in pages only

    lines: dict[tuple[str, int], list[TermLines]] = {}
    texts: dict[tuple[str, int], str] = {}
    for file in files:
        starts, numbers = line_starts(file.text), dict[tuple[str, int], dict[int, None]]()
        for field, term, start, end, is_word in engine.term_places(file.language, file.text, file.tokens, wanted):
            kind = "words" if is_word else field
            numbers.setdefault((kind, term), {})[bisect_right(starts, start)] = None
            texts.setdefault((kind, term), file.text[start:end])
        for key, found_on in numbers.items():
            more = max(len(found_on) - LINES_LISTED, 0)
            lines.setdefault(key, []).append(TermLines(file.path, [*found_on][:LINES_LISTED], more))
    return lines, texts


@dataclass(frozen=True, slots=True)
class StandaloneSide:
    """A block on one side: the path of its file, its pieces, and the line of each of their tokens, from 1.

    `others` has for each piece how many other submissions have it, if it is common code, and otherwise 0.
    """

    path: str
    language: str
    runs: list[TokenRun]
    lines: list[int]
    others: list[int]

    @property
    def text(self) -> str:
        return self.runs[0].text

    @property
    def first_line(self) -> int:
        return self.lines[0]

    @property
    def last_line(self) -> int:
        from submissions.matches.source_html import count_lines  # noqa: PLC0415 - in pages only

        start, end = self.runs[-1].spans()[-1]
        return self.lines[-1] + count_lines(self.text[start:end]) - 1

    @property
    def cells(self) -> str:
        """Its lines as people see them in a notebook; else empty."""
        from submissions.matches.source_html import cell_lines, cells_text  # noqa: PLC0415 - in pages only

        return cells_text(cell_lines(self.text, self.language), (self.first_line, self.last_line))


class StandalonePair(NamedTuple):
    """A pair with its blocks, each as its left and its right side; without one, with its shared terms.

    `sides`: where its passages lie on the left and on the right.
    """

    row: PairRow
    passages: Iterator[tuple[StandaloneSide, StandaloneSide]]
    terms: SharedTerms | None
    sides: tuple[list[Stripe], list[Stripe]]


class StandaloneCase(NamedTuple):
    """Submissions that pairs to read connect, and these pairs with their numbers on the page."""

    names: list[str]
    pairs: list[tuple[int, PairRow]]


class Answer(NamedTuple):
    """The answer of a ranking: how many pairs to read, and how many submissions are in none of them.

    `order` has the rows of the ranking, first those of the `to_read` pairs to read, then those of the `whole`
    ones below, and `rows` the figures of these pairs, of `total` compared pairs. `apart` of the class of
    `size` are in no pair to read. `bands` says how many pairs are in each band, as far as all of these are
    ranked. `is_cut`: all ranked pairs are as similar as those to read, and others may be.
    """

    order: list[int]
    rows: list[PairRow]
    to_read: int
    whole: int
    total: int
    apart: int
    size: int
    bands: str
    is_cut: bool = False

    @property
    def heading(self) -> tuple[str, str]:
        """The number of pairs to read; then the submissions in none of them, how to rank more, or an empty text."""
        number = f"{self.to_read:,}" if self.to_read or self.is_cut else "No"
        answer = f"{number} pair{'s' * (self.to_read != 1)} to read"
        if self.is_cut:
            return f"At least {answer}", "--top N ranks more"
        are = "is" if self.apart == 1 else "are"
        return answer, f"{self.apart:,} of {self.size:,} submissions {are} in none of them" * bool(self.to_read)

    def lines(self, listed: int | None) -> list[str]:
        """Return the sentences of the answer, above the first `listed` pairs or all; none without pairs."""
        first = f"{(': ' if self.is_cut else '; ').join(filter(None, self.heading))}."
        is_next = listed is None or self.to_read + self.whole <= listed
        look = "listed next" if is_next else f"look at {'it' if self.whole == 1 else 'them'}"
        what = "below the threshold with an identical file, or one side nearly whole in shared passages"
        least = "At least " * (len(self.rows) < self.total)
        whole = f"{least}{self.whole:,} pair{'s' * (self.whole > 1)} {what}; {look}." * bool(self.whole)
        return [*filter(None, (first, self.bands, whole))] * bool(self.rows)

    def more(self, listed: int | None) -> str:
        """Return how many pairs are not among those `listed`, and how to see them; empty without any."""
        more = self.total - listed if listed else 0
        pairs = "pair" if more == 1 else "pairs"
        return f"{more:,} more {pairs}: list them with --top N or --all." * (more > 0)


class StandaloneReport(NamedTuple):
    """A ranking; `shortfall` is the reason why nothing could be compared, or empty.

    Of the `submissions`, `earlier` are of earlier work and `solutions` are model solutions. `rows` are the
    figures of all pairs, `pairs` the same pairs, each aligned when it is asked for. `shared` says what lines
    most of the class share, and `shared_places` where. `bins` are of all ranked pairs. With `most_characters`
    the page has less than these, and pairs to read and the best of each submission only.
    """

    title: str
    submissions: int
    earlier: int
    solutions: int
    common_limit: int | None
    counts_alike_as_one: bool
    engine_version: int
    score_version: int
    k: int
    rows: list[PairRow]
    pairs: Iterable[StandalonePair]
    skipped: Sequence[tuple[str, str]]
    shortfall: str
    shared: str
    shared_places: Sequence[str]
    answer: Answer
    threshold: float
    bins: list[PairBin]
    cases: list[StandaloneCase]
    most_characters: int
