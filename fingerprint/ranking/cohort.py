"""The submissions of a cohort as arrays for the kernels, with the ignored tokens marked.

Common code is ignored too: it looks like a template, since many submissions that are otherwise unlike have
it. Heads of functions and the lines before them say little without their neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from fingerprint.distinct import distinct_values, numbered
from fingerprint.hashing import kgram_hashes
from fingerprint.kernels.registry import kernel
from fingerprint.kernels.types import (
    Bounds,
    Counts,
    Flags,
    Floats,
    Hashes,
    Ids,
    Kinds,
    Lines,
    PartCounts,
    Positions,
    Rows,
)
from fingerprint.languages import salts
from fingerprint.ranking import score_constants as constants
from fingerprint.ranking.alignment import (
    CohortTokens,
    IndexedTokens,
    index_tokens,
    long_kgrams,
    slice_submission,
    unmatch_collisions,
)
from fingerprint.ranking.candidates import InvertedIndex, Postings, add_shared, owner_weights, postings
from fingerprint.ranking.file_pairs import FileLabels, file_table
from fingerprint.ranking.weights import document_frequency, table_tokens, token_weights
from fingerprint.tokens import kind_marks, mark_table

Marks = npt.NDArray[np.uint8]


# Common limit in force: code in more than so many submissions is common code; None for no limit.
CommonLimit = int | Literal["default"] | None
# A sum of the same weights in another order differs by less than this part of it, and decides nothing.
ROUNDING = 1e-9

# Words whose line is a head; in other languages a head ends with an opening brace.
HEAD_WORDS = {
    "python": ("def", "class"), "ruby": ("def", "class", "module"), "matlab": ("function",),
    "pascal": ("procedure", "function"), "ada": ("procedure", "function"),
    "fortran": ("subroutine", "function"), "vb": ("sub", "function"),
}  # fmt: skip
# A line with one of these and such a word is no head: `end function`, `exit sub`.
LEAVING_WORDS = {"fortran": ("end",), "vb": ("end", "exit")}
# Languages whose statements have an end that is seen: so a head may have several lines.
WITH_SEMICOLONS = ("c", "cpp", "csharp", "java", "php", "perl", "glsl", "hlsl")
OPENING, CLOSING = "{", "}"
# Lines before a head that belong to no function.
IMPORT_WORDS = ("import", "from")
# A line with one of these is no head: what is inserted after a condition makes no other function of it.
CONTROL_WORDS = (
    "if", "else", "elif", "for", "foreach", "while", "do", "switch", "case", "try", "catch", "finally",
    "with", "using", "lock", "synchronized", "unless", "until", "loop", "match", "select",
)  # fmt: skip


# A token may have several of these marks, one bit each.
WORD, CONTROL, OPENS, CLOSES, ENDS, IMPORTS, LEAVES, SEMICOLONS = (1 << bit for bit in range(8))
MARKED = (
    (CONTROL, CONTROL_WORDS), (OPENS, (OPENING,)), (CLOSES, (CLOSING,)),
    (ENDS, (CLOSING, ";")), (IMPORTS, IMPORT_WORDS),
)  # fmt: skip


def default_limit(programs: float) -> int:
    """Return the common limit of a cohort of so many programs, submissions that are alike counted as one."""
    return max(constants.LEAST_COMMON, int(programs * constants.COMMON_PART))


@kernel
def _count_alike(table: Postings, parts: Floats, counts: PartCounts) -> None:
    """Add 1 to the counts of both owners of each pair that shares at least each of the `parts`."""
    weights, owners = owner_weights(table), len(table.value_starts) - 1
    weight = np.zeros(owners)
    shared, partners = np.zeros(owners, dtype=np.int32), np.empty(owners, dtype=np.int32)
    for left in range(owners):
        partner_count = add_shared(table, left, weight, shared, partners)
        for right in partners[:partner_count]:
            heavier = (1 - ROUNDING) * max(weights[left], weights[right])
            for row in range(len(parts)):
                if weight[right] >= parts[row] * heavier:
                    counts[row, left] += 1
                    counts[row, right] += 1
            weight[right], shared[right] = 0.0, 0


def count_alike(
    index: InvertedIndex, submissions: int, parts: tuple[float, ...] = (constants.ALIKE_PART, constants.RELATED_PART)
) -> PartCounts:
    """Return how many submissions share at least each of the parts with each submission, itself included.

    Returns: int32 [parts, submissions].
    """
    table, counts = postings(index), np.ones((len(parts), submissions), dtype=np.int32)
    _count_alike(table, np.array(parts), counts)
    return counts


@kernel
def count_programs(ids: Ids, bounds: Bounds, distinct: int, parts: Floats) -> Floats:
    """Return the number of programs that contain each id, as the sum of the `parts` of their submissions.

    The ids of submission d are `ids[bounds[d]:bounds[d + 1]]`.
    """
    programs = np.zeros(distinct)
    last = np.full(distinct, -1, dtype=np.int32)
    for owner in range(len(bounds) - 1):
        for kgram in ids[bounds[owner] : bounds[owner + 1]]:
            if last[kgram] != owner:
                last[kgram] = owner
                programs[kgram] += parts[owner]
    return programs


@cache
def _mark_table() -> tuple[Kinds, Marks]:
    """Return the kinds that have marks, in all tuned languages, and their marks, see `mark_table`."""
    families = salts()
    marked = [(WORD, families[name], word) for name, texts in HEAD_WORDS.items() for word in texts]
    marked += [(LEAVES, families[name], word) for name, texts in LEAVING_WORDS.items() for word in texts]
    marked += [(SEMICOLONS, families[name], OPENING) for name in WITH_SEMICOLONS]
    marked += [(mark, one, lexeme) for mark, texts in MARKED for lexeme in texts for one in set(families.values())]
    return mark_table(marked)


class LineMarks(NamedTuple):
    """The lines of a cohort by the marks of their tokens, as parallel arrays.

    `any`, `last`: the marks of all tokens and of the last one; `sizes`, `opened`, `closed`, `ends` int64: how
    many tokens there are, and how many have the mark.
    """

    any: Marks
    last: Marks
    sizes: Positions
    opened: Positions
    closed: Positions
    ends: Positions

    def have(self, mark: int) -> Flags:
        """Return which lines have a token with the mark."""
        flags: Flags = self.any & mark > 0
        return flags


def mark_lines(kinds: Kinds, firsts: Positions) -> LineMarks:
    """Return the marks of the lines whose first tokens are `firsts`, in order; no line is empty."""
    marks = kind_marks(kinds, _mark_table())
    lasts = np.append(firsts[1:], len(kinds)) - 1
    counts = (np.add.reduceat((marks & mark) > 0, firsts, dtype=np.int64) for mark in (OPENS, CLOSES, ENDS))
    return LineMarks(np.bitwise_or.reduceat(marks, firsts), marks[lasts], lasts + 1 - firsts, *counts)


def head_lines(lines: LineMarks) -> Flags:
    """Return which lines are heads, or are followed by a line with an opening brace alone: bool [lines]."""
    has_control = lines.have(CONTROL)
    opens = lines.last & OPENS > 0
    alone = opens & (lines.sizes == 1)
    # A brace alone belongs to the line before it.
    has_control[1:] |= alone[1:] & has_control[:-1]
    heads: Flags = lines.have(WORD) & ~lines.have(LEAVES) | (opens & ~has_control)
    heads[:-1] |= alone[1:] & ~has_control[:-1]
    return heads


def first_lines(lines: LineMarks, heads: Flags) -> Flags:
    """Return which lines of a file begin a head that ends on a later one: no statement ends before its brace.

    Such lines have parameters, annotations, and what a constructor calls.
    """
    goes_on = ((lines.last & (ENDS | OPENS)) == 0) & ~lines.have(CONTROL)
    numbers = np.arange(len(heads))
    following = np.minimum.accumulate(np.where(goes_on, len(heads) - 1, numbers)[::-1])[::-1]
    begins: Flags = goes_on & (heads & (lines.last & SEMICOLONS > 0))[following]
    return begins


def tail_lines(lines: LineMarks, heads: Flags) -> Flags:
    """Return which lines end the code before a head: a last statement, and braces after it; bool [lines]."""
    closers = (lines.closed > 0) & (lines.ends == lines.sizes)
    numbers = np.arange(len(heads))
    next_other = np.minimum.accumulate(np.where(closers, len(heads) - 1, numbers)[::-1])[::-1]
    following = np.minimum(numbers + 1, len(heads) - 1)
    ends_block = (
        closers[following] | (lines.closed > lines.opened) | (lines.have(WORD)[following] & ~lines.have(IMPORTS))
    )
    tails: Flags = heads[next_other[following]] & ends_block & ~heads
    return tails


def after_heads(heads: Flags, firsts: Positions, ends: Positions, file_starts: Bounds) -> Positions:
    """Return where the line after each line and its heads ends, given where each begins and ends: int64.

    That is its own end where it is no head, or nothing follows in its file. A head is at most two thirds of
    what it ends with, which may be after its file, so that it never stays alone.
    """
    lines = np.arange(len(heads))
    following = np.where(heads, len(heads) - 1, lines)
    result = ends[np.minimum.accumulate(following[::-1])[::-1]]
    file_ends = file_starts[np.searchsorted(file_starts, firsts, side="right")] - 1
    longer = np.maximum(result, ends + _half(firsts, ends))
    return np.where(heads & (result <= file_ends), longer, np.minimum(result, file_ends))


def before_tails(tails: Flags, firsts: Positions, ends: Positions, file_starts: Bounds) -> Positions:
    """Return where the line before each line and its tails begins, as `after_heads`; in the same file."""
    lines = np.arange(len(tails))
    result = firsts[np.maximum.accumulate(np.where(tails, 0, lines))]
    result = np.where(tails, np.minimum(result, firsts - _half(firsts, ends)), result)
    return np.maximum(result, file_starts[np.searchsorted(file_starts, firsts, side="right") - 1])


def _half(firsts: Positions, ends: Positions) -> Positions:
    return (ends - firsts + 1) // 2


@kernel
def _mark_covered(marked: Flags, k: int, covered: Flags) -> None:
    """Mark every token that lies in a marked k-gram."""
    until = 0
    for at in range(len(covered)):
        if at < len(marked) and marked[at]:
            until = at + k
        covered[at] = at < until


class RunningSums(NamedTuple):
    """Running sums over the t tokens of a cohort: arrays [t + 1]; tokens i to j - 1 sum to `x[j] - x[i]`.

    `weight` float64: weights of tokens; `kept` int32: number of tokens that are not boilerplate; `with_common` int32:
    those of them that count in tables of literals, see `table_tokens`; `counted` int32: number of tokens that shares
    count, `with_common` without common code. Separators add to none. `line_numbers` int32 is not a sum but the line
    that a token begins on. Lines are numbered through all files of the cohort, without those on which no token begins.
    Tokens i to j - 1 of one file lie on `line_numbers[j - 1] - line_numbers[i] + 1` lines.
    """

    weight: Floats
    kept: Counts
    with_common: Counts
    counted: Counts
    line_numbers: Ids


@dataclass(frozen=True, slots=True)
class Cohort:
    """n submissions with f files and t tokens in all: one file after another, a separator after each.

    `file_starts` int64 [f + 1]: position at which each file begins; `indexed`: the tokens of all submissions,
    and where each submission begins, see `CohortTokens`; `frequency` int32 [t]: number of counted submissions
    that contain the k-gram that starts at a token (0 where none starts); `sums`: see `RunningSums`;
    `boilerplate` uint64: hashes of those k-grams of boilerplate that the cohort contains; `common` bool [t]:
    whether the k-gram that starts at a token is common code; `limit`: the common limit in force, None for
    none; `renamed` int64 [n, 2]: see `renamed_groups`, -1 by default; `spare` float64 [n]: number of tokens
    that do not count because they are in tables of literals without names.
    """

    k: int
    file_starts: Bounds
    indexed: CohortTokens
    frequency: Ids
    sums: RunningSums
    boilerplate: Hashes
    common: Flags
    limit: int | None
    renamed: Rows
    spare: Floats

    def __len__(self) -> int:
        return len(self.submission_starts) - 1

    @property
    def tokens(self) -> IndexedTokens:
        return self.indexed.tokens

    @property
    def submission_starts(self) -> Bounds:
        return self.indexed.submission_starts

    @property
    def order_starts(self) -> Bounds:
        return self.indexed.order_starts

    @classmethod
    def from_submissions(
        cls,
        submissions: Sequence[Sequence[Kinds]],
        k: int,
        boilerplate: Sequence[Kinds] = (),
        limit: int | None = None,
        lines: Sequence[Lines] | None = None,
        *,
        parts: Floats | None = None,
        counted: Flags | None = None,
        starter: Sequence[Kinds] = (),
        labels: FileLabels | None = None,
        shared: Sequence[Kinds] = (),
        whole_lines: bool = True,
    ) -> Cohort:
        """Build a cohort from the token kinds of every file of every submission.

        K-grams of `boilerplate` count nowhere, in over `limit` submissions in no share, of `shared` with no weight.
        `lines`: the line of each token, for one file after another; by default each token has its own line.
        `parts`: the part in [0, 1] of a program that each submission counts for the limit; by default 1.
        `counted`: whether a submission counts for what is rare; in others, k-grams of `starter` do not count.
        `labels`: see `file_table`. Unless `whole_lines`, passages end anywhere, see `trim_to_lines`.
        """
        kinds, file_starts, starts = _concatenate(submissions)
        (values, ids), (spare, in_values) = numbered(kgram_hashes(kinds, k)), table_tokens(kinds, file_starts, k)
        bounds, alone = np.minimum(starts, len(ids)), np.full((len(submissions), 2), -1, dtype=np.int64)
        contained, frequency, programs = _frequencies(ids, bounds, len(values), counted, parts)
        is_boilerplate, of_most = (np.isin(values, distinct_kgrams(of, k)) for of in (boilerplate, shared))
        common = of_most if limit is None else (programs > limit) | of_most
        is_starter = np.isin(values, distinct_kgrams(starter, k))[ids] & _old_places(bounds, counted)
        flags, weightless = _flags(is_boilerplate[ids] | is_starter, common[ids], of_most[ids], len(kinds), k)
        extents = _unit_extents(kinds, lines if whole_lines else None, file_starts, starts)
        kgrams = _matchable_kgrams(kinds, _numbers(~is_boilerplate & (contained > 1))[ids], is_starter, k)
        both, files = (kgrams, long_kgrams(kgrams, k, starts)), (file_starts, starts, labels)
        indexed = index_tokens(kinds, both, flags, starts, extents, files=file_table(submissions, *files))
        padded, is_common = _at_kgrams(frequency[ids], common[ids], len(kinds))
        weights = token_weights(ids, frequency, (file_starts, starts), weightless | spare, k)
        sums = _running_sums(weights, flags, spare, file_starts, _line_numbers(lines, file_starts))
        tables = np.diff(_sums(in_values & ~flags[0], np.float64)[starts])
        return cls(k, file_starts, indexed, padded, sums, values[is_boilerplate], is_common, limit, alone, tables)

    @property
    def distinct(self) -> tuple[int, int]:
        """Number of distinct k-grams that two submissions contain, and of long ones."""
        tokens = self.tokens
        kgrams, long = tokens.ordered_kgrams, tokens.long.ordered_kgrams
        return 1 + int(kgrams.max(initial=-1)), 1 + int(long.max(initial=-1))

    def submission(self, number: int) -> IndexedTokens:
        """Return the tokens of one submission, with positions counted from its own first token."""
        return slice_submission.py_func(self.indexed, number)

    def different_kgrams(self, number: int) -> float:
        """Return how many k-grams of a submission differ, of those that begin where tokens have weight.

        It is the number of equally frequent ones of which two would be equal as often: of n k-grams, n if each
        occurs once, and hardly more than those of one statement if most are of similar statements.
        """
        low, high = self.submission_starts[number : number + 2].tolist()
        kgrams = self.tokens.kgrams[low:high][np.diff(self.sums.weight[low : high + 1]) > 0]
        counts = np.bincount(numbered(kgrams[kgrams >= 0])[1]).astype(np.float64)
        return float(counts.sum() ** 2 / max(1.0, (counts**2).sum()))

    def ignored_spans(self) -> list[list[tuple[int, int, bool]]]:
        """Return the token ranges [start, end) of each file that do not count, in order.

        Of each it says whether it is in a table of literals, and not boilerplate or common code.
        """
        counted = np.diff(self.sums.counted) > 0
        counted[self.file_starts[1:] - 1] = True  # separators
        reasons = np.where(self.tokens.ignored, 1, np.where(counted, 0, 2))
        edges = np.flatnonzero(np.diff(reasons, prepend=0, append=0))
        starts, ends = edges[:-1], edges[1:]
        chosen = reasons[starts] > 0
        starts, ends = starts[chosen], ends[chosen]
        files = np.searchsorted(self.file_starts, starts, side="right") - 1
        firsts = self.file_starts[files]
        columns = (starts - firsts).tolist(), (ends - firsts).tolist(), (reasons[starts] > 1).tolist()
        spans = list(zip(*columns, strict=True))
        places = np.searchsorted(files, np.arange(len(self.file_starts)))
        return [spans[first:after] for first, after in pairwise(places.tolist())]


def _numbers(matchable: Flags) -> Ids:
    """Return the number of each matchable k-gram, and -1 for the others.

    Numbers without gaps keep the tables of the kernels small: most k-grams are in one submission only.
    """
    return np.where(matchable, np.cumsum(matchable) - 1, -1).astype(np.int32)


def _concatenate(submissions: Sequence[Sequence[Kinds]]) -> tuple[Kinds, Bounds, Bounds]:
    """Return the kinds of all files with separators, and where files and where submissions begin."""
    files = [kinds for submission in submissions for kinds in submission]
    # Separators count down from the largest number. Each occurs once, so that no run crosses a file's end.
    separators = np.uint64(2**64 - 1) - np.arange(len(files), dtype=np.uint64)
    parts = [part for pair in zip(files, separators[:, None], strict=True) for part in pair]
    starts = np.cumsum([0, *(len(kinds) + 1 for kinds in files)], dtype=np.int64)
    firsts = np.cumsum([0, *(len(submission) for submission in submissions)])
    return np.concatenate([np.empty(0, np.uint64), *parts]), starts, starts[firsts]


def distinct_kgrams(sources: Sequence[Kinds], k: int) -> Hashes:
    """Return the hashes of all k-grams of the sources, ascending."""
    hashes = (kgram_hashes(kinds, k) for kinds in sources)
    return distinct_values(np.concatenate([np.empty(0, np.uint64), *hashes]))


def _covered(marked: Flags, tokens: int, k: int) -> Flags:
    covered = np.zeros(tokens, dtype=np.bool_)
    _mark_covered(marked, k, covered)
    return covered


def _frequencies(
    ids: Ids, bounds: Bounds, distinct: int, counted: Flags | None, parts: Floats | None
) -> tuple[Ids, Ids, Ids | Floats]:
    """Return how many submissions, counted submissions and programs contain each id."""
    contained = frequency = document_frequency(ids, bounds, distinct)
    if counted is not None:
        frequency = count_programs(ids, bounds, distinct, counted.astype(np.float64)).astype(np.int32)
    programs = frequency if parts is None else count_programs(ids, bounds, distinct, parts)
    return contained, frequency, programs


def _at_kgrams(frequency: Ids, common: Flags, tokens: int) -> tuple[Ids, Flags]:
    """Return the columns of k-grams as columns of tokens, at the last of which none starts."""
    padded, is_common = np.zeros(tokens, dtype=np.int32), np.zeros(tokens, dtype=np.bool_)
    padded[: len(frequency)], is_common[: len(common)] = frequency, common
    return padded, is_common


def _flags(boilerplate: Flags, common: Flags, of_most: Flags, tokens: int, k: int) -> tuple[tuple[Flags, Flags], Flags]:
    """Return which tokens are boilerplate, and which that or common code; and which have no weight.

    The first three are flags of k-grams: `of_most` are those of files that most have.
    """
    flags = _covered(boilerplate, tokens, k), _covered(boilerplate | common, tokens, k)
    return flags, flags[0] | _covered(of_most, tokens, k)


def _old_places(bounds: Bounds, counted: Flags | None) -> Flags:
    """Return for each k-gram whether it starts in a submission that is not counted."""
    sizes = np.diff(bounds)
    return np.zeros(int(sizes.sum()), dtype=np.bool_) if counted is None else np.repeat(~counted, sizes)


def _matchable_kgrams(kinds: Kinds, numbers: Ids, is_starter: Flags, k: int) -> Ids:
    """Return the id of the matchable k-gram at each token, see `IndexedTokens`."""
    kgrams = np.full(len(kinds), -1, dtype=np.int32)
    kgrams[: len(numbers)][~is_starter] = numbers[~is_starter]
    unmatch_collisions(kinds, kgrams, k)
    return kgrams


def _line_numbers(lines: Sequence[Lines] | None, file_starts: Bounds) -> Ids:
    """Return the line of each token, see `RunningSums`; a separator is on the line of the last token."""
    is_new = np.ones(int(file_starts[-1]) + 1, dtype=np.bool_)
    if lines:
        parts = [part for of_file in lines for part in (of_file, of_file[-1:] if len(of_file) else [0])]
        column = np.concatenate(parts)
        is_new[1:-1] = column[1:] != column[:-1]
        is_new[file_starts] = True
    return np.cumsum(is_new, dtype=np.int32)


def _unit_extents(
    kinds: Kinds, lines: Sequence[Lines] | None, file_starts: Bounds, submission_starts: Bounds
) -> tuple[Ids, Ids]:
    line_numbers = _line_numbers(lines, file_starts)
    return _line_extents(kinds if lines else None, line_numbers, file_starts, submission_starts)


def _line_extents(
    kinds: Kinds | None, line_numbers: Ids, file_starts: Bounds, submission_starts: Bounds
) -> tuple[Ids, Ids]:
    """Return where the line of each token begins and ends, see `IndexedTokens`; a separator is a line.

    The head of a block ends with the line after it, and the last line before a head begins with the line
    before it, so that no passage ends with a head alone or begins with a last line alone; None for `kinds` if
    the lines are not lines of the text.
    """
    begins = np.diff(line_numbers, prepend=-1)[:-1] > 0
    begins[file_starts[1:] - 1] = True
    firsts = np.flatnonzero(begins)
    sizes = np.diff(np.append(firsts, len(begins)))
    offsets = np.repeat(submission_starts[:-1].astype(np.int32), np.diff(submission_starts))
    begin, ends = firsts, firsts + sizes
    if kinds is not None:
        lines = mark_lines(kinds, firsts)
        heads = head_lines(lines)
        begin = before_tails(tail_lines(lines, heads), firsts, ends, file_starts)
        ends = after_heads(heads, firsts, ends, file_starts)
    starts, line_ends = (np.repeat(one.astype(np.int32), sizes) for one in (begin, ends))
    return np.subtract(starts, offsets, out=starts), np.subtract(line_ends, offsets, out=line_ends)


def _running_sums(
    weights: Floats, flags: tuple[Flags, Flags], spare: Flags, file_starts: Bounds, line_numbers: Ids
) -> RunningSums:
    columns = ~flags[0], ~(flags[0] | spare), ~(flags[1] | spare)
    for column in columns:
        column[file_starts[1:] - 1] = False
    kept, with_common, counted = (_sums(column, np.int32) for column in columns)
    return RunningSums(_sums(weights, np.float64), kept, with_common, counted, line_numbers)


def _sums(values: npt.NDArray[Any], dtype: type[np.number]) -> npt.NDArray[Any]:
    """Return the running sums of n values: [n + 1], from 0."""
    sums = np.zeros(len(values) + 1, dtype=dtype)
    np.cumsum(values, out=sums[1:])
    return sums


def whole_lines(cohort: Cohort, first: int, after: int) -> tuple[int, int]:
    """Return the tokens [first, after) of one file of a cohort without parts of lines at their ends.

    A head goes if the line after it is not wholly among them, as it only says how a function is called; so
    does the last line of a function without the line before it. A run of which less than `k` tokens would
    remain is returned as it is.
    """
    file = int(np.searchsorted(cohort.file_starts, first, side="right")) - 1
    start, end = cohort.file_starts[file : file + 2].tolist()
    kinds, numbers = cohort.tokens.kinds[start : end - 1], cohort.sums.line_numbers[start : end - 1]
    firsts = np.flatnonzero(np.diff(numbers, prepend=numbers[0] - 1))
    lines = mark_lines(kinds, firsts)
    heads = head_lines(lines)
    heads |= first_lines(lines, heads)
    tails = tail_lines(lines, heads)
    bounds = [*firsts.tolist(), len(kinds)]
    low, high = np.searchsorted(bounds, [first - start, after - start], side="right") - 1
    # A line in which the run begins is not whole.
    low += bounds[low] < first - start
    while 0 < low < high and tails[low]:
        low += 1
    while low < high and heads[high - 1]:
        high -= 1
    whole = start + bounds[low], start + bounds[high]
    return whole if whole[1] - whole[0] >= cohort.k else (first, after)
