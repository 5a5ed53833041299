"""Differences between matching passages: lines and tokens that two students wrote differently.

Equal texts, lines or words, are matched in an order that both sides have. Lines go side by side for printing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, pairwise, takewhile, zip_longest
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fingerprint.engine import TokenStream

    LineText = Callable[[int], str]


# Product of the numbers of texts that are matched: the time can grow with more than it.
MAX_ALIGNED = 10_000

# One renaming explains so much of the further occurrences of names, if there are so many: the names of
# unrelated programs follow no renaming, but by chance a few do.
NEARLY_ALL, LEAST_REPEATS = 0.9, 10
MAX_EXAMPLES = 5
# Characters of a lexeme that an example shows.
MAX_EXAMPLE_CHARACTERS = 40
# Characters of a lexeme that are read to make an example.
MAX_LEXEME_CHARACTERS = 400
# Product of the numbers of words that are aligned in two lexemes.
MAX_ALIGNED_WORDS = 1_000
# Tokens beside a run among which the one that it begins or ends with on the other side is looked for.
MAX_BESIDE = 16
WORD = re.compile(r"\w+|\s+|[^\w\s]")
# What only a lexeme of several names, or of text, contains.
SEVERAL = re.compile(r"[\s,]")
LITERAL = re.compile(r"\d|\.\d|[A-Za-z@$]{0,2}[\"'`]")


def matching_runs(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int, int]]:
    """Return the runs of equal texts in an order that both sides have: both first indexes, and the number.

    The runs have the most characters together. With exchanged sides, or with more texts that only one side
    has, the same texts match. No runs are returned for too many texts.
    """
    if len(left) * len(right) > MAX_ALIGNED:
        return []
    runs: list[tuple[int, int, int]] = []
    for at, other in _matches(left, right):
        if runs and (at, other) == (runs[-1][0] + runs[-1][2], runs[-1][1] + runs[-1][2]):
            runs[-1] = (*runs[-1][:2], runs[-1][2] + 1)
        else:
            runs.append((at, other, 1))
    return runs


def _matches(left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of the texts of both sides that match, in order."""
    common = {*left} & {*right}
    rows, columns = ([at for at, one in enumerate(side) if one in common] for side in (left, right))
    best = _most_characters([left[at] for at in rows], [right[at] for at in columns])
    row = column = 0
    while row < len(rows) and column < len(columns):
        on_left, on_right = left[rows[row]], right[columns[column]]
        without_left, without_right = best[row + 1][column], best[row][column + 1]
        if on_left == on_right:
            yield rows[row], columns[column]
            row, column = row + 1, column + 1
        # Of two ways that are as good, the text decides, so that both sides go the same.
        elif (without_left, on_right) > (without_right, on_left):
            row += 1
        else:
            column += 1


def _most_characters(left: Sequence[str], right: Sequence[str]) -> list[list[int]]:
    """Return for each place on both sides how many characters the texts from there on can have in common."""
    best = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for row in reversed(range(len(left))):
        for column in reversed(range(len(right))):
            if left[row] == right[column]:
                best[row][column] = best[row + 1][column + 1] + max(1, len(left[row]))
            else:
                best[row][column] = max(best[row + 1][column], best[row][column + 1])
    return best


class LinePair(NamedTuple):
    """Numbers, from 1, of lines that are side by side; None where only the other side has a line."""

    left: int | None
    right: int | None


class _LineGroup(NamedTuple):
    """First and last lines of both sides that contain the same tokens."""

    left_first: int
    left_last: int
    right_first: int
    right_last: int


def align_lines(
    lines: Iterable[tuple[int, int]], last: tuple[int, int], texts: tuple[LineText, LineText]
) -> Iterator[LinePair]:
    """Yield the pairs of lines of a passage, in order.

    Every line of a side, from its first token to its `last` line, is in exactly one pair. Lines on which no
    token begins, such as comments, are paired if their text is equal; other such lines from the first on.

    Parameters
    ----------
    lines
        The (left, right) lines, from 1, on which each token of the passage begins.
    last
        The last line of the passage on the left and on the right.
    texts
        Return the text of a line on the left and on the right.
    """
    next_left = next_right = 0
    for group in _line_groups(lines):
        if next_left:
            gap = range(next_left, group.left_first), range(next_right, group.right_first)
            yield from _pair_gap(*gap, texts)
        next_left, next_right = group.left_last + 1, group.right_last + 1
        yield from _pair_lines(range(group.left_first, next_left), range(group.right_first, next_right))
    if next_left:
        yield from _pair_gap(range(next_left, last[0] + 1), range(next_right, last[1] + 1), texts)


def _pair_gap(left: range, right: range, texts: tuple[LineText, LineText]) -> Iterator[LinePair]:
    """Yield pairs of the lines between two groups, where equal lines that are not blank are paired."""
    keys, other_keys = (
        {line: key for line in lines if (key := "".join(text(line).split()))}
        for text, lines in zip(texts, (left, right), strict=True)
    )
    lines, others = list(keys), list(other_keys)
    next_left, next_right = left.start, right.start
    for at, other, size in matching_runs([*keys.values()], [*other_keys.values()]):
        for equal in zip(lines[at : at + size], others[other : other + size], strict=True):
            yield from _pair_lines(range(next_left, equal[0]), range(next_right, equal[1]))
            yield LinePair(*equal)
            next_left, next_right = equal[0] + 1, equal[1] + 1
    yield from _pair_lines(range(next_left, left.stop), range(next_right, right.stop))


def _pair_lines(left: range, right: range) -> Iterator[LinePair]:
    return (LinePair(*lines) for lines in zip_longest(left, right))


def _line_groups(lines: Iterable[tuple[int, int]]) -> Iterator[_LineGroup]:
    """Yield groups of lines; tokens that share a line on either side are in the same group."""
    group: _LineGroup | None = None
    for left, right in lines:
        if group and (left <= group.left_last or right <= group.right_last):
            group = group._replace(left_last=max(left, group.left_last), right_last=max(right, group.right_last))
            continue
        if group:
            yield group
        group = _LineGroup(left, left, right, right)
    if group:
        yield group


class Difference(NamedTuple):
    """A token that both sides wrote differently: its position in the passage, from 0, and both lexemes."""

    position: int
    left: str
    right: str


class DifferenceExample(NamedTuple):
    """Two lexemes that stand for each other, and how often they do in the passage."""

    left: str
    right: str
    times: int


class DifferenceSummary(NamedTuple):
    """The lexemes on the left, by category, that the right side writes differently, with `examples`.

    A name that was changed in forty places is one. `keywords` includes types, and `signs` are operators and
    punctuation. `comments` counts the gaps between two neighbouring tokens in which comments differ, `gaps`
    those with other text that is not compared, such as imports, `capitals` the keywords that differ in these
    alone. `names_written` counts each name on the left with the name in its place on the right, also where both
    are the same; `replaced` counts the lexemes that differ.
    """

    names: frozenset[str]
    literals: frozenset[str]
    keywords: frozenset[str]
    signs: frozenset[str]
    comments: int
    gaps: int
    capitals: int
    examples: list[DifferenceExample]
    names_written: Counter[tuple[str, str]]
    replaced: Counter[tuple[str, str]]


CATEGORIES = DifferenceSummary._fields[:4]


def count_changed(summaries: Sequence[DifferenceSummary]) -> dict[str, int]:
    """Return how many different lexemes of each category were changed in any of the passages."""
    return {category: len(frozenset().union(*(getattr(one, category) for one in summaries))) for category in CATEGORIES}


def is_one_renaming(summaries: Iterable[DifferenceSummary]) -> bool:
    """Return whether one renaming explains nearly all names that stand in the same places on both sides.

    A name that occurs once is explained by any other name. So only further occurrences tell: each name on one
    side has to stand where the same name stands on the other side. A name that mostly stands where it stands
    itself was not changed. Of the names that differ alone it has to explain nearly all, too.
    """
    written: Counter[tuple[str, str]] = Counter()
    for summary in summaries:
        written.update(summary.names_written)
    rows = written.most_common()[::-1]  # The last one of a name stays, the most frequent.
    by_right = {right: (left, times) for (left, right), times in rows}
    by_left = {left: (right, times) for (left, right), times in rows}
    if any(left != right and by_left[left][0] == left for left, right in written):
        return False
    chosen = {left: times for left, (right, times) in by_left.items() if by_right[right] == (left, times)}
    repeats, differing = written.total() - len(by_left), [both for both in written if both[0] != both[1]]
    explained = sum(written[both] for both in differing if chosen.get(both[0]) and by_left[both[0]][0] == both[1])
    if explained < NEARLY_ALL * sum(written[both] for both in differing):
        return False
    return repeats >= LEAST_REPEATS and sum(chosen.values()) - len(chosen) >= NEARLY_ALL * repeats


def exchanged(summaries: Collection[DifferenceSummary]) -> set[tuple[str, str]]:
    """Return the words that differ as parts, such as functions, are exchanged; none where it can be names alone."""
    names = {both for one in summaries for both in one.names_written}
    words = {both for one in summaries for both in one.replaced}
    lefts, rights = ({both[at] for both in words} for at in (0, 1))
    on_both_sides = {both for both in words if both[0] in rights and both[1] in lefts}
    is_order = any(both not in names or (both[0], both[0]) in names for both in on_both_sides)
    return on_both_sides if is_order and on_both_sides & names else set()


def renamed_names(written: Counter[tuple[str, str]]) -> Iterator[tuple[tuple[str, str], int]]:
    """Yield the names with another one in their place, and how often; one that also stands opposite itself stays."""
    kept = {left for left, right in written if left == right}
    return ((both, times) for both, times in written.most_common() if kept.isdisjoint(both))


@dataclass(frozen=True, slots=True)
class TokenRun:
    """`count` tokens of a text, from token `first` on.

    At the offsets `keywords` of the text keywords and types begin, at `builtins` names of the language, at
    `strings` parts of strings; one with code in it is several tokens. `comments` are [start, end), in order.
    """

    text: str
    tokens: TokenStream
    first: int
    count: int
    comments: Sequence[tuple[int, int]] = ()
    keywords: Container[int] = ()
    builtins: Container[int] = ()
    strings: Container[int] = ()

    def lexemes(self) -> list[str]:
        return [self.text[start:end] for start, end in self.spans()]

    def beside(self, *, after: bool) -> list[str]:
        """Return the lexemes of tokens before or after the run, the nearest first."""
        edge = self.first + after * self.count
        first, last = (edge, edge + MAX_BESIDE) if after else (max(edge - MAX_BESIDE, 0), edge)
        return replace(self, first=first, count=last - first).lexemes()[:: 1 if after else -1]

    def gaps(self) -> Iterator[tuple[str, str]]:
        """Yield the comments and the other text between neighbouring tokens, without white space."""
        for (_, end), (start, _) in pairwise(self.spans()):
            comments = self.comments[slice(*(bisect_left(self.comments, (at,)) for at in (end, start)))]
            edges = pairwise([end, *chain(*comments), start])
            parts = ["".join(self.text[first:after].split()) for first, after in edges]
            yield "".join(parts[1::2]), "".join(parts[::2])

    def spans(self) -> list[tuple[int, int]]:
        """Return the code points [start, end) of every token."""
        part = slice(self.first, self.first + self.count)
        return list(zip(self.tokens.starts[part].tolist(), self.tokens.ends[part].tolist(), strict=True))

    def is_name(self, position: int) -> bool:
        """Return whether the token at `position`, from 0, of the run is a name that people can change."""
        is_builtin = int(self.tokens.starts[self.first + position]) in self.builtins
        return not is_builtin and self.category(position) == "names"

    def category(self, position: int) -> str:
        """Return the field of `DifferenceSummary` that counts the token at `position`, from 0, of the run."""
        start = int(self.tokens.starts[self.first + position])
        if start in self.keywords:
            return "keywords"
        if start in self.strings or LITERAL.match(self.text, start):
            return "literals"
        first = self.text[start]
        return "names" if first.isalpha() or first in "_$@" else "signs"


def differences(left: TokenRun, right: TokenRun) -> list[Difference]:
    """Return the tokens of two runs of equal tokens whose lexemes differ, in order, without `displaced_tokens`."""
    lexemes, displaced = zip(left.lexemes(), right.lexemes(), strict=True), displaced_tokens(left, right)
    differing = (Difference(position, *pair) for position, pair in enumerate(lexemes) if pair[0] != pair[1])
    return [difference for difference in differing if difference.position not in displaced]


def displaced_tokens(left: TokenRun, right: TokenRun) -> set[int]:
    """Return the positions at the ends of two runs of equal tokens at which neither replaces the other.

    By chance, a run can go on where one side has more: in `total = 0` and `total: int = 0`, `total` is opposite
    `int`, and is before it, too.
    """
    both, displaced = list(zip(left.lexemes(), right.lexemes(), strict=True)), set[int]()
    for after in (False, True):
        places = range(left.count)[:: -1 if after else 1]
        ends = list(takewhile(lambda at: both[at][0] != both[at][1], places))
        if ends:
            beside = left.beside(after=after), right.beside(after=after)
            displaced.update(ends[at] for at in _matched_beside(beside, [both[at] for at in ends]))
    return displaced


def _matched_beside(beside: tuple[list[str], list[str]], ends: list[tuple[str, str]]) -> Iterator[int]:
    """Yield the numbers of the `ends` of two runs that have a text which matches one `beside` the other run.

    The outermost has to be next to the other run, or there next to the same text as here.
    """
    sides = [([one, *here[:1]], there) for one, here, there in zip(ends[0], beside, beside[::-1], strict=True)]
    is_beside = any(one[:1] == there[:1] or one in map(list, pairwise(there)) for one, there in sides)
    if is_beside and beside[0][:1] != beside[1][:1]:
        texts = [[*near[::-1], *(both[side] for both in ends)] for side, near in enumerate(beside)]
        for *firsts, size in matching_runs(*texts):
            numbers = (at + n - len(near) for at, near in zip(firsts, beside, strict=True) for n in range(size))
            yield from (number for number in numbers if number >= 0)


class DifferingPart(NamedTuple):
    """A part that two lexemes write differently, as characters [start, end) of each; one may be empty."""

    left: tuple[int, int]
    right: tuple[int, int]


def differing_parts(left: str, right: str) -> list[DifferingPart]:
    """Return the parts of two lexemes in which their words differ, in order.

    A word is not divided. Parts with only white space between them are merged. Where too many words differ to
    align them, one part goes from the first to the last differing word.
    """
    words, others = WORD.findall(left), WORD.findall(right)
    first, last = _equal_ends(words, others)
    middle, other_middle = words[first : len(words) - last], others[first : len(others) - last]
    few = len(middle) * len(other_middle) <= MAX_ALIGNED_WORDS
    runs = matching_runs(middle, other_middle) if few else []
    edges = [(0, 0, 0), *runs, (len(middle), len(other_middle), 0)]
    parts: list[DifferingPart] = []
    starts, other_starts = (list(accumulate(map(len, side), initial=0)) for side in (words, others))
    for (at, other, size), (after, other_after, _) in pairwise(edges):
        part = DifferingPart(
            (starts[first + at + size], starts[first + after]),
            (other_starts[first + other + size], other_starts[first + other_after]),
        )
        if part.left[0] == part.left[1] and part.right[0] == part.right[1]:
            continue
        if parts and left[parts[-1].left[1] : part.left[0]].isspace():
            previous = parts.pop()
            part = DifferingPart((previous.left[0], part.left[1]), (previous.right[0], part.right[1]))
        parts.append(part)
    return [_without_equal_ends(part, left, right) for part in parts]


def differing_spans(run: TokenRun, other: TokenRun) -> Iterator[tuple[tuple[int, int], Difference, str]]:
    """Yield the code points [start, end) of parts that the other run writes differently, the token, and that part."""
    spans = run.spans()
    for difference in differences(run, other):
        start, _ = spans[difference.position]
        for (first, after), there in differing_parts(difference.left, difference.right):
            if first < after:
                yield (start + first, start + after), difference, difference.right[slice(*there)]


def _without_equal_ends(part: DifferingPart, left: str, right: str) -> DifferingPart:
    """Return a part without what both sides begin or end with: parts that became one may have such words."""
    words, others = WORD.findall(left[slice(*part.left)]), WORD.findall(right[slice(*part.right)])
    first, last = _equal_ends(words, others)
    before, after = sum(map(len, words[:first])), sum(map(len, words[len(words) - last :]))
    return DifferingPart((part.left[0] + before, part.left[1] - after), (part.right[0] + before, part.right[1] - after))


def _equal_ends(words: Sequence[str], others: Sequence[str]) -> tuple[int, int]:
    """Return how many words both sides begin with, and how many of the rest both end with."""
    first = _equal_count(zip(words, others, strict=False))
    return first, _equal_count(zip(words[first:][::-1], others[first:][::-1], strict=False))


def _equal_count(pairs: Iterable[tuple[str, str]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def summarise_runs(runs: Iterable[tuple[TokenRun, TokenRun]], shorten: Callable[[str], str] = str) -> DifferenceSummary:
    """Collect the `differences` of pairs of runs of equal tokens by category, and choose examples."""
    changed: dict[str, set[str]] = {category: set() for category in CATEGORIES}
    capitals, gaps, written, replaced = 0, Counter[int](), Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for left, right in runs:
        both, displaced = zip(left.lexemes(), right.lexemes(), strict=True), displaced_tokens(left, right)
        names = (pair for at, pair in enumerate(both) if at not in displaced and left.is_name(at) and right.is_name(at))
        written.update(pair for pair in names if not any(map(SEVERAL.search, pair)))
        for difference in differences(left, right):
            category = left.category(difference.position)
            if category == "keywords" and difference.left.casefold() == difference.right.casefold():
                capitals += 1
                continue
            changed[category].add(difference.left)
            replaced[difference.left, difference.right] += 1
        for both_gaps in zip(left.gaps(), right.gaps(), strict=True):
            gaps.update(kind for kind, (one, other) in enumerate(zip(*both_gaps, strict=True)) if one != other)
    return DifferenceSummary(
        **{category: frozenset(lexemes_of) for category, lexemes_of in changed.items()},
        comments=gaps[0],
        gaps=gaps[1],
        capitals=capitals,
        examples=[DifferenceExample(shorten(a), shorten(b), n) for (a, b), n in replaced.most_common(MAX_EXAMPLES)],
        names_written=written,
        replaced=replaced,
    )


def shorten_lexeme(lexeme: str) -> str:
    """Return a lexeme on one line of at most MAX_EXAMPLE_CHARACTERS characters."""
    line = " ".join(lexeme[:MAX_LEXEME_CHARACTERS].split())
    return line if len(line) <= MAX_EXAMPLE_CHARACTERS else f"{line[: MAX_EXAMPLE_CHARACTERS - 1]}…"
