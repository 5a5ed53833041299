"""A local ranking as rows of pairs, as the table of details, and as the content of the HTML file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from gettext import NullTranslations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.engine import ENGINE_VERSION, SCORE_VERSION, group_passages, passage_weight, shown_text
from moss.check.rank import SAMENESS, LocalFile, LocalReport
from submissions.matches.bands import Bands, are_many, band_sentences, is_whole, pair_bins
from submissions.matches.differences import TokenRun
from submissions.matches.file_formats import ExportTable
from submissions.matches.groups import connected_components
from submissions.matches.ranked_pairs import Evidence, PairColumns, PairRow, RankedPair, Stripe, merged_stripes
from submissions.matches.standalone_content import (
    Answer,
    SharedTerms,
    StandaloneCase,
    StandalonePair,
    StandaloneReport,
    StandaloneSide,
    TermFile,
    shared_terms,
)

if TYPE_CHECKING:
    from fingerprint.engine import Passage, Reading, TokenStream
    from fingerprint.kernels.types import Lines

JPLAG = ("submissionName1", "submissionName2", "averageSimilarity", "maxSimilarity")
DOLOS = (
    "id", "leftFileId", "leftFilePath", "rightFileId", "rightFilePath", "similarity", "totalOverlap",
    "longestFragment", "leftCovered", "rightCovered",
)  # fmt: skip

# A file is in many pairs.
KEPT_TEXTS = 500
# A page has so many characters for each byte of the sources, or as many as a small class needs.
FACTOR, FEWEST_CHARACTERS = 8, 250_000


def pair_row(report: LocalReport, pair: RankedPair, flag: str = "") -> PairRow:
    """Return the figures of a pair with the submissions' names."""
    return PairRow.of(pair, report.submissions[pair.left], report.submissions[pair.right], flag)


def pair_rows(report: LocalReport) -> Iterator[PairRow]:
    """Yield the figures of all pairs, best first, without aligning any pair."""
    columns = PairColumns.from_ranking(report.ranking, report.name_ranks)
    names = ([report.submissions[index] for index in side] for side in (columns.left, columns.right))
    flags = map(report.flags(), columns.left, columns.right)
    return map(PairRow, *names, *columns[2:], flags)


def answer_of(report: LocalReport) -> Answer:
    """Return the answer of a ranking: pairs from the threshold on, then whole ones, none of one student."""
    threshold, pairs = report.ranking.threshold, report.ranking.pairs
    bands = Bands.of(threshold._asdict())
    sides = list(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True))
    scores, rows = report.ranking.scores.similarity.tolist(), list(pair_rows(report))
    counted = [row for row, both in enumerate(sides) if not report.origin(*both)]
    first = [row for row in counted if scores[row] >= threshold.value]
    whole = [row for row in counted if scores[row] < threshold.value and _is_whole(rows[row])]
    of_class = (row for row in whole if all(report.name_ranks[side] < report.class_size for side in sides[row]))
    if are_many(len({side for row in of_class for side in _whole_sides(rows[row], sides[row])}), report.class_size):
        whole = [row for row in whole if _is_same(rows[row])]
    order = [*first, *whole, *sorted({*range(len(rows))}.difference(first, whole))]
    members = {side for row in first for side in sides[row] if report.name_ranks[side] < report.class_size}
    size, total = report.class_size, report.ranking.compared
    # Pairs that are not ranked are no more similar than the last one.
    least = scores[-1] if len(rows) < total else 0.0
    known = sorted(scores[row] for row in counted) if least < bands.look else []
    counts = (len(first), len(whole), total, size - len(members), size)
    others = {*range(len(rows))}.difference(counted) if least < bands.look else ()
    apart = sum(scores[row] >= bands.look for row in others)
    said = band_sentences(bands, known, NullTranslations(), apart=apart)
    return Answer(order, [rows[row] for row in order], *counts, said, is_cut=least >= threshold.value)


def _is_whole(row: PairRow) -> bool:
    """Return whether a pair is whole: see `submissions.pairs.read.band_of`."""
    return _is_same(row) or bool(_whole_sides(row, (0, 1)))


def _whole_sides(row: PairRow, sides: tuple[int, int]) -> list[int]:
    shares = zip(sides, (row.left_without_common, row.right_without_common), strict=True)
    return [side for side, share in shares if is_whole(row.tokens, share)]


def _is_same(row: PairRow) -> bool:
    same = row.flag.split("; ")
    is_same = any(one in SAMENESS[:2] or one.endswith(("identical file", "identical files")) for one in same)
    return is_same or is_whole(row.tokens, float(SAMENESS[2] in same))


def pairs_table(report: LocalReport) -> ExportTable:
    return ExportTable("pairs", PairRow._fields, pair_rows(report), {})


def foreign_table(report: LocalReport, tool: str) -> ExportTable:
    """Return the pairs with the columns of the table that JPlag or Dolos writes.

    Dolos's overlap, of both sides together, and what is covered are in shared tokens here.
    """
    rows, places = pair_rows(report), {name: place for place, name in enumerate(report.sorted_names)}
    if tool == "jplag":
        pairs = ((*row[:3], max(row.left_share, row.right_share)) for row in rows)
        return ExportTable("pairs", JPLAG, pairs, {})
    dolos = (
        (
            *(number, places[row.left], row.left, places[row.right], row.right),
            *(row.similarity, 2 * row.tokens, row.longest, row.tokens, row.tokens),
        )
        for number, row in enumerate(rows)
    )
    return ExportTable("pairs", DOLOS, dolos, {})


def details_table(report: LocalReport) -> ExportTable:
    """Return the table of all pairs with evidence, passages and blocks, and facts about the whole report.

    A block has the numbers, from 0, of its passages. Those of a translated pair count tokens of the coarse
    stream. `terms` has what a pair without a passage has in common.
    """
    about = {
        "submissions": report.sorted_names,
        "earlier": report.sorted_names[report.class_size : report.all_inputs.first_solution],
        "solutions": report.sorted_names[report.all_inputs.first_solution :],
        "common_limit": report.inputs.cohort.limit,
        "counts_alike_as_one": report.counts_alike_as_one,
        "shared_lines": _shared_lines(report),
        "score_version": SCORE_VERSION,
        "threshold": report.ranking.threshold._asdict(),
        "skipped": [skipped._asdict() for skipped in report.skipped],
    }
    flag = report.flags()
    rows = (
        (
            *pair_row(report, pair, flag(pair.left, pair.right)),
            {part: round(getattr(pair, part), 6) for part in Evidence._fields},
            [_passage(report, passage, translated=pair.translated) for passage in pair.passages],
            _blocks(report, pair),
            _terms(report, pair),
        )
        for pair in report.pairs()
    )
    return ExportTable("pairs", (*PairRow._fields, "evidence", "passages", "blocks", "terms"), rows, about)


class Place(NamedTuple):
    """Lines of a file, from 1, both included; `cells`: what they are in a notebook."""

    file: str
    first_line: int
    last_line: int
    cells: str

    @classmethod
    def of(cls, file: LocalFile, path: str, first: int, last: int) -> Place:
        """Return the place of lines in a file with this path."""
        from submissions.matches.source_html import cells_text  # noqa: PLC0415 - of notebooks only

        heads = _heads(file.data) if file.reading.language == "notebook" else ()
        return cls(path, first, last, cells_text(heads, (first, last)))

    def __str__(self) -> str:
        return f"{self.file}, {self.cells or f'{self.first_line}-{self.last_line}'}"


def shared_places(report: LocalReport) -> list[Place]:
    """Return where the lines that most of the class share stand in one of the submissions that have them."""
    starts, places = report.inputs.cohort.file_starts, []
    for run in report.shared.runs if report.shared else ():
        number = int(np.searchsorted(starts, run.first, side="right")) - 1
        file, start = report.files[number], int(starts[number])
        name = report.submissions[file.submission]
        path = file.path if file.path == name else f"{name}/{file.path}"
        first, last = file.reading.lines[[run.first - start, run.after - start - 1]].tolist()
        places.append(Place.of(file, path, first, last))
    return places


def shared_sentence(report: LocalReport) -> str:
    """Return what says that most of the class share lines that count as common code; empty if not."""
    shared = report.shared
    if not shared:
        return ""
    lines = "1 line that is" if shared.lines == 1 else f"{shared.lines:,} lines that are"
    return f"{shared.submissions:,} of {report.class_size:,} submissions share {lines} treated as common code"


def weighted_blocks(passages: list[Passage]) -> list[list[Passage]]:
    """Return the blocks of passages, the heaviest first and those of common code last."""
    return sorted(group_passages(passages), key=_block_order)


def _block_order(block: list[Passage]) -> tuple[float, int]:
    counted = (passage for passage in block if not passage.common)
    weight = sum(passage_weight(passage.tokens, passage.submissions) for passage in counted)
    return -weight, -sum(passage.tokens for passage in block)


def _blocks(report: LocalReport, pair: RankedPair) -> list[dict[str, object]]:
    numbers = {passage: number for number, passage in enumerate(pair.passages)}
    return [
        {
            **_sides(report, block[0], block[-1], translated=pair.translated),
            "tokens": sum(passage.tokens for passage in block),
            "common": all(passage.common for passage in block),
            "passages": [numbers[passage] for passage in block],
        }
        for block in weighted_blocks(pair.passages)
    ]


def _shared_lines(report: LocalReport) -> dict[str, object] | None:
    shared = report.shared
    places = [place._asdict() for place in shared_places(report)]
    return shared and {"submissions": shared.submissions, "lines": shared.lines, "places": places}


def _terms(report: LocalReport, pair: RankedPair) -> list[dict[str, object]]:
    terms, listed = pair_terms(report, pair), list[dict[str, object]]()
    for term in terms.listed if terms else ():
        left, right = ([{"file": one.path, "lines": one.lines} for one in side] for side in term.sides)
        listed.append({"kind": term.kind, "text": term.text, "left": left, "right": right})
    return listed


def _passage(report: LocalReport, passage: Passage, *, translated: bool) -> dict[str, object]:
    figures = {"tokens": passage.tokens, "submissions": passage.submissions, "common": passage.common}
    return {**_sides(report, passage, passage, translated=translated), **figures}


def _sides(report: LocalReport, first: Passage, last: Passage, *, translated: bool) -> dict[str, dict[str, object]]:
    """Return the place of each side, from the first line of a passage to the last of another one."""
    tokens = (first.left_token, last.left_token), (first.right_token, last.right_token)
    sides = {}
    for side, number, (begin, end) in zip(("left", "right"), (first.left_file, first.right_file), tokens, strict=True):
        file = report.files[number]
        lines = file.reading.coarse_lines if translated else file.reading.lines
        place = Place.of(file, file.path, int(lines[begin]), int(lines[end + last.tokens - 1]))
        sides[side] = place._asdict()
    return sides


def standalone_report(
    report: LocalReport, title: str, answer: Answer | None = None, most: int | None = None, *, of_each: bool = False
) -> StandaloneReport:
    """Return what a page has: the first `most` pairs, or with `of_each` those to read and the best of each."""
    answer = answer or answer_of(report)
    whole, rows = report, read_or_best(report, answer) if of_each else answer.order[:most]
    report = replace(report, ranking=report.ranking.take(np.asarray(rows, dtype=np.intp)))
    flag, threshold = report.flags(), report.ranking.threshold
    return StandaloneReport(
        title=title,
        submissions=len(report.submissions),
        earlier=report.all_inputs.earlier,
        solutions=report.all_inputs.solutions,
        common_limit=report.inputs.cohort.limit,
        counts_alike_as_one=report.counts_alike_as_one,
        engine_version=ENGINE_VERSION,
        score_version=SCORE_VERSION,
        k=report.inputs.cohort.k,
        rows=list(pair_rows(report)),
        pairs=(
            StandalonePair(
                pair_row(report, pair, flag(pair.left, pair.right)),
                _block_sides(report, pair),
                pair_terms(report, pair),
                _stripes(report, pair),
            )
            for pair in report.pairs()
        ),
        skipped=report.skipped,
        shortfall=report.shortfall,
        shared=shared_sentence(report),
        shared_places=[*map(str, shared_places(report))],
        answer=answer,
        threshold=threshold.value,
        bins=pair_bins(whole.ranking.scores.similarity.tolist(), Bands.of(threshold._asdict())),
        cases=_cases(report, answer),
        most_characters=_most_characters(report) if of_each else 0,
    )


def read_or_best(report: LocalReport, answer: Answer) -> list[int]:
    """Return the rows of the pairs to read, of whole ones, then of those that are the best of a submission."""
    pairs, seen, best = report.ranking.pairs, set[int](), list[int]()
    for row, sides in enumerate(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True)):
        if not seen.issuperset(sides):
            best.append(row)
            seen.update(sides)
    to_read = answer.order[: answer.to_read + answer.whole]
    return [*to_read, *sorted({*best} - {*to_read})]


def _most_characters(report: LocalReport) -> int:
    return max(FACTOR * sum(len(file.data) for file in report.files), FEWEST_CHARACTERS)


def _cases(report: LocalReport, answer: Answer) -> list[StandaloneCase]:
    """Return the cases of the pairs to read, which are the first of the ranking."""
    pairs = report.ranking.pairs
    sides = list(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True))[: answer.to_read]
    return [
        StandaloneCase(
            sorted(report.submissions[member] for member in members),
            [(row + 1, answer.rows[row]) for row, both in enumerate(sides) if both[0] in members],
        )
        for members in connected_components(sides)
    ]


def _stripes(report: LocalReport, pair: RankedPair) -> tuple[list[Stripe], list[Stripe]]:
    """Return where the passages of a pair lie, as `passage_stripes` of the service does."""
    drawn = [] if pair.translated else [one for one in pair.passages if not one.common]
    cohort = report.inputs.cohort

    def stripes(submission: int, passages: Iterable[Passage]) -> list[Stripe]:
        begin, end = cohort.submission_starts[submission : submission + 2].tolist()
        spans = sorted(
            (int(cohort.file_starts[one.left_file]) + one.left_token - begin, one.tokens) for one in passages
        )
        return merged_stripes([(at / (end - begin), (at + n) / (end - begin)) for at, n in spans])

    return stripes(pair.left, drawn), stripes(pair.right, (one.exchanged for one in drawn))


def _block_sides(report: LocalReport, pair: RankedPair) -> Iterator[tuple[StandaloneSide, StandaloneSide]]:
    for block in weighted_blocks(pair.passages):
        left_file, right_file = report.files[block[0].left_file], report.files[block[0].right_file]
        streams = [_stream(file.reading, translated=pair.translated) for file in (left_file, right_file)]
        of_class = sum(report.name_ranks[side] < report.class_size for side in (pair.left, pair.right))
        others = [max(passage.submissions - of_class, 0) if passage.common else 0 for passage in block]
        left = [(passage.left_token, passage.tokens) for passage in block]
        right = [(passage.right_token, passage.tokens) for passage in block]
        yield _side(left_file, streams[0], left, others), _side(right_file, streams[1], right, others)


def _stream(reading: Reading, *, translated: bool) -> tuple[TokenStream, Lines]:
    """Return the stream that the passages of a pair are of, and its lines."""
    if translated and reading.coarse:
        return reading.coarse.tokens, reading.coarse_lines
    return reading.tokens, reading.lines


def _side(
    file: LocalFile, stream: tuple[TokenStream, Lines], pieces: list[tuple[int, int]], others: list[int]
) -> StandaloneSide:
    text = _shown(file.data, file.reading.language)
    runs = [TokenRun(text, stream[0], first, count) for first, count in pieces]
    lines = [line for first, count in pieces for line in stream[1][first : first + count].tolist()]
    return StandaloneSide(file.path, file.reading.language, runs, lines, others)


def pair_terms(report: LocalReport, pair: RankedPair) -> SharedTerms | None:
    """Return what both sides of a pair without a passage have; None for any other pair."""
    if pair.structure or pair.left_with_common:
        return None
    left, right = (_term_files(report, submission) for submission in (pair.left, pair.right))
    return shared_terms(left, right, report.exclusions.lexical)


def _term_files(report: LocalReport, submission: int) -> list[TermFile]:
    return [
        TermFile(file.path, read.language, _shown(file.data, read.language), read.tokens, read.lexical)
        for file, read in ((file, file.reading) for file in report.files if file.submission == submission)
    ]


@lru_cache(KEPT_TEXTS)
def _shown(data: bytes, language: str) -> str:
    """Return the text of a file as its front-end shows it."""
    return shown_text(data, language).text


@lru_cache(KEPT_TEXTS)
def _heads(data: bytes) -> Sequence[int]:
    from submissions.matches.source_html import cell_lines  # noqa: PLC0415 - of notebooks only

    return cell_lines(_shown(data, "notebook"), "notebook")
