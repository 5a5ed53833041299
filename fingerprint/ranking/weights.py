"""Weights of k-grams and tokens: the rarer in the cohort, the higher (docs/know/score.md)."""

from __future__ import annotations

from functools import cache
from zlib import crc32

import numpy as np
import numpy.typing as npt
import pygments

from fingerprint.kernels.library import stored_data
from fingerprint.kernels.registry import bare_njit, kernel
from fingerprint.kernels.types import Bounds, Classes, Flags, Floats, Ids, Kinds
from fingerprint.languages import punctuation_of_families
from fingerprint.languages.language_table import LANGUAGES
from fingerprint.ranking import score_constants as constants
from fingerprint.ranking.sorting import highest_id
from fingerprint.tokens import kind_marks, mark_table

# What a table of literals consists of: their kinds, and what stands between them. A row of a table may begin
# with one other token, such as a directive of an assembler, and then has at least so many literals.
LITERALS = ("<number>", "<string>", "<char>", "<symbol>", "<constant>")
SEPARATORS = "( ) [ ] { } , ; : . + - => :: -> [| |] #( '( ' # [[ ]]"
# A row of equal ones may also have names, and the words of SQL.
NAMES = ("<name>", "<type>", "insert", "into", "values")
LITERAL, SEPARATOR, FILE_END, NAME = 1, 2, 4, 8
# Under this name the library has their marks: to make them took a tenth of the time of a small class. Packages
# may add languages.
_TABLE = crc32(" ".join(row.name for row in LANGUAGES).encode())
STORED_MARKS = f"marks of tables, Pygments {pygments.__version__}, table {_TABLE:08x}"
LEAST_OF_ROW = 4
# Equal rows, the tokens of one, and the least tokens beside them in a file, of which they are not the program. From
# 12 rows on no AP of a labelled set changes.
EQUAL_ROWS, LONGEST_ROW, LEAST_BESIDE = 12, 16, 30


def rarity(frequency: npt.NDArray[np.integer], exponent: float) -> Floats:
    """Return the weight in (0, 1] of something in `frequency` submissions; 1 for one or two submissions."""
    weights: Floats = np.maximum(frequency - 1.0, 1.0) ** -exponent
    return weights


@kernel
def document_frequency(ids: Ids, bounds: Bounds, distinct: int) -> Ids:
    """Return the number of documents that contain each id: int32 [distinct].

    The ids of document d are `ids[bounds[d]:bounds[d + 1]]`.
    """
    frequency = np.zeros(distinct, dtype=np.int32)
    last = np.full(distinct, -1, dtype=np.int32)
    for owner in range(len(bounds) - 1):
        for kgram in ids[bounds[owner] : bounds[owner + 1]]:
            if last[kgram] != owner:
                last[kgram] = owner
                frequency[kgram] += 1
    return frequency


@kernel
def _damp_repeats(ids: Ids, inside: Flags, bounds: Bounds, exponent: float, logs: Floats) -> None:
    """Subtract exponent * log(occurrences in the submission) from the log weight of each k-gram."""
    repeats = np.zeros(1 + highest_id(ids), dtype=np.int32)
    for owner in range(len(bounds) - 1):
        for at in range(bounds[owner], bounds[owner + 1]):
            repeats[ids[at]] += inside[at]
        for at in range(bounds[owner], bounds[owner + 1]):
            if inside[at]:
                logs[at] -= exponent * np.log(repeats[ids[at]])
        for at in range(bounds[owner], bounds[owner + 1]):
            repeats[ids[at]] = 0


@kernel
def _fill_means(logs: Floats, inside: Flags, excluded: Flags, k: int, weights: Floats) -> None:
    """Fill the weight of each token: the geometric mean over the k-grams inside files that cover it."""
    total, count = 0.0, 0
    for at in range(len(weights)):
        if at < len(logs) and inside[at]:
            total, count = total + logs[at], count + 1
        if k <= at < len(logs) + k and inside[at - k]:
            total, count = total - logs[at - k], count - 1
        if count == 0:
            total = 0.0  # between files, so that rounding errors do not add up
        elif not excluded[at]:
            weights[at] = np.exp(total / count)


def token_weights(ids: Ids, frequency: Ids, starts: tuple[Bounds, Bounds], excluded: Flags, k: int) -> Floats:
    """Return the weight of each token: the geometric mean of the (up to k) k-grams that cover it.

    ids : int32, id of the k-gram that starts at each token, as far as one does
    frequency : int32, number of submissions that contain each k-gram, by id
    starts : int64, where files begin and where submissions begin; each file ends with a separator
    excluded : bool [t], tokens that weigh nothing
    k : number of tokens in a k-gram

    Returns: float64 [t] in [0, 1]; 0 for separators and for files shorter than a k-gram, which match nothing.
    """
    files, bounds = starts
    inside = np.ones(len(ids), dtype=np.bool_)
    beyond = (files[1:, None] - 1 - np.arange(k)).ravel()
    inside[beyond[(beyond >= 0) & (beyond < len(ids))]] = False
    logs = np.log(rarity(frequency, constants.RARITY_EXPONENT))[ids]
    inner = np.minimum(bounds, len(ids))
    _damp_repeats(ids, inside, inner, constants.REPEAT_EXPONENT, logs)
    weights = np.zeros(len(excluded))
    _fill_means(logs, inside, excluded, k, weights)
    return weights


@cache
def _table_marks() -> tuple[Kinds, Classes]:
    """Return `literal_marks` as they are stored; make them where those are of another Pygments or table."""
    packed = stored_data(STORED_MARKS)
    if packed is None:
        return literal_marks()
    rows = len(packed) // 9
    return np.frombuffer(packed, np.uint64, rows), np.frombuffer(packed, np.uint8, rows, 8 * rows)


def literal_marks() -> tuple[Kinds, Classes]:
    """Return the kinds of literals and of what separates them in all languages, see `mark_table`."""
    marked = []
    for family, punctuation in punctuation_of_families().items():
        dropped = punctuation.split()
        marked += [(LITERAL, family, lexeme) for lexeme in LITERALS]
        marked += [(NAME, family, lexeme) for lexeme in NAMES]
        marked += [(SEPARATOR, family, lexeme) for lexeme in SEPARATORS.split() if lexeme not in dropped]
    return mark_table(marked)


@bare_njit
def _mark_spare(spare: Flags, first: int, end: int, least: int) -> None:
    """Mark all but `least` tokens of a table, evenly."""
    size = end - first
    for at in range(size if size > least else 0):
        spare[first + at] = (at + 1) * least // size == at * least // size


@kernel
def _fill_spare(marks: Classes, least: int, row: int, spare: Flags) -> None:
    """Fill `spare` for `table_tokens`; a row has at least `row` literals."""
    first, end, literals, in_table = 0, 0, 0, 0
    for at in range(len(marks)):
        if marks[at] & (LITERAL | SEPARATOR):
            literals += marks[at] == LITERAL
            continue
        if literals >= row:
            end, in_table = at, in_table + literals
        if literals < row or marks[at] == FILE_END:
            # Brackets and signs alone are no table.
            if 4 * in_table >= end - first:
                _mark_spare(spare, first, end, least)
            first, end, in_table = at + 1, at + 1, 0
        literals = 0


@kernel
def _fill_spare_of_rows(kinds: Kinds, before: tuple[Ids, Ids], limits: tuple[int, int, int], spare: Flags) -> None:
    """Add the tables of equal rows; `before` are the numbers of literals, and of other code, before each token.

    `limits` are the tokens that count of a table, the least number of rows, and the most tokens of a row.
    """
    literals, code = before
    least, rows, longest = limits
    for size in range(2, longest + 1):
        first = 0
        for end in range(size, len(kinds) + 1):
            if end < len(kinds) and kinds[end] == kinds[end - size]:
                continue
            tokens, in_rows = end - first, literals[end] - literals[first]
            is_table = tokens >= rows * size and in_rows * size >= tokens - size and code[end] == code[first]
            if is_table and tokens - np.sum(spare[first:end]) > least:
                _mark_spare(spare, first, end, least)
            first = end - size + 1


def table_tokens(kinds: Kinds, file_starts: Bounds, k: int) -> tuple[Flags, Flags]:
    """Return which tokens do not count because they are in a table of literals, and in one without names: bool [t].

    A table is a run of literals, brackets, commas and signs, and at most one other token before each of its
    rows; or a run of equal rows, each with a literal, such as facts, or lines that print. What it has in common
    with another table of that form is the form. It counts as one k-gram, with tokens that are evenly spread.
    Files begin at `file_starts`; each ends with a separator.
    """
    spare, marks = np.zeros(len(kinds), dtype=np.bool_), kind_marks(kinds, _table_marks())
    marks[file_starts[1:] - 1] = FILE_END
    _fill_spare(marks, k, LEAST_OF_ROW, spare)
    in_values = spare.copy()
    literals, code = np.zeros((2, len(kinds) + 1), dtype=np.int32)
    np.cumsum(marks == LITERAL, out=literals[1:])
    np.cumsum(marks == 0, out=code[1:])
    _fill_spare_of_rows(kinds, (literals, code), (k, EQUAL_ROWS, LONGEST_ROW), spare)
    sizes = np.diff(file_starts)
    beside = np.add.reduceat(~spare, file_starts[:-1], dtype=np.int64) if len(sizes) else sizes
    return np.where(np.repeat(beside < LEAST_BESIDE, sizes), in_values, spare), in_values
