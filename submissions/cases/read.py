"""Decisions on pairs, the cases of a report and the decisions on them, and statements of students.

Some cases were entered by hand: suspected pairs that the report does not list. Members of a case share a core.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Self, TypedDict

import numpy as np
from django.contrib.auth.models import User
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import translation

from submissions.core.access import all_submissions, readable_pairs, readable_submissions, withheld_names
from submissions.core.names import Names
from submissions.core.rights import Right, courses_with, people_with
from submissions.core.submitters import are_mates, compared_mates
from submissions.matches.bands import band_sentences
from submissions.matches.groups import connected_components
from submissions.models import (
    Assignment,
    Batch,
    CaseChange,
    CaseDecision,
    CaseMember,
    Change,
    Course,
    Decision,
    Document,
    Pair,
    Report,
    Statement,
    Submission,
    SubmissionFile,
)
from submissions.pairs.read import SAME_FILES, WHOLE, bands_of, ignored_tokens, is_suggested, threshold_of
from submissions.uploads.read import CAN_MAKE_CASE, Link, links, ranked_ids, submissions_by_id

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    from fingerprint.kernels.types import Flags

    DecidedPair = WithAnnotations[Pair, "DecisionAnnotation"]

UNDECIDED = Decision.State.UNDECIDED
OPEN = Decision.State.UNDECIDED
# Two members are a pair, which says it better; the pairs of very large cases are too many to read.
MIN_MEMBERS, MAX_MEMBERS = 3, 50
SUSPECTED = (Decision.State.SUSPICIOUS, Decision.State.CONFIRMED)


class DecidedCase(NamedTuple):
    """The decision on a case.

    `decision` was made on an earlier case that had all members of this case; without such a case, it is
    unsaved and undecided. Then `former` has the decisions on earlier cases that had some of the members, and
    `joined` the names of the members that were in none of these cases. A case of two has the decision on its
    pair, if that was decided itself.
    """

    decision: CaseDecision | Decision
    former: list[CaseDecision]
    joined: list[str]


def case_decisions(assignment: Assignment) -> dict[str, CaseDecision]:
    members = CaseMember.objects.filter(assignment=assignment).select_related("decision__assignee")
    return {member.name: member.decision for member in members}


class Decisions(NamedTuple):
    """The decisions of an assignment: on cases by the name of a member, on pairs by both names, sorted."""

    by_name: dict[str, CaseDecision]
    of_pairs: dict[tuple[str, str], Decision]


def all_decisions(assignment: Assignment) -> Decisions:
    return Decisions(case_decisions(assignment), stored_decisions(assignment))


def decided_case(names: Collection[str], known: Decisions) -> DecidedCase:
    """Return the decision on the case of these names; `known` are all decisions of the assignment."""
    by_name, is_pair = known.by_name, len(names) == 2  # noqa: PLR2004 - a pair
    of_pair = known.of_pairs.get((min(names), max(names))) if is_pair else None
    if of_pair and of_pair.state != UNDECIDED:
        return DecidedCase(of_pair, [], [])
    counts = Counter(by_name[name] for name in names if name in by_name)
    former = [decision for decision, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0].pk))]
    if former and counts[former[0]] == len(names):
        return DecidedCase(former[0], [], [])
    undecided = CaseDecision(
        state=Decision.State.UNDECIDED,
        assignee=former[0].assignee if former else None,
        notes="\n\n".join(decision.notes for decision in former if decision.notes),
    )
    joined = sorted(name for name in names if name not in by_name) if former else []
    return DecidedCase(undecided, former, joined)


def case_history(case: DecidedCase) -> list[CaseChange] | list[Change]:
    """Return the changes of all decisions of a case, newest first."""
    if isinstance(case.decision, Decision):
        return decision_history(case.decision)
    saved = [decision.pk for decision in (case.decision, *case.former) if decision.pk]
    return list(CaseChange.objects.filter(decision__in=saved)) if saved else []


def followed_decision(
    by_name: Mapping[str, CaseDecision], pair: tuple[str, str], similarity: float
) -> CaseDecision | None:
    """Return the decision on a case that a pair of names follows if it was not decided itself, or None."""
    left, right = (by_name.get(name) for name in pair)
    follows = left is not None and left == right and similarity >= left.threshold
    return left if follows else None


class DecisionAnnotation(TypedDict):
    decision: str


class PairNames(NamedTuple):
    """The names of a pair, `left` sorted before `right`, and the primary keys of the submissions."""

    left: str
    right: str
    left_id: int
    right_id: int

    @classmethod
    def from_pair(cls, pair: Pair) -> Self:
        """Return the names of a pair that was fetched with both submissions."""
        return cls(pair.left.name, pair.right.name, pair.left_id, pair.right_id)

    def displayed(self, names: Names) -> PairNames:
        """Return the pair in the order in which a reader sees it."""
        if names.in_order(self.left, self.right):
            return self
        return PairNames(self.right, self.left, self.right_id, self.left_id)


def pair_names(assignment: Assignment, left_id: int, right_id: int) -> PairNames:
    """Return the names of two submissions of an assignment, sorted as in pairs.

    Raises Http404 when these are not two submissions of the assignment with different names.
    """
    both = all_submissions(assignment).filter(pk__in=(left_id, right_id))
    rows = sorted(both.order_by().values_list("name", "pk"))
    if len(dict(rows)) != 2:  # noqa: PLR2004 - a pair
        raise Http404("No such pair.")
    (left, left_pk), (right, right_pk) = rows
    return PairNames(left, right, left_pk, right_pk)


def stored_decisions(assignment: Assignment) -> dict[tuple[str, str], Decision]:
    """Return all stored decisions of an assignment by the names of the pair, (left, right)."""
    rows = readable_decisions(assignment).select_related("assignee")
    return {(row.left, row.right): row for row in rows}


def readable_decisions(assignment: Assignment) -> QuerySet[Decision]:
    """Return the stored decisions on pairs of which the reader of an assignment may see both sides."""
    hidden = withheld_names(assignment)
    stored = assignment.decisions.all()
    return stored.exclude(Q(left__in=hidden) | Q(right__in=hidden)) if hidden else stored


def with_decisions(pairs: QuerySet[Pair]) -> QuerySet[DecidedPair]:
    """Add `decision`, the state of each pair's decision.

    A pair that was not decided itself follows the decision on the case in which both submissions were; else
    it is undecided.
    """
    assignment = OuterRef("report__assignment")
    names = {"left": OuterRef("left__name"), "right": OuterRef("right__name")}
    of_pair = Decision.objects.filter(assignment=assignment, **names).exclude(state=UNDECIDED)
    # Two joins: one for each member.
    case = CaseDecision.objects.filter(assignment=assignment, threshold__lte=OuterRef("similarity"))
    for name in names.values():
        case = case.filter(members__name=name)
    states = (Subquery(decided.values("state")[:1]) for decided in (of_pair, case))
    return pairs.annotate(decision=Coalesce(*states, Value(UNDECIDED.value)))


def decided_pairs(report: Report) -> list[tuple[int, float, str]]:
    """Return the primary key, similarity and state of the pairs of a report that are not undecided."""
    decided = with_decisions(readable_pairs(report)).exclude(decision=UNDECIDED).order_by()
    return list(decided.values_list("pk", "similarity", "decision"))


def find_decision(assignment: Assignment, names: PairNames) -> Decision:
    """Return the decision on a pair, or a new unsaved one when none is stored."""
    rows = assignment.decisions.select_related("assignee")
    stored = rows.filter(left=names.left, right=names.right).first()
    return stored or Decision(assignment=assignment, left=names.left, right=names.right)


def decision_history(decision: Decision) -> list[Change]:
    """Return the changes of a decision, newest first."""
    return list(decision.changes.all()) if decision.pk else []


def possible_assignees(assignment: Assignment, decision: Decision | CaseDecision | None = None) -> QuerySet[User]:
    """Return the users to whom a pair can be assigned: who may decide, and the current assignee."""
    allowed = people_with(Right.DECIDE, assignment.course)
    current = Q(pk=decision.assignee_id) if decision and decision.assignee_id else Q(pk=None)
    return User.objects.filter((allowed & Q(is_active=True)) | current).order_by("username")


def next_below(report: Report, threshold: float, after: Pair | None) -> Pair | None:
    """Return the next undecided pair below `threshold` after the pair `after` there, or None.

    Whole copies and pairs with identical files come before the others, each most similar first.
    """
    undecided = with_decisions(readable_pairs(report).defer("passages")).filter(
        decision=UNDECIDED, similarity__lt=threshold
    )
    look = SAME_FILES if bands_of(report).many_whole else WHOLE | SAME_FILES
    parts = [look, ~look]
    if after:
        equal = Q(similarity=after.similarity)
        fewer = Q(tokens__lt=after.tokens) | Q(tokens=after.tokens, pk__gt=after.pk)
        is_look = readable_pairs(report).filter(look, pk=after.pk).exists()
        later = Q(similarity__lt=after.similarity) | (equal & fewer)
        parts = [look & later, ~look] if is_look else [~look & later]
    return next((pair for part in parts if (pair := undecided.filter(part).first())), None)


def next_in_list(rows: Sequence[tuple[int, str]], after: int | None) -> int | None:
    """Return the first undecided one of a list after the one `after`, or None.

    `rows` are primary keys and decisions in the order of the list.
    """
    keys = [pk for pk, _ in rows]
    start = keys.index(after) + 1 if after in keys else 0
    return next((pk for pk, decision in rows[start:] if decision == UNDECIDED), None)


class Assigned(NamedTuple):
    """An assignment with the number of undecided cases, and of other undecided pairs, of one assignee."""

    assignment: Assignment
    cases: int
    pairs: int


def assignees(assignment: Assignment) -> list[str]:
    """Return the usernames of the users to whom a case or a pair of an assignment is assigned."""
    cases = Q(pk__in=assignment.case_decisions.values("assignee"))
    pairs = Q(pk__in=assignment.decisions.values("assignee"))
    return list(User.objects.filter(cases | pairs).order_by("username").values_list("username", flat=True))


def assigned_to(user: User, course: Course | None = None) -> list[Assigned]:
    """Return the assignments with open cases or pairs of a user who may decide, in all courses or in one."""
    rows = Assignment.objects.filter(course__in=courses_with(user, Right.DECIDE)).select_related("course")
    if course is not None:
        rows = rows.filter(course=course)
    cases = Q(case_decisions__assignee=user, case_decisions__state=OPEN)
    pairs = Q(decisions__assignee=user, decisions__state=OPEN)
    counted = rows.annotate(
        cases=Count("case_decisions", filter=cases, distinct=True),
        pairs=Count("decisions", filter=pairs, distinct=True),
    )
    listed = counted.filter(Q(cases__gt=0) | Q(pairs__gt=0)).order_by("course__name", "name", "pk")
    return [Assigned(one, one.cases, one.pairs) for one in listed]


class CasePairs(NamedTuple):
    """A case by primary keys: its submissions in ascending order, and its stored pairs, most similar first.

    Number 1 has the most similar pair. The pairs are those at or above the threshold.
    """

    number: int
    ids: list[int]
    links: list[Link]


def report_cases(report: Report, threshold: float | None = None, member: int | None = None) -> list[CasePairs]:
    """Return the cases of a report, at another `threshold` in [0, 1] than its own if it is given.

    At the threshold that it suggests, the report knows the cases of all pairs, of which it stores only some.
    With `member`, the primary key of a submission, return only the case that it is in.
    """
    if threshold is None:
        threshold = threshold_of(report)
    stored = stored_cases(report, threshold)
    among = None
    if stored is not None and member is not None:
        among = next((ids for ids in stored if member in ids), [])
    every = _with_links(linking_pairs(report, threshold, among), stored)
    return every if member is None else [pairs for pairs in every if member in pairs.ids]


def stored_cases(report: Report, threshold: float) -> list[list[int]] | None:
    """Return the submissions of the cases of all pairs; None at a threshold of which they are not stored."""
    return report.findings.cases if report.findings and is_suggested(report, threshold) else None


def case_key(report: Report, member: int) -> int:
    """Return the submission that stands for the case of a member, or the member where that is not stored."""
    stored = stored_cases(report, threshold_of(report)) or []
    return next((ids[0] for ids in stored if member in ids), member)


def _with_links(joined: list[Link], stored: list[list[int]] | None) -> list[CasePairs]:
    """Return the cases with their stored pairs, which are among `joined`; `stored` are their submissions."""
    components = connected_components(link[:2] for link in joined) if stored is None else stored
    numbers = {pk: number for number, ids in enumerate(components, 1) for pk in ids}
    links_by_case: list[list[Link]] = [[] for _ in components]
    for link in joined:
        # A pair below the rounded threshold may join nothing, and a deleted submission is in no case.
        if numbers.get(link.left) and numbers[link.left] == numbers.get(link.right):
            links_by_case[numbers[link.left] - 1].append(link)
    return [
        CasePairs(number, ids, links)
        for number, (ids, links) in enumerate(zip(components, links_by_case, strict=True), 1)
        if links
    ]


def cases_by_member(report: Report, threshold: float | None = None) -> dict[int, CasePairs]:
    """Return the case of each submission that is in one, by primary key."""
    return {pk: pairs for pairs in report_cases(report, threshold) for pk in pairs.ids}


def pairs_above(report: Report, threshold: float) -> int:
    """Return how many pairs reach a threshold: of all at the suggested one, elsewhere of those it stores."""
    if is_suggested(report, threshold) and report.findings and report.findings.above is not None:
        return report.findings.above
    return len(linking_pairs(report, threshold))


class BandSummary(NamedTuple):
    """The sentences on the bands of a report, and counts of ordinary similarities.

    `whole` counts whole copies, where they are not many, `files` pairs with identical files.
    """

    sentences: str
    whole: int
    files: int


def band_summary(report: Report, threshold: float) -> BandSummary:
    """Return the summary of the pairs that can make a case; a report may have none, or not store all.

    Nothing is said of bands where pairs of a band are not stored.
    """
    is_whole = not report.findings or report.findings.scored <= report.findings.listed
    similarities = sorted(link.similarity for link in linking_pairs(report, 0.0)) if is_whole else []
    bands = bands_of(report, threshold)
    below, above = CAN_MAKE_CASE & Q(similarity__lt=bands.look), ~CAN_MAKE_CASE & Q(similarity__gte=bands.look)
    filters = {"whole": below & WHOLE, "files": below & SAME_FILES, "apart": above}
    counts = readable_pairs(report).aggregate(**{name: Count("pk", filter=rows) for name, rows in filters.items()})
    sentences = band_sentences(bands, similarities, translation, "\u202f", apart=counts["apart"])
    return BandSummary(sentences, 0 if bands.many_whole else counts["whole"], counts["files"])


def linking_pairs(report: Report, threshold: float, among: Collection[int] | None = None) -> list[Link]:
    """Return the stored pairs that connect cases: at or above `threshold`, and not of one student or team.

    With `among`, primary keys of submissions, return only pairs whose left submission is among them.
    """
    above = links(report, threshold, among)
    keys = compared_mates(report.assignment, {pk for link in above for pk in link[:2]})
    return [link for link in above if not are_mates(keys, link.left, link.right)] if keys else above


def is_linking(pair: Pair, threshold: float) -> bool:
    """Return whether a pair connects a case: it reaches the threshold, and can make one."""
    return pair.similarity >= threshold and pair.can_make_case


def pairs_between(report: Report, ids: Collection[int]) -> dict[frozenset[int], float]:
    """Return the similarities of all stored pairs of these submissions, by their primary keys."""
    rows = readable_pairs(report).filter(left__in=ids, right__in=ids).order_by()
    return {frozenset(pair): similarity for *pair, similarity in rows.values_list("left", "right", "similarity")}


def current_submission(report: Report, pk: int) -> int:
    """Return the id of the submission that a report ranks under the name of submission `pk`, or else `pk`."""
    name = all_submissions(report.assignment).filter(pk=pk).values("name")
    return readable_submissions(report).filter(name__in=name).values_list("pk", flat=True).first() or pk


class CaseCore(NamedTuple):
    """The number of tokens of a submission that are in its passages with each of `others` members.

    Only runs of at least `least` tokens count: fewer may be the head of a function. `counted` is the number of its
    tokens that count, `all_others` the number of all other members.
    """

    submission: Submission
    tokens: int
    counted: int
    others: int
    all_others: int
    least: int

    @property
    def share(self) -> float:
        return self.tokens / max(self.counted, 1)


def case_core(report: Report, members: Sequence[Submission]) -> CaseCore | None:
    """Return what the members of a case have in common; None for few or many members.

    It is measured on the member that has listed passages with most other members; if several have, on the
    most similar member.
    """
    if not MIN_MEMBERS <= len(members) <= MAX_MEMBERS:
        return None
    by_id = {member.pk: member for member in members}
    listed = readable_pairs(report).filter(translated=False, tokens__gt=0)
    sums: dict[int, list[float]] = defaultdict(list)
    rows = listed.filter(left__in=by_id, right__in=by_id).values_list("left", "right", "similarity")
    for left, right, similarity in rows:
        sums[left].append(similarity)
        sums[right].append(similarity)
    candidates = [pk for pk in sums if len(sums[pk]) > 1]
    of_class = Submission.objects.filter(pk__in=candidates).exclude(batch__role=Batch.Role.OTHER)
    class_ids = list(of_class.values_list("pk", flat=True))
    if not class_ids:
        return None
    chosen = max(class_ids, key=lambda pk: (len(sums[pk]), sum(sums[pk]), -pk))
    pairs = listed.filter(Q(left=chosen, right__in=by_id) | Q(right=chosen, left__in=by_id))
    counted = _counted(report, chosen)
    least = report.parameters["guarantee"]
    tokens = sum(_in_runs(flags, least) for flags in _in_all(counted, pairs, chosen))
    total = sum(int(flags.sum()) for flags in counted.values())
    return CaseCore(by_id[chosen], tokens, total, len(sums[chosen]), len(members) - 1, least)


def _in_runs(flags: Flags, least: int) -> int:
    """Return how many flags are set in runs of at least `least`."""
    edges = np.flatnonzero(np.diff(flags, prepend=False, append=False))
    lengths = edges[1::2] - edges[::2]
    return int(lengths[lengths >= least].sum())


def _counted(report: Report, submission: int) -> dict[int, Flags]:
    """Return which tokens of each file of a submission count, by the primary key of the file."""
    rows = SubmissionFile.objects.filter(submission=submission, document__state=Document.State.READY)
    heavy = ("tokens", "lexical", "lines", "coarse", "styles")
    files = list(rows.select_related("document").defer(*(f"document__{name}" for name in heavy)))
    ignored = ignored_tokens(report, files)
    counted = {file.pk: np.ones(file.document.token_count, dtype=bool) for file in files}
    for file in files:
        for first, after, _in_table in ignored.get(file.document_id, []):
            counted[file.pk][first:after] = False
    return counted


def _in_all(counted: dict[int, Flags], pairs: Iterable[Pair], submission: int) -> Collection[Flags]:
    """Return which counted tokens of each file of a submission are in passages of all pairs."""
    common = {file: flags.copy() for file, flags in counted.items()}
    for pair in pairs:
        covered = {file: np.zeros(len(flags), dtype=bool) for file, flags in counted.items()}
        for passage in pair.passages:
            one = passage if pair.left_id == submission else passage.exchanged
            if not one.common and one.left_file in covered:
                covered[one.left_file][one.left_token : one.left_token + one.tokens] = True
        for file, flags in covered.items():
            common[file] &= flags
    return common.values()


class Suspicion(NamedTuple):
    """A case by hand: a decision on two submissions of a report, which a reader sees in this order."""

    number: int
    left: Submission
    right: Submission
    decision: Decision

    @property
    def members(self) -> tuple[Submission, Submission]:
        return self.left, self.right


def suspicions(report: Report, names: Names, case_count: int) -> list[Suspicion]:
    """Return the cases by hand of a report, numbered after the `case_count` cases of the report itself."""
    decisions = list(_unlisted(readable_decisions(report.assignment), [report]))
    ids = ranked_ids(report, {name for one in decisions for name in (one.left, one.right)}) if decisions else {}
    ranked = [one for one in decisions if one.left in ids and one.right in ids]
    submissions = submissions_by_id(ids.values())
    rows = []
    for number, one in enumerate(ranked, case_count + 1):
        left, right = (submissions[ids[name]] for name in (one.left, one.right))
        if not names.in_order(one.left, one.right):
            left, right = right, left
        rows.append(Suspicion(number, left, right, one))
    return rows


def find_suspicion(
    report: Report, names: Names, ids: Collection[int], threshold: float | None = None
) -> Suspicion | None:
    """Return the case by hand of two submissions, by primary key; its number is that at a threshold."""
    every = suspicions(report, names, len(report_cases(report, threshold)))
    return next((one for one in every if {member.pk for member in one.members} == set(ids)), None)


def case_count(report: Report, threshold: float | None = None) -> int:
    """Return the number of all cases of a report, those by hand among them."""
    case_count = len(report_cases(report, threshold))
    return case_count + len(suspicions(report, Names(), case_count))


def suspicion_counts(course: Course, reports: Collection[Report]) -> Counter[int]:
    """Return the number of readable cases by hand of these newest reports of a course, by assignment."""
    of_course = Decision.objects.filter(assignment__course=course)
    hidden = [pk for report in reports for pk in report.assignment.withheld.hidden]
    for side in ("left", "right"):
        ranked = Submission.objects.filter(
            reports__in=reports, batch__assignment=OuterRef("assignment"), name=OuterRef(side)
        )
        of_course = of_course.filter(Exists(ranked.exclude(pk__in=hidden)))
    return Counter(_unlisted(of_course, reports).values_list("assignment", flat=True))


def _unlisted(decisions: QuerySet[Decision], reports: Collection[Report]) -> QuerySet[Decision]:
    """Return suspected and confirmed decisions whose pair no report of the assignment lists, oldest first."""
    listed = Pair.objects.filter(
        report__in=reports,
        report__assignment=OuterRef("assignment"),
        left__name=OuterRef("left"),
        right__name=OuterRef("right"),
    )
    suspected = decisions.filter(state__in=SUSPECTED).exclude(Exists(listed))
    return suspected.select_related("assignee").order_by("pk")


def statements_of(assignment: Assignment, names: Collection[str], *, contents: bool = False) -> list[Statement]:
    """Return the statements of submissions, the oldest first; with their `contents`, or without."""
    rows = assignment.statements.filter(name__in=names)
    return list(rows if contents else rows.defer("data"))


class ListedStatement(NamedTuple):
    """A statement, and the submission, by primary key, on whose page it was added."""

    statement: Statement
    submission: int


def listed_statements(assignment: Assignment, owners: Mapping[str, int]) -> list[ListedStatement]:
    """Return the statements of submissions without their contents; `owners` has the submissions by name."""
    return [ListedStatement(row, owners[row.name]) for row in statements_of(assignment, owners)]


def find_statement(assignment: Assignment, submission: Submission, pk: int) -> Statement:
    """Return a statement of a submission, or raise Http404."""
    return get_object_or_404(Statement, assignment=assignment, name=submission.name, pk=pk)


def submission_pairs(report: Report, submission: Submission) -> QuerySet[DecidedPair]:
    """Return the pairs of a report with this submission on either side.

    They have their submissions and their decision, but no passages; `ordered_pairs` orders them.
    """
    return with_decisions(readable_pairs(report).filter(Q(left=submission) | Q(right=submission)))


def submission_decisions(assignment: Assignment, submission: Submission) -> dict[tuple[str, str], Decision]:
    """Return the decisions on pairs with this submission's name, by the names of the pair.

    Undecided ones without assignee and notes are left out.
    """
    return {
        names: decision
        for names, decision in stored_decisions(assignment).items()
        if submission.name in names and (decision.state != UNDECIDED or decision.assignee or decision.notes)
    }
