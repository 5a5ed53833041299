"""The data of one pair's page, the threshold of a report, and the flags of a pair.

Flags: identical, or but for layout, names or values; late, partly read, disguised, or by one team.
"""

from __future__ import annotations

from collections import Counter
from copy import copy
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypedDict, TypeVar

from django.db.models import Q, Sum
from django.db.models.functions import Coalesce

from submissions.core.access import all_submissions, readable_pairs, readable_submissions
from submissions.core.submitters import known_names, mate_keys
from submissions.intake.warnings import LEAST_SHARE
from submissions.matches import groups as teams
from submissions.matches.bands import WHOLE_SHARE, Bands, MovedThreshold, OtherClasses, is_whole
from submissions.matches.ranked_pairs import WHOLE_TOKENS
from submissions.models import Batch, Boilerplate, Document, Ignored, Pair, Source, Submission, SubmissionFile
from submissions.uploads.models import HEAVY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from django.db.models import QuerySet
    from django_stubs_ext import WithAnnotations

    from submissions.core.names import Names
    from submissions.matches.groups import Key
    from submissions.models import Assignment, Report

    TimedPair = WithAnnotations[Pair, "TimeAnnotations"]

AnyPair = TypeVar("AnyPair", bound=Pair)

# Fields and annotations of a pair that belong to one side.
SIDED = (
    ("left", "right"),
    ("left_share", "right_share"),
    ("left_with_common", "right_with_common"),
    ("left_time", "right_time"),
)

K = TypeVar("K")

# The values of the flag filter, in the order of its choices; `apart` selects the pairs without `team`.
FLAGS = (
    "identical", "layout", "names", "values", "files", "whole", "late", "team", "apart", "own", "model",
    "partly", "disguised",
)  # fmt: skip
# The flags of the samenesses of `fingerprint.ranking.groups`, the strongest first.
SAMENESS_FLAGS = {"identical": "identical", "layout": "layout", "names": "names", "lexical": "values"}


# The flags of pairs that are whole copies, and of pairs that are if they have enough tokens.
SAME_CODE, SAME_TOKENS = {"identical", "layout", "files"}, {"names"}
# Nearly all of one side is in shared passages; files are identical.
WHOLE = Q(tokens__gte=WHOLE_TOKENS) & (Q(left_share__gte=WHOLE_SHARE) | Q(right_share__gte=WHOLE_SHARE))
SAME_FILES = Q(same_files__gt=0)
# A file that could not be read, or in whose code the lexer may have lost its way.
READ_BADLY = Q(document__state=Document.State.FAILED) | Q(document__state=Document.State.READY) & (
    Q(document__unclosed_line__isnull=False) | Q(document__read_share__lt=LEAST_SHARE, document__token_count__gt=0)
)


def find_pair(report: Report, left_id: int, right_id: int) -> Pair | None:
    """Return the pair of two submissions, whichever is given first; its passages are fetched on first use."""
    pairs = readable_pairs(report).select_related("left__batch", "right__batch").defer("passages")
    return pairs.filter(Q(left=left_id, right=right_id) | Q(left=right_id, right=left_id)).first()


def displayed_pair(pair: AnyPair, names: Names) -> AnyPair:
    """Return the pair with its sides in the order in which a reader sees them; `pair` stays as it is.

    The sides in `passages` are not exchanged.
    """
    if names.in_order(pair.left.name, pair.right.name):
        return pair
    exchanged = copy(pair)
    for left, right in SIDED:
        if hasattr(pair, left):
            setattr(exchanged, left, getattr(pair, right))
            setattr(exchanged, right, getattr(pair, left))
    return exchanged


def pair_similarities(report: Report) -> list[float]:
    """Return the similarities of the pairs that a report lists, in no order."""
    return list(readable_pairs(report).order_by().values_list("similarity", flat=True))


def submission_names(assignment: Assignment, *ids: int) -> dict[int, str]:
    """Return the names of submissions of an assignment, ranked or not, by primary key."""
    rows = all_submissions(assignment).filter(pk__in=ids)
    return dict(rows.values_list("pk", "name"))


def pair_files(pair: Pair) -> list[SubmissionFile]:
    """Return the files of both submissions, sorted by path, without sources, tokens and syntax colours."""
    files = SubmissionFile.objects.filter(submission__in=[pair.left_id, pair.right_id])
    return list(
        files.select_related("source", "document", "submission").defer("source__data", *HEAVY).order_by("path", "pk")
    )


def add_contents(files: list[SubmissionFile]) -> None:
    """Fetch the sources, tokens and syntax colours of files that were fetched without."""
    sources = Source.objects.in_bulk({file.source_id for file in files})
    documents = Document.objects.defer("lexical", "lines", "coarse").in_bulk({file.document_id for file in files})
    for file in files:
        file.source, file.document = sources[file.source_id], documents[file.document_id]


def stored_terms(files: list[SubmissionFile]) -> dict[int, bytes]:
    """Return the packed terms of the files' documents, by the document's primary key."""
    rows = Document.objects.filter(pk__in={file.document_id for file in files})
    return {pk: bytes(lexical) for pk, lexical in rows.values_list("pk", "lexical")}


def handed_out_terms(assignment: Assignment) -> list[bytes]:
    """Return the packed terms of the whole files among an assignment's boilerplate."""
    rows = Boilerplate.objects.filter(assignment=assignment, first=None, document__state=Document.State.READY)
    return [bytes(lexical) for lexical in rows.values_list("document__lexical", flat=True)]


def ignored_tokens(report: Report, files: list[SubmissionFile]) -> dict[int, list[tuple[int, int, bool]]]:
    """Return the ignored token ranges [first, after the last) of a report by the document's primary key.

    Of each it says whether it is only in a table of literals; former rankings did not store these.
    """
    rows = Ignored.objects.filter(report=report, document__in={file.document_id for file in files})
    return {row.document_id: [(one[0], one[1], any(one[2:])) for one in row.spans] for row in rows}


def suggested_threshold(report: Report) -> float:
    """Return the similarity in [0, 1] that the ranking suggests; see `fingerprint.ranking.threshold`."""
    return float(report.parameters["threshold"]["value"])


def threshold_of(report: Report) -> float:
    """Return the similarity in [0, 1] from which on the pairs of a report are to be read."""
    chosen = report.assignment.threshold
    return suggested_threshold(report) if chosen is None else chosen


def bands_of(report: Report, threshold: float | None = None) -> Bands:
    """Return the bands of a report, at its threshold or at another one."""
    look = threshold_of(report) if threshold is None else threshold
    return Bands.of(report.parameters["threshold"], None if is_suggested(report, look) else look)


def band_of(bands: Bands, pair: Pair, flags: Iterable[Flag]) -> str:
    """Return the band of a pair with these flags."""
    kinds = {flag.kind for flag in flags}
    is_all = 1.0 if kinds & SAME_TOKENS else 0.0
    shares = () if bands.many_whole else (pair.left_share, pair.right_share)
    whole = bool(kinds & SAME_CODE) or is_whole(pair.tokens, *shares, is_all)
    return bands.band(pair.similarity, whole=whole)


def moved_threshold(report: Report) -> MovedThreshold | None:
    """Return the suggestion of the ranking before where this one is another, else None."""
    moved = report.parameters.get("moved")
    return MovedThreshold(**moved) if moved else None


def other_classes(report: Report) -> OtherClasses | None:
    """Return how similar the pairs within the assignments are that the class is compared with."""
    others = report.parameters.get("others")
    return OtherClasses(**others) if others else None


def is_suggested(report: Report, threshold: float) -> bool:
    """Return whether what the ranking stored of all pairs, with its suggestion, holds at a threshold."""
    return threshold == suggested_threshold(report)


class TimeAnnotations(TypedDict):
    left_time: datetime
    right_time: datetime


class TimedSubmission(NamedTuple):
    """A submission of a pair: primary key, name, and the time it was handed in or else uploaded."""

    pk: int
    name: str
    time: datetime


class Flag(NamedTuple):
    """`kind` is one of `FLAGS`; of late, partly read and disguised ones, `left` and `right` say which are.

    `own` is a pair of a student and the same student's earlier work, of the `term`; `model` one with a model
    solution, which nobody handed in. `files` has the number of identical files.
    """

    kind: str
    left: bool = False
    right: bool = False
    term: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class Flags:
    """The data of a report and its assignment from which the flags of its pairs follow.

    `same` maps, for each of `SAMENESS_FLAGS`, a submission's primary key to the number of its group; `mates` has the
    keys of its students and teams (`submissions.reports.cohort.Mates`), where the assignment compares these or names
    teams. `own`: the pairs of one student's own work of several years, by primary keys, with the term of an old
    assignment. `models`: the model solutions, and `partly`: the submissions that were read in part, by primary keys;
    `disguised`: the number of characters that look like others; `late`: the submissions that the platform marked.
    """

    same: dict[str, dict[int, int]]
    mates: dict[int, set[Key]]
    due: datetime | None
    earlier_terms: dict[frozenset[int], str] = field(default_factory=dict)
    models: set[int] = field(default_factory=set)
    partly: set[int] = field(default_factory=set)
    disguised: dict[int, int] = field(default_factory=dict)
    late: set[int] = field(default_factory=set)

    @classmethod
    def from_report(cls, report: Report, pair: Pair | None = None) -> Flags:
        """Return the flags of a report's pairs, or only those of one `pair`."""
        assignment = report.assignment
        submissions = readable_submissions(report)
        if pair:
            submissions = submissions.filter(pk__in=[pair.left_id, pair.right_id])
        student_pairs = _same_student_pairs(report) if pair is None else [pair] * pair.same_student
        has_mates = assignment.compare_mates or assignment.teams.strip()
        mates = mate_keys(assignment, submissions) if has_mates else {}
        same, earlier_terms = _groups_by_flag(report), _terms_of_earlier_work(student_pairs)
        submissions = submissions.order_by()
        marked = submissions.filter(Q(batch__role=Batch.Role.MODEL) | Q(late=True))
        roles = list(marked.values_list("pk", "batch__role", "late"))
        models = {pk for pk, role, _late in roles if role == Batch.Role.MODEL}
        late = {pk for pk, _role, is_late in roles if is_late}
        looked_at = partly_read(submissions), disguised_characters(submissions), late
        return cls(same, mates, assignment.due, earlier_terms, models, *looked_at)

    @property
    def kinds(self) -> list[str]:
        """The values of the flag filter that can apply: without teams, neither `team` nor `apart`."""
        same = (self.same[flag] for flag in SAMENESS_FLAGS.values())
        sources = (*same, True, True, self.due or self.late, self.mates, self.mates, self.earlier_terms, self.models)
        sources = (*sources, self.partly, self.disguised)
        return [kind for kind, source in zip(FLAGS, sources, strict=True) if source]

    def between(self, left: TimedSubmission, right: TimedSubmission, files: int = 0) -> list[Flag]:
        """Return the flags of a pair with so many identical files, the most significant first."""
        same = (kind for kind, groups in self.same.items() if _same_group(groups, left.pk, right.pk))
        flags = [Flag(kind) for kind in islice(same, 1)]
        if files and Flag("identical") not in flags:
            flags.append(Flag("files", number=files))
        late = [side.time > self.due if self.due else side.pk in self.late for side in (left, right)]
        partly = [side.pk in self.partly for side in (left, right)]
        disguised = [side.pk in self.disguised for side in (left, right)]
        for kind, (is_left, is_right) in (("disguised", disguised), ("partly", partly), ("late", late)):
            if is_left or is_right:
                flags.append(Flag(kind, left=is_left, right=is_right))
        if not self.mates.get(left.pk, set()).isdisjoint(self.mates.get(right.pk, ())):
            flags.append(Flag("team"))
        term = self.earlier_terms.get(frozenset((left.pk, right.pk)))
        if term is not None:
            flags.append(Flag("own", term=term or str(min(left.time, right.time).year)))
        if not self.models.isdisjoint((left.pk, right.pk)):
            flags.append(Flag("model"))
        return flags


def _groups_by_flag(report: Report) -> dict[str, dict[int, int]]:
    """Return the number of each submission's group by the flag of its sameness, the strongest first."""
    # Pages with flags need the findings too: both in one query.
    if deferred := report.get_deferred_fields() & {"duplicates", "findings"}:
        report.refresh_from_db(fields=sorted(deferred))
    return {
        flag: {
            pk: number
            for number, group in enumerate(one for one in report.duplicates if one.sameness == sameness)
            for pk in group.submissions
        }
        for sameness, flag in SAMENESS_FLAGS.items()
    }


def sameness_counts(report: Report, pairs: Iterable[Sequence[int]]) -> list[tuple[list[Flag], int]]:
    """Return the flag of each sameness with its number of pairs, given by primary keys; strongest first."""
    same = _groups_by_flag(report)
    kinds = (next((kind for kind in same if _same_group(same[kind], *sides)), "") for sides in pairs)
    counts = Counter(kinds)
    return [([Flag(kind)], counts[kind]) for kind in same if counts[kind]]


def _same_student_pairs(report: Report) -> QuerySet[Pair]:
    pairs = readable_pairs(report).filter(same_student=True).order_by()
    return pairs.select_related("left__batch", "right__batch").defer("passages")


def _terms_of_earlier_work(pairs: Iterable[Pair]) -> dict[frozenset[int], str]:
    """Return the term, the last part of a copy's label, of pairs of one student; empty for uploads."""
    terms: dict[frozenset[int], str] = {}
    for pair in pairs:
        label = next((side.batch.name for side in (pair.left, pair.right) if side.origin_id), "")
        terms[frozenset((pair.left_id, pair.right_id))] = label.rpartition(", ")[2]
    return terms


def _same_group(groups: Mapping[K, int], left: K, right: K) -> bool:
    return left in groups and groups[left] == groups.get(right)


def with_times(pairs: QuerySet[Pair]) -> QuerySet[TimedPair]:
    """Add `left_time` and `right_time`: when a submission was handed in, or else when it was uploaded."""
    return pairs.annotate(
        left_time=Coalesce("left__handed_in", "left__batch__created"),
        right_time=Coalesce("right__handed_in", "right__batch__created"),
    )


def timed_submissions(pair: TimedPair) -> tuple[TimedSubmission, TimedSubmission]:
    """Return both submissions of a pair that was fetched with its submissions and `with_times`."""
    return (
        TimedSubmission(pair.left_id, pair.left.name, pair.left_time),
        TimedSubmission(pair.right_id, pair.right.name, pair.right_time),
    )


def pair_flags(pair: Pair) -> list[Flag]:
    """Return the flags of a pair that was fetched with its submissions and their batches."""
    left, right = (
        TimedSubmission(side.pk, side.name, side.handed_in or side.batch.created) for side in (pair.left, pair.right)
    )
    return Flags.from_report(pair.report, pair).between(left, right, pair.same_files)


def flagged_pair_ids(report: Report, kind: str) -> list[int]:
    """Return the primary keys of a report's pairs with a flag, or for `apart` of those without `team`."""
    columns = ("left_id", "left__name", "left_time", "right_id", "right__name", "right_time")
    if kind in {"whole", "files"}:
        selected = WHOLE if kind == "whole" else SAME_FILES
        return list(readable_pairs(report).filter(selected).values_list("pk", flat=True))
    flags, flag_kind = Flags.from_report(report), "team" if kind == "apart" else kind
    ids = []
    for pk, *row in with_times(readable_pairs(report).order_by()).values_list("pk", *columns):
        pair_flags = flags.between(TimedSubmission(*row[:3]), TimedSubmission(*row[3:]))
        if any(flag.kind == flag_kind for flag in pair_flags) != (kind == "apart"):
            ids.append(pk)
    return ids


def disguised_characters(submissions: QuerySet[Submission]) -> dict[int, int]:
    """Return the number of characters that nobody sees or that look like others, of submissions with some."""
    files = SubmissionFile.objects.filter(document__disguised__gt=0, submission__in=submissions)
    rows = files.order_by().values("submission").annotate(characters=Sum("document__disguised"))
    return dict(rows.values_list("submission", "characters"))


def partly_read(submissions: QuerySet[Submission]) -> set[int]:
    """Return the primary keys of those submissions that have a file that was not read, or read badly.

    That such a one has no match is no finding.
    """
    files = SubmissionFile.objects.filter(READ_BADLY, submission__in=submissions)
    return set(files.values_list("submission_id", flat=True).distinct())


def unknown_team_members(assignment: Assignment) -> list[str]:
    """Return the names in an assignment's teams that nobody who handed in has; none before an upload."""
    names = known_names(Submission.objects.filter(batch__assignment=assignment))
    return teams.unknown_names(assignment.teams, names) if names else []
