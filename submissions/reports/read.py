"""The reports of an assignment, their filtered and sorted pairs, and the content that they leave out.

Terms in a search all hold: `case:3 decided:no similarity>60 team:B assignee:tess`. One student over a
course has the best match in each assignment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.functions import Coalesce, Greatest, Least
from django.db.models.lookups import LessThanOrEqual

from submissions.cases.read import (
    CasePairs,
    DecisionAnnotation,
    cases_by_member,
    next_below,
    next_in_list,
    with_decisions,
)
from submissions.core.access import all_submissions, readable_pairs, readable_submissions, withheld_in_course, withhold
from submissions.core.models import BestMatch, NotCompared
from submissions.core.names import Names, SearchTerm, search_terms, search_words
from submissions.core.submitters import KnownBy, student_keys
from submissions.courses.models import NOTHING_WITHHELD
from submissions.intake.sentences import UNMATCHED
from submissions.matches.groups import natural_key
from submissions.models import (
    Assignment,
    Batch,
    Boilerplate,
    BoilerplateUpload,
    CaseDecision,
    Decision,
    Entry,
    Pair,
    Report,
    Submission,
    SubmissionFile,
)
from submissions.pairs.read import TimeAnnotations, flagged_pair_ids, partly_read, threshold_of, with_times
from submissions.uploads.models import HEAVY
from submissions.uploads.read import CAN_MAKE_CASE, UNCOMPARED, alias_of, displayed_entries, submissions_by_id

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django_stubs_ext import WithAnnotations

    ListedPair = WithAnnotations[Pair, "PairAnnotations"]

# Maximum number of rows per list on a report's page; the pages of the uploads list all of them.
LISTED = 50
# A text with more digits is no primary key.
KEY_DIGITS = 18

AnyPair = TypeVar("AnyPair", bound=Pair)

LOOKUPS = {">": "gt", ">=": "gte", "<": "lt", "<=": "lte", ":": "gte"}
DECIDED = {"no": Q(decision=Decision.State.UNDECIDED), "yes": ~Q(decision=Decision.State.UNDECIDED)}
# Digits of the largest number that a term may have.
DIGITS = 6
NOTHING = Q(pk__in=[])

DecidedPairs = TypeVar("DecidedPairs", bound="Pair")

OF_CLASS = Q(left__batch__role=Batch.Role.CLASS, right__batch__role=Batch.Role.CLASS)
_WITH_MODEL = Q(with_model=True)
# The pairs of each value of the filter `work`.
OF_WORK = {"class": OF_CLASS, "model": _WITH_MODEL, "earlier": ~OF_CLASS & ~_WITH_MODEL}

SORT_FIELDS = {
    "left": "left__name",
    "right": "right__name",
    "similarity": "similarity",
    "left_share": "left_with_common",
    "right_share": "right_with_common",
    "tokens": "tokens",
    "lines": "lines",
    "longest": "longest",
}


class SkippedContent(NamedTuple):
    """Uploaded content that is not in a report.

    `entries`: the first entries of uploads that were not accepted; `files`: the first files that are not
    compared; `entry_count` and `file_count`: how many there are in total; `replaced_count`: number of
    submissions that a later upload replaced.
    """

    entries: list[Entry]
    entry_count: int
    files: list[SubmissionFile]
    file_count: int
    replaced_count: int


def class_matches(report: Report) -> list[BestMatch]:
    """Return the best matches of the submissions of the class, without those of earlier and other work."""
    best = report.findings.best if report.findings else []
    members = readable_submissions(report).filter(batch__role=Batch.Role.CLASS).order_by()
    of_class = set(members.values_list("pk", flat=True))
    return [match for match in best if match.submission in of_class]


def listed_boilerplate(assignment: Assignment) -> list[Boilerplate]:
    """Return the boilerplate of an assignment without its bytes and tokens: files first, then passages."""
    rows = readable_boilerplate(assignment).select_related("source", "document").defer("source__data", *HEAVY)
    return sorted(rows, key=lambda boilerplate: boilerplate.first is not None)


def readable_boilerplate(assignment: Assignment) -> QuerySet[Boilerplate]:
    """Return boilerplate without the passages of code that only withheld submissions have."""
    hidden = assignment.withheld.hidden
    if not hidden:
        return assignment.boilerplate.all()
    theirs = SubmissionFile.objects.filter(submission__in=hidden, document=OuterRef("document"))
    readable = SubmissionFile.objects.filter(
        submission__in=all_submissions(assignment).order_by().values("pk"), document=OuterRef("document")
    )
    return assignment.boilerplate.exclude(Q(first__isnull=False) & Exists(theirs) & ~Exists(readable))


def ignored_lines(assignment: Assignment, key: str) -> Boilerplate | None:
    """Return the ignored lines of a submission with a primary key, if the reader may see them."""
    if not (key.isascii() and key.isdigit() and len(key) <= KEY_DIGITS):
        return None
    return readable_boilerplate(assignment).filter(pk=key, first__isnull=False).first()


def listed_boilerplate_uploads(assignment: Assignment) -> list[BoilerplateUpload]:
    """Return the uploads of boilerplate that are not read yet, that failed, or that have refused entries."""
    return list(assignment.boilerplate_uploads.exclude(state=BoilerplateUpload.State.DONE, refused=0))


def skipped_content(report: Report, names: Names) -> SkippedContent:
    """Return the content of a report's uploads that is not in the report, by displayed path or name."""
    ranked = readable_submissions(report).order_by()
    entries = Entry.objects.filter(accepted=False, batch__in=ranked.values("batch"))
    refused = entries.exclude(reason=UNMATCHED).select_related("batch")
    uncompared = SubmissionFile.objects.filter(UNCOMPARED, submission__in=ranked.values("pk"))
    light = uncompared.select_related("submission", "document").defer(*HEAVY)
    uploaded = Submission.objects.filter(
        batch__assignment=report.assignment_id,
        batch__state__in=Batch.FULLY_READ,
        batch__created__lte=report.created,
        origin=None,
    )
    alias = alias_of("submission__batch__assignment", "submission__name")
    by_name = light.order_by(alias if names.hidden else "submission__name", "path")
    return SkippedContent(
        entries=list(displayed_entries(refused.order_by("batch", "name", "pk"), names)[:LISTED]),
        entry_count=refused.count(),
        files=list(by_name[:LISTED]),
        file_count=uncompared.count(),
        replaced_count=uploaded.exclude(pk__in=ranked.values("pk")).count(),
    )


def with_terms(
    pairs: QuerySet[AnyPair], report: Report, text: str, threshold: float, names: Names | None
) -> QuerySet[AnyPair]:
    """Return the pairs for which each term of a search holds; `pairs` have their decisions.

    No pair passes a term with an impossible value. Cases are formed at `threshold`.
    """
    for term in search_terms(text):
        pairs = pairs.filter(condition(report, term, threshold, names))
    return pairs


def condition(report: Report, term: SearchTerm, threshold: float, names: Names | None) -> Q:
    """Return the condition of a term of a search; NOTHING where its value is impossible."""
    if term.name == "similarity":
        return _similarity(term.operator, term.value)
    if term.name == "case":
        return _case(report, term.value, threshold)
    return OTHERS[term.name](report, term.value, names)


def _similarity(operator: str, value: str) -> Q:
    number = value.removesuffix("%")
    if not _is_number(number):
        return NOTHING
    return Q(**{f"similarity__{LOOKUPS[operator]}": int(number) / 100})


def _case(report: Report, value: str, threshold: float) -> Q:
    if not _is_number(value):
        return NOTHING
    members = {pk for pk, case in cases_by_member(report, threshold).items() if case.number == int(value)}
    return CAN_MAKE_CASE & Q(left__in=members, right__in=members, similarity__gte=threshold)


def _decided(_report: Report, value: str, _names: Names | None) -> Q:
    states = {state.value: Q(decision=state) for state in Decision.State}
    return (DECIDED | states).get(value.lower(), NOTHING)


def is_assigned(report: Report, username: str) -> Q:
    """Return the condition for pairs that are assigned to somebody, themselves or with their case."""
    of_pair = Decision.objects.filter(
        assignment=report.assignment_id,
        left=OuterRef("left__name"),
        right=OuterRef("right__name"),
        assignee__username__iexact=username,
    )
    case = CaseDecision.objects.filter(
        assignment=report.assignment_id, assignee__username__iexact=username, threshold__lte=OuterRef("similarity")
    )
    for side in ("left__name", "right__name"):
        case = case.filter(members__name=OuterRef(side))
    return Q(Exists(of_pair)) | Q(Exists(case))


def _team(report: Report, value: str, names: Names | None) -> Q:
    """Return the condition for pairs with a member of a team of the roster; a team says who an alias is."""
    if names and names.hidden:
        return NOTHING
    enrolled = Submission.objects.filter(students__enrolled__team__iexact=value)
    members = readable_submissions(report).filter(pk__in=enrolled.values("pk")).order_by().values("pk")
    return Q(left__in=members) | Q(right__in=members)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= DIGITS


OTHERS: dict[str, Callable[[Report, str, Names | None], Q]] = {
    "decided": _decided,
    "assignee": lambda report, value, _names: is_assigned(report, value),
    "team": _team,
}


class PairAnnotations(TimeAnnotations, DecisionAnnotation):
    """The annotations of a listed pair."""


@dataclass(frozen=True, slots=True)
class ReportState:
    """The state of an assignment's reports.

    `report`: the newest finished report; `pending`: a newer one is queued or running; `failed`: the newest
    report, if it failed; `cancelled`: the newest report was cancelled.
    """

    report: Report | None
    pending: bool
    failed: Report | None
    cancelled: bool = False

    @property
    def cohort_size(self) -> int:
        """Number of submissions of the finished report that its reader may see; 0 without one."""
        return self.report.cohort_size if self.report else 0  # type: ignore[attr-defined] # annotated


def report_state(assignment: Assignment) -> ReportState:
    """Return the state of an assignment's reports.

    The finished one is annotated with `cohort_size`, and `class_size` without earlier and other work; its
    findings and duplicates are fetched on first use. What the reader may not see is left out of them.
    """
    later = Boilerplate.objects.filter(
        assignment=OuterRef("assignment"),
        created__gt=OuterRef("created"),
        assignment__batches__state__in=Batch.FULLY_READ,
    )
    ranked: QuerySet[Any] = Report.submissions.through.objects.filter(report=OuterRef("pk")).order_by().values("report")
    reports = assignment.reports.defer("findings", "duplicates").annotate(
        cohort_size=Coalesce(Subquery(ranked.annotate(n=Count("pk")).values("n")), 0),
        has_later_boilerplate=Exists(later),
    )
    latest = reports.first()
    is_done = latest is not None and latest.state == Report.State.DONE
    report = latest if is_done else reports.filter(state=Report.State.DONE).first()
    if report and assignment.withheld.batches:
        withhold(report)
        report.cohort_size = readable_submissions(report).count()
    if report:
        report.class_size = report.parameters.get("submissions", report.cohort_size)  # type: ignore[attr-defined]
    if latest and latest.has_later_boilerplate:
        # A worker enqueues the next report after it has fingerprinted the new boilerplate.
        return ReportState(report, pending=True, failed=None)
    failed = latest if latest and latest.state == Report.State.FAILED else None
    cancelled = latest is not None and latest.state == Report.State.CANCELLED
    pending = latest is not None and latest.state in Report.UNFINISHED
    return ReportState(report, pending, failed, cancelled)


class ListedPairNotCompared(NamedTuple):
    """Two submissions that were not compared; `reason` is `student` or `team`."""

    left: Submission
    right: Submission
    reason: str


class ListedNotCompared(NamedTuple):
    """Submissions that a report did not compare with each other.

    See `submissions.core.models.NotCompared`.
    """

    students: int
    teams: int
    earlier: int
    models: int
    pairs: list[ListedPairNotCompared]

    @property
    def total(self) -> int:
        """Number of pairs of one student or one team."""
        return self.students + self.teams


def listed_not_compared(report: Report, names: Names) -> ListedNotCompared:
    """Return what was not compared, the pairs in the order of their displayed names."""
    stored = report.findings.not_compared if report.findings else NotCompared()
    submissions = submissions_by_id(pk for pair in stored.pairs for pk in (pair.left, pair.right))
    pairs = [
        ListedPairNotCompared(submissions[pair.left], submissions[pair.right], pair.reason)
        for pair in stored.pairs
        if pair.left in submissions and pair.right in submissions
    ]
    pairs.sort(key=lambda pair: sorted(names.display_name(side.name) for side in pair[:2]))
    return ListedNotCompared(stored.students, stored.teams, stored.earlier, stored.models, pairs)


@dataclass(frozen=True, slots=True)
class PairFilter:
    """The filter and the order of a report's list of pairs.

    text : words, each of which must occur in one of the two names
    threshold : lowest similarity in [0, 1]; 0 for none
    sort : a key of `SORT_FIELDS`, after a "-" for descending order
    decision : the state of the decision; "" for any
    flag : one of `FLAGS`; "" for any
    work : "class" for pairs within the class, "earlier" for those with earlier work, "model" for those with
        model solutions; "" for all
    assignee : the username of who is to decide; "" for any
    """

    text: str = ""
    threshold: float = 0.0
    sort: str = "-similarity"
    decision: str = ""
    flag: str = ""
    work: str = ""
    assignee: str = ""

    @property
    def narrows(self) -> bool:
        """True if the filter can exclude pairs."""
        return self != replace(PairFilter(), sort=self.sort)


def effective_threshold(report: Report, pair_filter: PairFilter) -> float:
    """Return the similarity from which on pairs are to be read: the filter's, or else the report's."""
    return pair_filter.threshold or threshold_of(report)


def ranked_pairs(report: Report, pair_filter: PairFilter, names: Names | None = None) -> QuerySet[ListedPair]:
    """Return the pairs that pass a filter, in its order.

    They have both submissions, their times and their decision, but no passages.
    """
    return ordered_pairs(filtered_pairs(report, pair_filter, names), pair_filter, names)


def filtered_pairs(report: Report, pair_filter: PairFilter, names: Names | None = None) -> QuerySet[ListedPair]:
    """Return the pairs that pass a filter, except its `decision`, which `ordered_pairs` applies."""
    pairs = with_times(with_decisions(readable_pairs(report)))
    if pair_filter.threshold > 0:
        pairs = pairs.filter(similarity__gte=pair_filter.threshold)
    if pair_filter.flag:
        pairs = pairs.filter(pk__in=flagged_pair_ids(report, pair_filter.flag))
    if pair_filter.work:
        pairs = pairs.filter(OF_WORK[pair_filter.work])
    if pair_filter.assignee:
        pairs = pairs.filter(is_assigned(report, pair_filter.assignee))
    for ids in ids_by_word(report, pair_filter.text, names):
        pairs = pairs.filter(Q(left__in=ids) | Q(right__in=ids))
    pairs = with_terms(pairs, report, pair_filter.text, effective_threshold(report, pair_filter), names)
    return cast("QuerySet[ListedPair]", pairs)


def listed_pairs(report: Report, ids: Sequence[int]) -> list[ListedPair]:
    """Return pairs by primary keys, in the order of these, as `ranked_pairs` has them."""
    pairs = with_times(with_decisions(readable_pairs(report))).select_related("left", "right")
    by_id = pairs.defer("passages").in_bulk(ids)
    return [cast("ListedPair", by_id[pk]) for pk in ids if pk in by_id]


def ids_by_word(report: Report, text: str, names: Names | None) -> list[list[int]]:
    """Return for every word of `text` the submissions whose displayed name contains it."""
    words = search_words(text)
    submissions = readable_submissions(report).values_list("pk", "name") if words else ()
    displayed = [(pk, names.display_name(name) if names else name) for pk, name in submissions]
    return [[pk for pk, name in displayed if word.is_in(name)] for word in words]


def ordered_pairs(
    pairs: QuerySet[DecidedPairs], pair_filter: PairFilter, names: Names | None = None
) -> QuerySet[DecidedPairs]:
    """Return those of `pairs` that have the filter's decision, in the filter's order."""
    pairs = pairs.select_related("left", "right").defer("passages")
    if pair_filter.decision:
        pairs = pairs.filter(decision=pair_filter.decision)
    fields = alias_fields() if names and names.hidden else _sort_fields()
    field = fields[pair_filter.sort.removeprefix("-")]
    first = field.desc() if pair_filter.sort.startswith("-") else field.asc()
    return pairs.order_by(first, "-similarity", "-tokens", fields["left"], fields["right"], "pk")


def _sort_fields() -> dict[str, Any]:
    return {key: F(field) for key, field in SORT_FIELDS.items()}


def alias_fields() -> dict[str, Any]:
    """Return `SORT_FIELDS` for pairs in the order of their aliases: real names would reveal who is who."""
    left, right = (alias_of("report__assignment", f"{side}__name") for side in ("left", "right"))
    in_order = Q(LessThanOrEqual(left, right))
    fields = _sort_fields()
    return fields | {
        "left": Least(left, right),
        "right": Greatest(left, right),
        "left_share": Case(When(in_order, then=fields["left_share"]), default=fields["right_share"]),
        "right_share": Case(When(in_order, then=fields["right_share"]), default=fields["left_share"]),
    }


def is_ranking_order(pair_filter: PairFilter) -> bool:
    """Return whether a list has all pairs, or those of a threshold and more, in the order of the ranking."""
    return replace(pair_filter, threshold=0.0, decision="") == PairFilter()


def listed(report: Report, pair_filter: PairFilter, names: Names) -> QuerySet[ListedPair]:
    """Return the pairs of a list to step through: in the order of the ranking only those at the threshold."""
    at = effective_threshold(report, pair_filter) if is_ranking_order(pair_filter) else pair_filter.threshold
    return ranked_pairs(report, replace(pair_filter, threshold=at, decision=""), names)


def next_undecided_in(report: Report, pair_filter: PairFilter, names: Names, after: Pair | None) -> Pair | None:
    """Return the next undecided pair after one in the filtered and ordered list of pairs, or None.

    In the order of the ranking, pairs below the threshold follow once those above are decided.
    """
    rows = list(listed(report, pair_filter, names).values_list("pk", "decision"))
    has_below = is_ranking_order(pair_filter)
    is_below = has_below and after is not None and after.pk not in {pk for pk, _ in rows}
    pk = None if is_below else next_in_list(rows, after.pk if after else None)
    if pk:
        return readable_pairs(report).select_related("left", "right").defer("passages").get(pk=pk)
    if not has_below or (not is_below and any(decision == "undecided" for _, decision in rows)):
        return None
    return next_below(report, effective_threshold(report, pair_filter), after if is_below else None)


class AssignmentOfStudent(NamedTuple):
    """A student's submission for one assignment, with the similarity of its best match.

    `by` is the kind of id or name by which the student is recognised there.
    """

    assignment: Assignment
    submission: Submission
    similarity: float
    at_threshold: bool
    by: KnownBy


class _Recognised(NamedTuple):
    submission: Submission
    by: KnownBy


def assignments_of_student(assignment: Assignment, submission: Submission, user: User) -> list[AssignmentOfStudent]:
    """Return the ranked assignments of the course that have work of the submission's student, in order.

    A team's work counts for each of its students. In a course with one ranked assignment, return none. A
    match that `user` may not read does not count.
    """
    reports = _newest_reports(assignment.course_id)
    if len(reports) <= 1:
        return []
    student = student_keys(Submission.objects.filter(pk=submission.pk))[submission.pk].keys()
    ranked = Submission.objects.filter(reports__in=reports, batch__role=Batch.Role.CLASS)
    similar = ranked.filter(_may_be_of(submission)).distinct()
    keys = student_keys(similar)
    known = {pk: [students[key].by for key in student & students.keys()] for pk, students in keys.items()}
    theirs = {one.pk: _Recognised(one, known[one.pk][0]) for one in similar if known[one.pk]}
    kept = withheld_in_course(assignment.course, user) if theirs else {}
    for report in reports:
        report.assignment.withheld = kept.get(report.assignment_id, NOTHING_WITHHELD)
    rows = [row for report in reports for row in _rows(withhold(report), theirs)]
    return sorted(rows, key=lambda row: (natural_key(row.assignment.name), row.assignment.pk))


def _newest_reports(course: int) -> list[Report]:
    done = Report.objects.filter(assignment__course=course, state=Report.State.DONE)
    newest = done.order_by("assignment_id", "-pk").distinct("assignment_id").select_related("assignment")
    return list(newest.defer("duplicates"))


def _may_be_of(submission: Submission) -> Q:
    """Return a condition that all submissions of the students meet, and few others."""
    students = list(submission.students.values_list("name", "identifier", "enrolled"))
    names, identifiers, enrolled = (
        ([value for value in values if value] for values in zip(*students, strict=True)) if students else ([], [], [])
    )
    return (
        Q(name__in=[submission.name, *names])
        | Q(students__name__in=[submission.name, *names])
        | Q(students__identifier__in=identifiers)
        | Q(students__enrolled__in=enrolled)
    )


def _rows(report: Report, theirs: dict[int, _Recognised]) -> list[AssignmentOfStudent]:
    """Return the student's best match in a report; of several submissions, the most similar one."""
    best = report.findings.best if report.findings else []
    matches = [match for match in best if match.submission in theirs]
    if not matches:
        return []
    match = max(matches, key=lambda match: match.similarity)
    at_threshold = match.similarity >= threshold_of(report)
    submission, by = theirs[match.submission]
    return [AssignmentOfStudent(report.assignment, submission, match.similarity, at_threshold, by)]


class ListedStudent(NamedTuple):
    """A submission of a report; `displayed` is the name that the reader sees.

    `match` is its best match, None where it shares nothing; `attempts` is the number of uploads of the
    assignment that have a submission of its name. `is_partly_read`: see `partly_read`.
    """

    displayed: str
    submission: Submission
    match: Submission | None
    similarity: float
    attempts: int
    case: CasePairs | None
    is_partly_read: bool


def listed_students(report: Report, names: Names) -> list[ListedStudent]:
    """Return the submissions of a report, by displayed name."""
    submissions = {row.pk: row for row in readable_submissions(report).select_related("batch")}
    best = {match.submission: match for match in (report.findings.best if report.findings else [])}
    uploaded = Submission.objects.filter(batch__assignment=report.assignment_id, batch__state__in=Batch.FULLY_READ)
    attempts = dict(uploaded.order_by().values_list("name").annotate(Count("pk")))
    by_member, partly = cases_by_member(report), partly_read(readable_submissions(report))
    rows = []
    for pk, submission in submissions.items():
        match = best.get(pk)
        rows.append(
            ListedStudent(
                names.display_name(submission.name),
                submission,
                submissions.get(match.match or 0) if match else None,
                match.similarity if match else 0.0,
                attempts.get(submission.name, 1),
                by_member.get(pk),
                pk in partly,
            )
        )
    return sorted(rows, key=lambda row: (row.displayed.casefold(), row.displayed))
