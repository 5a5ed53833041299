"""Load the cohort of an assignment from the database, without lexing its files again, and keep it.

Its members are stored as primary keys, so that several workers load the same one. Submissions of one
student, of one team, or both of earlier work are not compared. The memory of a cohort is estimated.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from django.conf import settings
from django.db import connection
from django.db.models import Model, QuerySet, Sum

from fingerprint import engine
from fingerprint.engine import (
    CoarseFile,
    CohortFile,
    Exclusions,
    Groups,
    OldPairs,
    RankingInput,
    coarse_family,
    count_pairs,
)
from submissions.core.database import open_cursor
from submissions.core.models import ComparedArchive, ComparedAssignment, NotCompared, NotComparedPair
from submissions.core.submitters import identities, mate_keys
from submissions.intake.packed_readings import unpack_coarse, unpack_kinds, unpack_lexical
from submissions.matches.groups import (
    EARLIER_WORK,
    STUDENT,
    TEAM,
    HashedFile,
    Identity,
    Key,
    content_order,
    group_numbers,
)
from submissions.matches.ranked_pairs import shared_files
from submissions.models import Assignment, Batch, Boilerplate, Document, RankingPlan, Submission, SubmissionFile
from submissions.reports.old_work import OldWork, find_old_work
from submissions.uploads.fingerprinting import PARAMS
from submissions.uploads.stored_documents import dictated_terms, unpack_hashes

if TYPE_CHECKING:
    from fingerprint.engine import CandidatePairs, Cohort, LexicalTable
    from fingerprint.kernels.types import Flags, Positions

    Reason = Literal["student", "team"]

# Pairs that a report lists as not compared; all are counted.
MAX_LISTED = 200

DOCUMENTS = "SELECT id, tokens, lexical, fingerprints FROM submissions_document WHERE id = ANY(%s)"
DOCUMENTS_AT_ONCE = 500
# The submission of a file that is in none.
NOWHERE = -1
# What `LoadedFile` has.
FILE_COLUMNS = (
    "pk", "submission_id", "path", "source_id", "source__sha256",
    "document_id", "document__profile", "document__spelling",
)  # fmt: skip

# What this process loaded last, and nothing else, so that its memory is bounded.
_kept: list[Kept] = []


# Estimates, on the high side: of a worker itself, for each token of the class, and for each scored pair.
WORKER_BYTES, TOKEN_BYTES, PAIR_BYTES = 350_000_000, 150, 400
CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")
# What the message begins with; it names no file, so staff may read it.
TOO_LARGE = "Ranking this class takes about "


class LoadedFile(NamedTuple):
    """A readable file: primary keys, path, digest of the bytes, and two columns of its document.

    Rows of so few columns take a tenth of the time of instances of the models.
    """

    pk: int
    submission_id: int
    path: str
    source_id: int
    digest: str
    document_id: int
    profile: str
    spelling: bytes


class Mates(NamedTuple):
    """The keys of the groups of each submission, by kind; the submissions of a group are not compared."""

    students: list[set[Key]]
    teams: list[set[Key]]
    earlier: list[set[Key]]

    @property
    def groups(self) -> Groups:
        """All groups, as numbers for the engine."""
        return Groups.from_lists(group_numbers(map(set.union, self.students, self.teams, self.earlier)))

    def is_one_group(self, members: Sequence[int]) -> bool:
        """Return whether all of these submissions, by index, have a group in common."""
        keys = (self.students[one] | self.teams[one] | self.earlier[one] for one in members)
        return bool(set.intersection(*keys))

    def not_compared(self, submissions: Sequence[Submission]) -> NotCompared:
        """Return the pairs of one student and of one team, counted and in part listed."""
        either = map(set.union, self.students, self.teams)
        of_students, together = (
            count_pairs(Groups.from_lists(group_numbers(keys))) for keys in (self.students, either)
        )
        pairs = islice(self._pairs(), MAX_LISTED)
        return NotCompared(
            students=of_students,
            teams=together - of_students,
            earlier=sum(map(bool, self.earlier)),
            pairs=[
                NotComparedPair(left=submissions[left].pk, right=submissions[right].pk, reason=reason)
                for (left, right), reason in pairs
            ],
        )

    def _pairs(self) -> Iterator[tuple[tuple[int, int], Reason]]:
        """Yield the pairs of one student, then the pairs of one team, each pair once, with the reason."""
        seen: set[tuple[int, int]] = set()
        reasons: tuple[tuple[Reason, list[set[Key]]], ...] = (("student", self.students), ("team", self.teams))
        for reason, keys in reasons:
            members: dict[Key, list[int]] = defaultdict(list)
            for number, keys_of_one in enumerate(keys):
                for key in keys_of_one:
                    members[key].append(number)
            for key in sorted(members):
                for pair in combinations(members[key], 2):
                    if pair not in seen:
                        seen.add(pair)
                        yield pair, reason


def find_mates(assignment: Assignment, submissions: Sequence[Submission]) -> Mates:
    """Return the groups of `submissions`; without `compare_mates` also those of students and of teams.

    Submissions of other assignments are earlier work, too.
    """
    in_class = set(assignment.batches.filter(role=Batch.Role.CLASS).values_list("pk", flat=True))
    earlier: list[set[Key]] = [set() if one.batch_id in in_class else {EARLIER_WORK} for one in submissions]
    if assignment.compare_mates:
        nobody: list[set[Key]] = [set() for _ in submissions]
        return Mates(nobody, nobody, earlier)
    of_class = [one.pk for one in submissions if one.batch_id in in_class]
    keys = mate_keys(assignment, Submission.objects.filter(pk__in=of_class))
    students, of_teams = (
        [{key for key in keys.get(one.pk, ()) if key[0] == kind} for one in submissions] for kind in (STUDENT, TEAM)
    )
    return Mates(students, of_teams, earlier)


class CohortChanged(Exception):
    """Something of a selection was deleted or changed since, so it cannot be loaded again."""


class Selection(NamedTuple):
    """The submissions of an assignment by name, without old ones, and everything else that is loaded."""

    submissions: list[Submission]
    old_work: OldWork
    boilerplate: list[Boilerplate]
    common_limit: int | None

    def to_json(self) -> dict[str, Any]:
        """Return the primary keys of everything."""
        return {
            "submissions": [one.pk for one in self.submissions],
            "old": list(self.old_work.submissions),
            "old_pairs": self.old_work.pairs,
            "old_boilerplate": [one.pk for one in self.old_work.boilerplate],
            "compared": [one.model_dump() for one in self.old_work.compared],
            "archive": self.old_work.archive and self.old_work.archive.model_dump(),
            "boilerplate": [one.pk for one in self.boilerplate],
            "common_limit": self.common_limit,
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Selection:
        """Load what `to_json` returned.

        Raises CohortChanged when a part was deleted, or its upload was cancelled.
        """
        submissions = _rows(Submission, stored["submissions"])
        if Batch.objects.filter(submissions__in=submissions).exclude(state__in=Batch.FULLY_READ).exists():
            raise CohortChanged
        old = _rows(Submission, stored["old"])
        old_work = OldWork(
            {one.pk: one for one in old},
            [(new, earlier) for new, earlier in stored["old_pairs"]],
            _rows(Boilerplate, stored["old_boilerplate"]),
            [ComparedAssignment(**one) for one in stored["compared"]],
            ComparedArchive(**stored["archive"]) if stored.get("archive") else None,
        )
        return cls(submissions, old_work, _rows(Boilerplate, stored["boilerplate"]), stored["common_limit"])


def _rows(model: type[Model], keys: list[int]) -> list[Any]:
    """Return the rows with these primary keys, in their order."""
    rows: Any = model._default_manager  # noqa: SLF001 - the managers of all models here are default ones
    by_key = (rows.prefetch_related("batch") if model is Submission else rows).in_bulk(keys)
    if len(by_key) < len(keys):
        raise CohortChanged
    return [by_key[key] for key in keys]


def select_cohort(assignment: Assignment) -> Selection:
    """Return the cohort of an assignment as it is now; of compared assignments, what shares most with it."""
    submissions = list(cohort_submissions(assignment))
    class_batches = set(assignment.batches.filter(role=Batch.Role.CLASS).values_list("pk", flat=True))
    in_class = {submission.pk for submission in submissions if submission.batch_id in class_batches}
    ready = SubmissionFile.objects.filter(submission__in=in_class, document__state=Document.State.READY)
    old_work = find_old_work(assignment, ready)
    return Selection(submissions, old_work, cohort_boilerplate(assignment), assignment.common_limit)


def cohort_boilerplate(assignment: Assignment) -> list[Boilerplate]:
    return list(assignment.boilerplate.filter(document__state=Document.State.READY).order_by("pk"))


def cohort_submissions(assignment: Assignment) -> QuerySet[Submission]:
    """Return the newest submission of every name, by name, in all batches whose documents were all read."""
    read = Submission.objects.filter(batch__assignment=assignment, batch__state__in=Batch.FULLY_READ)
    uploaded = read.exclude(batch__role=Batch.Role.OTHER)
    return uploaded.order_by("name", "-batch_id").distinct("name").prefetch_related("batch")


@dataclass(frozen=True)
class LoadedCohort:
    """A cohort in memory: its submissions, and its files in the order of the submissions.

    The order follows the content: which of two submissions comes first can be seen in a ranking, for example
    in the order of equal pairs, and must not reveal the order of the names. `name_ranks` has the place of
    each submission in the order of the names, from 0.

    `mates` says which are not compared with each other, `identities`, beside earlier work, who handed each in.
    `old_work` are the submissions of other assignments that were looked up; once the pairs of the report are
    known, copies replace the old submissions of these pairs. `models` are the model solutions, by index.

    `files` and `contents` are parallel: a file, and its tokens, lines, terms and hashes. `inputs` is the
    input of the engine, with boilerplate and common code excluded; `boilerplate` has the primary keys of the
    boilerplate of the class.
    """

    submissions: list[Submission]
    name_ranks: list[int]
    files: Sequence[LoadedFile]
    contents: list[CohortFile]
    inputs: RankingInput
    mates: Mates
    identities: list[Identity]
    old_work: OldWork
    models: frozenset[int]
    boilerplate: list[int]

    @property
    def listed(self) -> list[Submission]:
        """The submissions that the report has: all but old ones without a pair in it."""
        return [one for index, one in enumerate(self.submissions) if not self.is_unlisted(index)]

    @cached_property
    def submission_keys(self) -> Positions:
        """The primary keys of the submissions: int64 [n]."""
        return np.array([one.pk for one in self.submissions], dtype=np.int64)

    @cached_property
    def file_keys(self) -> Positions:
        """The primary keys of the files: int64 [n]."""
        return np.array([file.pk for file in self.files], dtype=np.int64)

    @cached_property
    def _unlisted(self) -> frozenset[int]:
        old = self.old_work.submissions
        return frozenset(index for index, one in enumerate(self.submissions) if one.pk in old) if old else frozenset()

    @cached_property
    def shared_sources(self) -> list[Counter[object]]:
        """The sources of the files of each submission that another one has too; see `shared_files`."""
        files = zip(self.files, self.contents, strict=True)
        sources = [(content.submission, file.source_id) for file, content in files]
        return shared_files(self.inputs.cohort, sources)

    @property
    def token_count(self) -> int:
        """Number of tokens, without separators."""
        return len(self.inputs.cohort.tokens.kinds) - len(self.files)

    def is_same_student(self, left: int, right: int) -> bool:
        """Return whether a pair, by indexes, is of a student's work and the same student's earlier work."""
        earlier = self.mates.earlier[left] or self.mates.earlier[right]
        return (
            bool(earlier)
            and not self.has_model(left, right)
            and self.identities[left].is_student_of(self.identities[right])
        )

    @property
    def class_size(self) -> int:
        """Number of submissions that count in what is rare or common: not those of `old`."""
        return len(self.submissions) - int(self.old.sum())

    @property
    def old(self) -> Flags:
        """Flags of the submissions that count nowhere, all but those of the class: bool [n]."""
        old_pairs = self.inputs.old_pairs
        return np.zeros(len(self.submissions), dtype=np.bool_) if old_pairs is None else old_pairs.old

    @property
    def class_tokens(self) -> Flags:
        """Flags of the tokens, with separators, of the submissions that count: bool [t]."""
        return np.repeat(~self.old, np.diff(self.inputs.cohort.submission_starts))

    def is_old(self, index: int) -> bool:
        """Return whether a submission, by index, is of another assignment or a model solution."""
        return bool(self.old[index])

    def is_unlisted(self, index: int) -> bool:
        """Return whether a submission, by index, is of another assignment and in no pair of the report."""
        return index in self._unlisted

    def has_model(self, left: int, right: int) -> bool:
        """Return whether a side of a pair, by indexes, is a model solution."""
        return not self.models.isdisjoint((left, right))

    def can_make_case(self, left: int, right: int) -> bool:
        """Return whether both sides of a pair, by indexes, were handed in, and not by one student."""
        return not (self.is_same_student(left, right) or self.has_model(left, right))

    def by_name(self, left: int, right: int) -> bool:
        """Return whether the name of submission `left` sorts before that of `right`, both by index."""
        return self.name_ranks[left] < self.name_ranks[right]

    @property
    def is_ranked_twice(self) -> bool:
        """Return whether the effect of exclusions is known only from ranking the cohort without them.

        Common code changes no similarity, and a ranking has the shares with it too.
        """
        return bool(self.boilerplate) and bool(self.inputs.cohort.tokens.ignored.any())

    def without_exclusions(self) -> RankingInput:
        groups = self.inputs.groups
        return RankingInput.from_files(
            self.contents, len(self.submissions), PARAMS.k, groups=groups, old_pairs=self.inputs.old_pairs
        )


def load_cohort(assignment: Assignment, selection: Selection | None = None) -> LoadedCohort:
    """Load the tokens and fingerprints of an assignment's cohort, and its boilerplate.

    By default it is the cohort of now.
    """
    selection = selection or select_cohort(assignment)
    selected, old_work, class_boilerplate, _ = selection
    submissions, files = _in_content_order([*selected, *old_work.submissions.values()])
    index = {submission.pk: i for i, submission in enumerate(submissions)}
    boilerplate = [*class_boilerplate, *old_work.boilerplate]
    documents = _documents({file.document_id for file in files} | {item.document_id for item in boilerplate})
    class_documents = {file.document_id for file in files if file.submission_id not in old_work.submissions}
    streams = _coarse_streams(class_documents | {item.document_id for item in class_boilerplate})
    contents = [
        documents[file.document_id]._replace(
            path=file.path,
            source=file.digest,
            submission=index[file.submission_id],
            coarse=None if file.submission_id in old_work.submissions else streams.get(file.document_id),
        )
        for file in files
    ]
    excluded = _all_exclusions(selection, documents, streams, files)
    mates, old_pairs = find_mates(assignment, submissions), _old_pairs(selected, old_work, index)
    inputs = RankingInput.from_files(contents, len(submissions), PARAMS.k, excluded, mates.groups, old_pairs=old_pairs)
    people = identities(Submission.objects.filter(pk__in=list(index))) if any(mates.earlier) else {}
    return LoadedCohort(
        submissions=submissions,
        name_ranks=name_ranks(submissions),
        files=files,
        contents=contents,
        inputs=inputs,
        mates=mates,
        identities=[people[submission.pk] for submission in submissions if people],
        old_work=old_work,
        models=frozenset(index[one.pk] for one in selected if one.batch.role == Batch.Role.MODEL),
        boilerplate=[one.pk for one in class_boilerplate],
    )


def name_ranks(submissions: list[Submission]) -> list[int]:
    """Return the place of each submission in the order of the names, by which decisions find a pair again.

    It is that of the code points, as in `submissions.cases.read.pair_names`: a database that is restored
    elsewhere may sort names otherwise.
    """
    ordered = sorted(submissions, key=lambda one: (one.name, one.pk))
    ranks = {one.pk: rank for rank, one in enumerate(ordered)}
    return [ranks[one.pk] for one in submissions]


def _all_exclusions(
    selection: Selection, documents: dict[int, CohortFile], streams: dict[int, CoarseFile], files: Sequence[LoadedFile]
) -> Exclusions:
    """Return what is left out of a ranking: boilerplate of the class and of old work, and dictated terms."""
    boilerplate = selection.boilerplate
    handed_out = _exclusions(selection.old_work.boilerplate, documents, None)
    excluded = _exclusions(boilerplate, documents, selection.common_limit)._replace(
        coarse=[streams[item.document_id] for item in boilerplate if _is_whole(item, streams)],
        starter=handed_out.kinds,
        starter_lexical=handed_out.lexical,
    )
    dictated = dictated_terms(boilerplate, {file.document_id for file in files})
    return excluded.with_statement(*dictated) if dictated else excluded


def _old_pairs(uploaded: list[Submission], old_work: OldWork, index: dict[int, int]) -> OldPairs | None:
    """Return the pairs with work that counts nowhere: those looked up, and the class with other uploads."""
    sides: tuple[list[int], list[int]] = [], []
    counted = {Batch.Role.CLASS: sides[0], Batch.Role.EARLIER: sides[1], Batch.Role.MODEL: sides[1]}
    for one in uploaded:
        counted[Batch.Role(one.batch.role)].append(index[one.pk])
    old = [*(index[pk] for pk in old_work.submissions), *sides[1]]
    if not old:
        return None
    pairs = [(index[new], index[other]) for new, other in old_work.pairs]
    return OldPairs.from_lists(len(index), old, pairs, across=sides)


def _in_content_order(submissions: list[Submission]) -> tuple[list[Submission], list[LoadedFile]]:
    """Return submissions, equal ones by primary key, and their readable files in the order of the content."""
    by_key = sorted(submissions, key=lambda submission: submission.pk)
    index = {submission.pk: number for number, submission in enumerate(by_key)}
    ready = SubmissionFile.objects.filter(submission__in=index, document__state=Document.State.READY)
    files = [LoadedFile(*row) for row in ready.order_by("pk").values_list(*FILE_COLUMNS)]
    hashed = [HashedFile(index[file.submission_id], file.digest, file.path) for file in files]
    order = content_order(hashed, len(by_key))
    return [by_key[number] for number in order.submissions], [files[number] for number in order.files]


def _documents(keys: set[int]) -> dict[int, CohortFile]:
    """Return the columns of documents, by primary key, as files of no submission, without coarse stream."""
    documents, ordered = {}, sorted(keys)
    with open_cursor(connection) as cursor:
        for start in range(0, len(ordered), DOCUMENTS_AT_ONCE):
            some = ordered[start : start + DOCUMENTS_AT_ONCE]
            for pk, tokens, lexical, packed in cursor.execute(DOCUMENTS, [some], binary=True):
                hashes = unpack_hashes(packed)
                documents[pk] = CohortFile(NOWHERE, *unpack_kinds(tokens), unpack_lexical(lexical), hashes)
    return documents


def _coarse_streams(keys: set[int]) -> dict[int, CoarseFile]:
    """Return the coarse streams by document; none are fetched where all documents are in one language."""
    documents = Document.objects.filter(pk__in=keys)
    languages = documents.values_list("language", flat=True).distinct()
    if len({coarse_family(language) for language in languages} - {""}) < 2:  # noqa: PLR2004 - one family
        return {}
    streams = {}
    for pk, packed in documents.values_list("pk", "coarse").iterator(chunk_size=100):
        if stored := unpack_coarse(bytes(packed)):
            coarse, lines = stored
            streams[pk] = CoarseFile(coarse.family, coarse.tokens.kinds, lines, coarse.terms)
    return streams


def _is_whole(item: Boilerplate, streams: dict[int, CoarseFile]) -> bool:
    return item.first is None and item.document_id in streams


def _exclusions(boilerplate: list[Boilerplate], documents: dict[int, CohortFile], limit: int | None) -> Exclusions:
    # Without a limit of the instructor's own, the engine's default applies.
    return Exclusions(
        [documents[item.document_id].kinds[item.first : item.after] for item in boilerplate],
        [documents[item.document_id].lexical for item in boilerplate if item.first is None],
        "default" if limit is None else limit,
    )


class Kept:
    """The cohort of a plan; `candidates` are the candidate pairs of its first job, if they are known."""

    def __init__(self, plan: int, cohort: LoadedCohort, candidates: CandidatePairs | None = None) -> None:
        self.plan, self.cohort, self.candidates = plan, cohort, candidates

    @cached_property
    def jobs(self) -> list[tuple[Cohort, LexicalTable]]:
        """The cohort and the terms of each scoring job with exclusions."""
        return engine.scored_cohorts(self.cohort.inputs)

    @cached_property
    def _jobs_without_exclusions(self) -> list[tuple[Cohort, LexicalTable]]:
        return engine.scored_cohorts(self.cohort.without_exclusions())

    def job(self, number: int) -> tuple[Cohort, LexicalTable]:
        """Return the cohort and the terms of a job by its number; jobs without exclusions come last."""
        count = len(self.jobs)
        return self.jobs[number] if number < count else self._jobs_without_exclusions[number - count]


def keep(kept: Kept) -> None:
    _kept[:] = [kept]


def planned(plan: RankingPlan) -> Kept:
    """Return the kept cohort of a plan, or load it; raise CohortChanged when it is not the same any more."""
    if not any(kept.plan == plan.pk for kept in _kept):
        forget()
        keep(Kept(plan.pk, _load(plan)))
    return _kept[0]


def _load(plan: RankingPlan) -> LoadedCohort:
    cohort = load_cohort(plan.report.assignment, Selection.from_json(plan.selection))
    if cohort.inputs.digest() != bytes(plan.digest):
        raise CohortChanged
    return cohort


def make_room(tokens: int) -> None:
    """Free what this process keeps unless a class of so many tokens fits in memory beside it."""
    try:
        check_memory(tokens + sum(kept.cohort.token_count for kept in _kept))
    except ClassTooLarge:
        forget()


def forget(plan_id: int | None = None) -> None:
    """Free what this process keeps of a plan, or of any."""
    if _kept and plan_id in {None, _kept[0].plan}:
        _kept.clear()


class ClassTooLarge(Exception):
    """A ranking would take more memory than it may; the message has the figures and what to do."""


def token_count(selection: Selection) -> int:
    """Return the number of tokens of a cohort, without loading them."""
    submissions = [one.pk for one in selection.submissions] + list(selection.old_work.submissions)
    files = SubmissionFile.objects.filter(submission__in=submissions, document__state=Document.State.READY)
    return int(files.aggregate(tokens=Sum("document__token_count"))["tokens"] or 0)


def check_memory(tokens: int, pairs: int = 0) -> None:
    """Raise ClassTooLarge unless a ranking of so many tokens and scored pairs fits in memory."""
    needed, limit = WORKER_BYTES + tokens * TOKEN_BYTES + pairs * PAIR_BYTES, memory_limit()
    if needed > limit:
        pairs_too = f" and {pairs:,} pairs" if pairs else ""
        raise ClassTooLarge(
            f"{TOO_LARGE}{needed / 1e9:.1f} GB of memory ({tokens:,} tokens{pairs_too}); a worker may use "
            f"{limit / 1e9:.1f} GB. Leave out files that nobody in the class wrote, or ask whoever runs this "
            "server for workers with more memory (MOSS_RANKING_MEMORY)."
        )


def memory_limit() -> int:
    """Return the bytes that a ranking may use: MOSS_RANKING_MEMORY, or those of the container or machine."""
    if settings.RANKING_MEMORY:
        return int(settings.RANKING_MEMORY)
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    container = CONTAINER_LIMIT.read_text().strip() if CONTAINER_LIMIT.exists() else ""
    return min(machine, int(container)) if container.isdigit() else machine
