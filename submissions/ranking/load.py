"""Load the cohort of an assignment from the database, without lexing its files again."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, product
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from django.db import connection
from django.db.models import F

from fingerprint.engine import (
    CoarseFile,
    CohortFile,
    Exclusions,
    OldPairs,
    RankingInput,
    coarse_family,
)
from submissions.comparison.orders import HashedFile, content_order
from submissions.ingest.documents import PARAMS
from submissions.mates import identities
from submissions.models import Batch, Document, Submission, SubmissionFile
from submissions.ranking.mates import find_mates
from submissions.ranking.selection import select_cohort
from submissions.rows import open_cursor
from submissions.storage.fingerprints import unpack_hashes
from submissions.storage.tokens import unpack_coarse, unpack_kinds, unpack_lexical
from submissions.task_statements import dictated_terms

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    from fingerprint.kernels.types import Flags
    from submissions.comparison.mates import Identity
    from submissions.models import Assignment, Boilerplate
    from submissions.ranking.mates import Mates
    from submissions.ranking.old_work import OldWork
    from submissions.ranking.selection import Selection

    class Digest(TypedDict):
        digest: str

    HashedSubmissionFile = WithAnnotations[SubmissionFile, Digest]

DOCUMENTS = "SELECT id, tokens, lexical, fingerprints FROM submissions_document WHERE id = ANY(%s)"
DOCUMENTS_AT_ONCE = 500
# The submission of a file that is in none.
NOWHERE = -1
# Large columns of a document that are not fetched with its file.
PACKED = ("tokens", "lexical", "fingerprints", "coarse")


@dataclass(frozen=True, slots=True)
class LoadedCohort:
    """A cohort in memory: its submissions, and its files in the order of the submissions.

    The order follows the content: which of two submissions comes first can be seen in a ranking, for example
    in the order of equal pairs, and must not reveal the order of the names. `name_ranks` has the place of
    each submission in the order of the names, from 0.

    `mates` says which submissions are not compared with each other, `identities` whose each of them is.
    `old_work` are the submissions of other assignments that were looked up; those that the report has pairs
    with are replaced by their copies once it is known which. `models` are the model solutions, by index.

    `files` and `contents` are parallel: a file, and its tokens, lines, terms and hashes. `inputs` is the
    input of the engine, with boilerplate and common code excluded; `has_boilerplate` if the class has any.
    """

    submissions: list[Submission]
    name_ranks: list[int]
    files: list[SubmissionFile]
    contents: list[CohortFile]
    inputs: RankingInput
    mates: Mates
    identities: list[Identity]
    old_work: OldWork
    models: frozenset[int]
    has_boilerplate: bool

    @property
    def listed(self) -> list[Submission]:
        """The submissions that the report has: all but old ones without a pair in it."""
        return [one for index, one in enumerate(self.submissions) if not self.is_unlisted(index)]

    @property
    def token_count(self) -> int:
        """Number of tokens, without separators."""
        return len(self.inputs.cohort.tokens.kinds) - len(self.files)

    def is_same_student(self, left: int, right: int) -> bool:
        """Return whether a pair, by indexes, is of a student's work and the same student's earlier one."""
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
        """Flags of the submissions that count nowhere, of other assignments or model solutions: bool [n]."""
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
        return self.submissions[index].pk in self.old_work.submissions

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
        return self.has_boilerplate and bool(self.inputs.cohort.tokens.ignored.any())

    def without_exclusions(self) -> RankingInput:
        """Return the input of the engine without exclusions."""
        groups = self.inputs.groups
        return RankingInput.from_files(
            self.contents, len(self.submissions), PARAMS.k, groups=groups, old_pairs=self.inputs.old_pairs
        )


def load_cohort(assignment: Assignment, selection: Selection | None = None) -> LoadedCohort:
    """Load the tokens and fingerprints of an assignment's cohort, and its boilerplate.

    By default it is the cohort of now.
    """
    selected, old_work, class_boilerplate, limit = selection or select_cohort(assignment)
    by_name = [*selected, *old_work.submissions.values()]
    rank_by_id = {submission.pk: rank for rank, submission in enumerate(by_name)}
    submissions, files = _in_content_order(by_name)
    index = {submission.pk: i for i, submission in enumerate(submissions)}
    boilerplate = [*class_boilerplate, *old_work.boilerplate]
    documents = _documents({file.document_id for file in files} | {item.document_id for item in boilerplate})
    models = frozenset(index[one.pk] for one in selected if one.batch.role == Batch.Role.MODEL)
    old_pairs = _old_pairs(selected, old_work, index)
    class_documents = {file.document_id for file in files if file.submission_id not in old_work.submissions}
    streams = _coarse_streams(class_documents | {item.document_id for item in class_boilerplate})
    contents = [
        documents[file.document_id]._replace(
            submission=index[file.submission_id],
            coarse=None if file.submission_id in old_work.submissions else streams.get(file.document_id),
        )
        for file in files
    ]
    handed_out = _exclusions(old_work.boilerplate, documents, None)
    excluded = _exclusions(class_boilerplate, documents, limit)._replace(
        coarse=[streams[item.document_id] for item in class_boilerplate if _is_whole(item, streams)],
        starter=handed_out.kinds,
        starter_lexical=handed_out.lexical,
    )
    if dictated := dictated_terms(class_boilerplate, {file.document_id for file in files}):
        excluded = excluded.with_statement(*dictated)
    mates = find_mates(assignment, submissions)
    inputs = RankingInput.from_files(
        contents, len(submissions), PARAMS.k, excluded, mates.groups, old_pairs=old_pairs
    )
    name_ranks = [rank_by_id[submission.pk] for submission in submissions]
    by_pk = identities(Submission.objects.filter(pk__in=list(index)))
    known = [by_pk[submission.pk] for submission in submissions]
    parts = submissions, name_ranks, files, contents, inputs, mates, known, old_work, models
    return LoadedCohort(*parts, has_boilerplate=bool(class_boilerplate))


def _old_pairs(uploaded: list[Submission], old_work: OldWork, index: dict[int, int]) -> OldPairs | None:
    """Return the pairs with work that counts nowhere: those looked up, and the class with model solutions."""
    by_role = {role: [one.pk for one in uploaded if one.batch.role == role] for role in Batch.Role}
    models = by_role[Batch.Role.MODEL]
    old = [*old_work.submissions, *models]
    if not old:
        return None
    pairs = chain(old_work.pairs, product(by_role[Batch.Role.CLASS], models))
    return OldPairs.from_lists(
        len(index), [index[pk] for pk in old], ((index[new], index[other]) for new, other in pairs)
    )


def _in_content_order(submissions: list[Submission]) -> tuple[list[Submission], list[SubmissionFile]]:
    """Return submissions, equal ones by primary key, and their readable files in the order of the content."""
    by_key = sorted(submissions, key=lambda submission: submission.pk)
    index = {submission.pk: number for number, submission in enumerate(by_key)}
    files = _ready_files(index)
    hashed = [HashedFile(index[file.submission_id], file.digest, file.path) for file in files]
    order = content_order(hashed, len(by_key))
    return [by_key[number] for number in order.submissions], [files[number] for number in order.files]


def _ready_files(index: dict[int, int]) -> list[HashedSubmissionFile]:
    """Return the readable files, each with its `digest`; `index` has the submissions by primary key."""
    ready = SubmissionFile.objects.filter(submission__in=index, document__state=Document.State.READY)
    slim = ready.select_related("document").defer(*(f"document__{name}" for name in PACKED))
    return list(slim.annotate(digest=F("source__sha256")).order_by("pk"))


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
    """Return whether boilerplate is a whole file with a coarse stream, and no passage."""
    return item.first is None and item.document_id in streams


def _exclusions(
    boilerplate: list[Boilerplate], documents: dict[int, CohortFile], limit: int | None
) -> Exclusions:
    # Without a limit of the instructor's own, the engine's default applies.
    return Exclusions(
        [documents[item.document_id].kinds[item.first : item.after] for item in boilerplate],
        [documents[item.document_id].lexical for item in boilerplate if item.first is None],
        "default" if limit is None else limit,
    )
