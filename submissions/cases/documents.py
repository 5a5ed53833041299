"""Documents for a hearing: which pairs, whose names, and the chapters of pairs and cases."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import reduce
from importlib.metadata import version
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import networkx as nx
import numpy as np
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from submissions.cases.hearing import ASKED_PAIRS, first_page, questions
from submissions.cases.members import members_by_time, similarity_matrix
from submissions.cases.read import (
    UNDECIDED,
    CaseCore,
    case_decisions,
    followed_decision,
    statements_of,
    stored_decisions,
)
from submissions.core.access import readable_pairs
from submissions.core.names import (
    Names,
    anonymous_names,
    ensure_aliases,
    known_ids,
    known_spellings,
    origin_suffixes,
    others_in_roster,
    redacted_names,
    roster_labels,
)
from submissions.core.redaction import NAME_PLACEHOLDER
from submissions.matches.differences import LinePair, align_lines
from submissions.models import Batch, CaseDecision, Decision, Pair, Report, Submission, SubmissionFile
from submissions.pages.paper import (
    DocumentTooLong,
    PassageSide,
    PrintedSource,
    RowBudget,
    passage_rows,
    source_rows,
    style,
)
from submissions.pairs.pair_summary import is_class_pair, pair_summary, rarity_sentence
from submissions.pairs.pair_view import PAPER_TOKENS, PairSide, PairView, PassageView, view_whole_pair
from submissions.pairs.read import displayed_pair
from submissions.reports.read import readable_boilerplate

if TYPE_CHECKING:
    from submissions.cases.models import ChangeFields
    from submissions.pairs.file_view import FileView, PassageLocation

# Rows of one passage; the rest of a longer one is left out.
PASSAGE_ROWS = 1_000

# Readers of a copy, besides the ids of students.
REAL_NAMES, ALIASES = "open", "made-up"

# Pairs that one document may contain.
MAX_PAIRS = 300


class PrintedFile(NamedTuple):
    """The place of a source in a document: the number of the pair, the name of the submission, and the path."""

    number: int
    name: str
    path: str


class PrintedPassage(NamedTuple):
    """A passage, with table rows in which its lines are side by side, and the number of lines left out."""

    passage: PassageView
    rows: SafeString
    left_out: int


@dataclass(frozen=True, slots=True)
class Chapter:
    """A pair, with its `rank` among the `pair_count` pairs of the class; its sources are rendered on demand.

    A pair with earlier or other work has a rank among all pairs of the report.
    """

    number: int
    rank: int
    pair_count: int
    view: PairView
    names: Names
    decision: Decision | CaseDecision | None
    changes: list[ChangeFields]
    budget: RowBudget
    single: bool = False
    # The sources that the document has, by SHA-256.
    printed_files: dict[str, PrintedFile] = field(default_factory=dict)
    # The submissions whose files the document has listed.
    listed: set[int] = field(default_factory=set)
    printed_sources: dict[int, PrintedSource] = field(default_factory=dict)
    printed: set[int] = field(default_factory=set)

    @property
    def is_of_class(self) -> bool:
        return is_class_pair(self.view.pair)

    @property
    def has_pair_decision(self) -> bool:
        """True if somebody decided on this pair, and not only on its case."""
        return isinstance(self.decision, Decision)

    @property
    def summary(self) -> str:
        return pair_summary(self.view, self.names)

    @property
    def rarity(self) -> str:
        return rarity_sentence(self.view.pair)

    @property
    def unlisted(self) -> list[PairSide]:
        """The sides whose files no chapter before has listed; empty when it is asked for again."""
        sides = [side for side in self.view.sides if side.submission.pk not in self.listed]
        self.listed.update(side.submission.pk for side in sides)
        return sides

    @property
    def passages(self) -> Iterator[PrintedPassage]:
        """Yield the passages whose files were read, as far as a single pair may fill a document."""
        for passage in self.view.passages:
            if all(location.first_line for location in passage.locations) and self._has_room:
                self.printed.add(passage.number)
                yield self._printed_passage(passage)

    @property
    def passages_left_out(self) -> int:
        """Number of passages that were not printed; complete once `passages` are."""
        return self.view.passage_count - len(self.printed)

    @property
    def _has_room(self) -> bool:
        return not self.single or self.budget.remaining > 0

    def _printed_passage(self, passage: PassageView) -> PrintedPassage:
        limit = min(PASSAGE_ROWS, self.budget.remaining) if self.single else PASSAGE_ROWS
        pairs = list(islice(self.aligned(passage), limit))
        rows = list(islice(self.rows(passage, pairs), limit + 1))
        left_out = passage.left.last_line - max(pair.left or 0 for pair in pairs) + (len(rows) > limit)
        return PrintedPassage(passage, self.budget.join(rows[:limit]), left_out)

    def aligned(self, passage: PassageView) -> Iterator[LinePair]:
        """Yield the pairs of lines of a passage whose files were read."""
        tokens = min(passage.tokens, PAPER_TOKENS)
        token_lines = [_token_lines(location, passage.number, tokens) for location in passage.locations]
        whole = tokens == passage.tokens
        last_left, last_right = (
            location.last_line if whole else lines[-1]
            for location, lines in zip(passage.locations, token_lines, strict=True)
        )
        texts = [self.source(location.file).line_text for location in passage.locations]
        return align_lines(zip(*token_lines, strict=True), (last_left, last_right), (texts[0], texts[1]))

    def rows(self, passage: PassageView, pairs: Sequence[LinePair]) -> Iterator[str]:
        """Yield table rows with some neighbouring pairs of lines of a passage."""
        left, right = (
            self.side(passage.number, location, [number for pair in pairs if (number := pair[side])])
            for side, location in enumerate(passage.locations)
        )
        return passage_rows(left, right, pairs)

    @property
    def sources(self) -> Iterator[tuple[PairSide, FileView, SafeString | None, PrintedFile]]:
        """Yield the files and where their bytes are printed; each with its rows, if that is here."""
        for side in self.view.sides:
            for file in side.files:
                here = PrintedFile(self.number, side.submission.name, file.path)
                first = self.printed_files.setdefault(file.file.source.sha256, here)
                rows = self.budget.join(source_rows(self.source(file))) if first is here else None
                yield side, file, rows, first

    def source(self, file: FileView) -> PrintedSource:
        """Return a file with all its passages, cached so that names are searched only once in each file."""
        if file.file.pk not in self.printed_sources:
            layers = file.layers((0, len(file.text)))
            self.printed_sources[file.file.pk] = PrintedSource(file.text, file.starts, layers, file.cells)
        return self.printed_sources[file.file.pk]

    def side(self, number: int, location: PassageLocation, lines: list[int]) -> PassageSide:
        """Return lines of one side of a passage, of which only it is marked."""
        marks = [mark for mark in location.file.marks if mark.number == number]
        printed = range(min(lines, default=1), max(lines, default=0) + 1)
        return PassageSide(self.source(location.file).with_only(marks), printed, marks[0].start)


def chapters(
    report: Report, pairs: Iterable[Pair], names: Names, options: DocumentOptions, *, single: bool = False
) -> Iterator[Chapter]:
    """Yield the chapters of a document, in the order of `pairs`; all share one budget of rows."""
    budget, by_names = RowBudget(), stored_decisions(report.assignment) if options.decision else {}
    of_cases = case_decisions(report.assignment) if options.decision else {}
    printed, listed = dict[str, PrintedFile](), set[int]()
    ranked = readable_pairs(report).values_list("similarity", "left__batch__role", "right__batch__role")
    rows = sorted((similarity, roles) for similarity, *roles in ranked)
    for number, pair in enumerate(pairs, 1):
        is_of_class = is_class_pair(pair)
        similarities = [row[0] for row in rows if not is_of_class or set(row[1]) == {Batch.Role.CLASS}]
        rank = len(similarities) - bisect_right(similarities, pair.similarity) + 1
        names_of_pair = pair.left.name, pair.right.name
        of_pair = by_names.get(names_of_pair) or by_names.get(names_of_pair[::-1])
        followed = followed_decision(of_cases, names_of_pair, pair.similarity)
        decision = of_pair if of_pair and (of_pair.state != UNDECIDED or not followed) else followed
        changes: list[ChangeFields] = [*decision.changes.all()] if decision else []
        view = view_whole_pair(pair, names)
        yield Chapter(number, rank, len(similarities), view, names, decision, changes, budget, single, printed, listed)


def _token_lines(location: PassageLocation, number: int, tokens: int) -> list[int]:
    """Return the line, from 1, on which each of the first `tokens` tokens of a passage begins."""
    file = location.file
    passage = next(passage for passage in file.passages if passage.number == number)
    starts = np.concatenate(
        [file.tokens.starts[piece.first : piece.first + piece.tokens] for piece in passage.clipped(tokens)]
    )
    lines: list[int] = np.searchsorted(np.array(file.starts), starts, side="right").tolist()
    return lines


class DocumentOptions(NamedTuple):
    """Content of a document besides the passages of its pairs."""

    decision: bool
    sources: bool


class PrintedCase(NamedTuple):
    """A case to write about.

    Pairs of the `threshold` and more connect it. `members` have the time between the first one and theirs, or
    None; `identical` are groups of members, by primary key, with the same files; `decision` is None where
    nothing was decided. A case `by_hand` has no pairs, and `files` of each member instead. `core`: what all
    members have; no student's copy has it. `left_out`: pairs of members that stronger ones link already.
    """

    number: int
    threshold: float
    members: Sequence[tuple[Submission, timedelta | None]]
    identical: list[list[int]]
    decision: CaseDecision | Decision | None
    changes: Sequence[ChangeFields]
    files: Sequence[tuple[Submission, list[SubmissionFile]]] = ()
    core: CaseCore | None = None
    left_out: int = 0

    @property
    def submissions(self) -> list[Submission]:
        return [submission for submission, _later in self.members]

    @property
    def by_hand(self) -> bool:
        return bool(self.files)

    @property
    def title(self) -> str:
        return _("Case {number}").format(number=self.number)


class Subject(NamedTuple):
    """Pairs of a report to write about; a `single` pair or a `case` gives the document its title."""

    report: Report
    pairs: list[Pair]
    single: bool = False
    case: PrintedCase | None = None

    @property
    def is_empty(self) -> bool:
        return not self.pairs and not self.case


class Copy(NamedTuple):
    """A document for one reader: its pairs, the names in it, the parts of its title, a remark on names."""

    pairs: list[Pair]
    names: Names
    title_parts: list[str]
    single: bool
    remark: str = ""
    case: PrintedCase | None = None
    is_for_student: bool = False
    # The names of the submissions whose statements are printed: to a student only the student's own.
    speakers: Collection[str] = ()

    @property
    def title(self) -> str:
        both = _("{left} and {right}")
        return reduce(lambda left, right: both.format(left=left, right=right), self.title_parts)


def students(pairs: Iterable[Pair]) -> list[Submission]:
    """Return the submissions of the pairs, each once, by name."""
    by_id = {submission.pk: submission for pair in pairs for submission in (pair.left, pair.right)}
    return sorted(by_id.values(), key=lambda submission: submission.name)


def copy_for(subject: Subject, names: Names, reader: str) -> Copy:
    """Return the copy for a reader: REAL_NAMES for `names`, ALIASES, or the id of a student's submission.

    A student's copy has only the pairs of that student, and all other names of the cohort are hidden.
    """
    report, pairs, remark = subject.report, subject.pairs, ""
    speakers = {student.name for student in students(pairs)}
    if subject.case:
        speakers.update(member.name for member, _later in subject.case.members)
    if reader == ALIASES:
        names, remark = anonymous_names(report.assignment), _("The names of all students are made up.")
    elif reader != REAL_NAMES:
        pairs = [pair for pair in pairs if int(reader) in (pair.left_id, pair.right_id)]
        name = next(student.name for student in students(pairs) if student.pk == int(reader))
        names = _names_for_student(report, pairs, name)
        speakers = {name}
        remark = _("Copy for {name}. Everybody else's name is hidden.").format(name=names.display_name(name))
    is_for_student = reader not in {REAL_NAMES, ALIASES}
    case = subject.case
    if case:
        distinct = distinct_pairs(pairs, case.identical)
        pairs = distinct if is_for_student else distinct_pairs(distinct, case.identical, linking=True)
        core = None if is_for_student else case.core
        case = case._replace(core=core, left_out=len(distinct) - len(pairs))
        if names.hidden:
            case = case._replace(members=members_by_time(case.submissions, names))
    pairs = _displayed_pairs(pairs, names)
    title = [case.title] if case else [_("Confirmed pairs")]
    if subject.single:
        title = [*_displayed_names(pairs[0], names)]
    return Copy(pairs, names, title, subject.single, remark, case, is_for_student, speakers)


def distinct_pairs(pairs: Iterable[Pair], identical: Iterable[Collection[int]], *, linking: bool = False) -> list[Pair]:
    """Return the pairs of a case that a document needs: identical submissions count once.

    `pairs` are the most similar first. With `linking`, a pair of two that stronger pairs link already is left out.
    """
    same = {pk: min(group) for group in identical for pk in group}
    seen: set[frozenset[int]] = set()
    distinct: list[Pair] = []
    for pair in pairs:
        both = frozenset(same.get(pk, pk) for pk in (pair.left_id, pair.right_id))
        if both not in seen:
            seen.add(both)
            distinct.append(pair)
    if not linking:
        return distinct
    graph: nx.Graph[int] = nx.Graph()
    connecting = []
    for pair in distinct:
        left, right = (same.get(pk, pk) for pk in (pair.left_id, pair.right_id))
        if left == right or not (left in graph and right in graph and nx.has_path(graph, left, right)):
            graph.add_edge(left, right)
            connecting.append(pair)
    return connecting


def _displayed_pairs(pairs: Iterable[Pair], names: Names) -> list[Pair]:
    """Return pairs as the reader sees them; where names are hidden, equal ones by the displayed names."""
    displayed = [displayed_pair(pair, names) for pair in pairs]
    if names.hidden:
        displayed.sort(key=lambda pair: (-pair.similarity, -pair.tokens, *_displayed_names(pair, names)))
    return displayed


def _displayed_names(pair: Pair, names: Names) -> tuple[str, str]:
    return names.display_name(pair.left.name), names.display_name(pair.right.name)


def _names_for_student(report: Report, pairs: list[Pair], reader: str) -> Names:
    """Hide all names but the reader's; the other students of the pairs get distinct aliases."""
    made_up, absent = ensure_aliases(report.assignment), others_in_roster(report.assignment)
    spellings = absent | known_spellings(report.assignment)
    readable = [reader, *spellings.get(reader, ())]
    others = {student.name for student in students(pairs)} - {reader}
    # Their letters follow the aliases: the order of the real names would reveal who is behind a letter.
    hidden = redacted_names(sorted(others, key=made_up.__getitem__), readable)
    aliases = dict.fromkeys([*made_up, *absent], NAME_PLACEHOLDER) | dict(hidden.aliases)
    hidden_aliases = {
        name: alias
        for name, alias in aliases.items()
        if name in others or not {name, *spellings.get(name, ())} & {*readable}
    }
    labels = roster_labels(report.assignment)
    suffixes = origin_suffixes(report.assignment)
    ids = known_ids(report.assignment)
    return Names(hidden_aliases, "", hidden.visible_names, spellings, labels, suffixes, ids)


class PairDocument(NamedTuple):
    """A copy of a report's pairs for one reader, with the options of its content."""

    report: Report
    copy: Copy
    options: DocumentOptions


def document_html(document: PairDocument) -> str:
    """Return the page; raise DocumentTooLong when there are too many pairs, or too many rows of sources."""
    report, copy, options = document
    assignment = report.assignment
    if len(copy.pairs) > MAX_PAIRS:
        raise DocumentTooLong(
            _("More than {n} pairs are too many for one document: export copies for single students instead.").format(
                n=MAX_PAIRS
            )
        )
    context: dict[str, Any] = {
        "assignment": assignment,
        "report": report,
        "copy": copy,
        "names": copy.names,
        "options": options,
        "style": style(),
        "page_header": f"{assignment.course.name} · {assignment.name}",
        "created": timezone.localtime(),
        "version": version("moss-server"),
        "boilerplate": sorted(
            map(copy.names.redact_text, readable_boilerplate(assignment).values_list("name", flat=True))
        ),
        "statements": statements_of(assignment, copy.speakers, contents=True) if options.decision else [],
        **_parts(document),
    }
    return render_to_string("submissions/exports/document.html", context)


def _parts(document: PairDocument) -> dict[str, Any]:
    """Return the chapters, and of one pair or a case the first page and the questions."""
    report, copy, options = document
    printed = chapters(report, copy.pairs, copy.names, options, single=copy.single)
    first = list(islice(printed, ASKED_PAIRS)) if copy.single or copy.case else []
    case = None if copy.is_for_student else copy.case
    handed_in = [*copy.case.submissions] if copy.case else students(copy.pairs)
    return {
        "chapters": chain(first, printed),
        "first": first_page(first[0], report.parameters.get("submissions", 0)) if first else None,
        "questions": [] if copy.is_for_student else questions(first),
        "matrix": similarity_matrix(report, case.members) if case and not case.by_hand else [],
        "has_times": not copy.names.hidden and any(one.handed_in for one in handed_in),
    }
