"""A stored report beside what it is about: submissions with their tokens and bytes, and decisions."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import NamedTuple

from submissions.intake.packed_readings import unpack_coarse, unpack_kinds
from submissions.models import Batch, CaseDecision, Decision, Document, Pair, Report, Submission, SubmissionFile


class Tokens(NamedTuple):
    """The kinds of a file's tokens and the line of each.

    `counted` tells which the report does not ignore, and which count of a table of literals.
    """

    kinds: list[int]
    lines: list[int]
    counted: list[bool]


NO_TOKENS = Tokens([], [], [])


class CaseOnRecord(NamedTuple):
    """A decision on a case: its state, the names of its members, and the similarity that connected them."""

    state: str
    names: set[str]
    threshold: float


class Facts:
    """A finished report, with every list that it is checked against; what is large is fetched once."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.pairs = list(report.pairs.select_related("left__batch", "right__batch").order_by("pk"))
        self.submissions = {one.pk: one for one in report.submissions.select_related("batch")}
        self._tokens: dict[tuple[int, bool], Tokens] = {}

    @cached_property
    def files(self) -> dict[int, list[SubmissionFile]]:
        """The files of each submission, by its primary key."""
        rows = SubmissionFile.objects.filter(submission__in=self.submissions).select_related("source")
        by_submission: dict[int, list[SubmissionFile]] = defaultdict(list)
        for file in rows.defer("source__data").select_related("document").order_by("pk"):
            by_submission[file.submission_id].append(file)
        return by_submission

    @cached_property
    def ignored(self) -> dict[int, list[list[int]]]:
        """The spans of tokens that the report ignored, by document."""
        return dict(self.report.ignored.values_list("document_id", "spans"))

    @cached_property
    def decisions(self) -> dict[tuple[str, str], str]:
        """The decisions on pairs themselves, by both names."""
        rows = Decision.objects.filter(assignment=self.report.assignment_id)
        return {(row.left, row.right): row.state for row in rows}

    @cached_property
    def case_decisions(self) -> list[CaseOnRecord]:
        rows = CaseDecision.objects.filter(assignment=self.report.assignment_id).prefetch_related("members")
        return [CaseOnRecord(row.state, {member.name for member in row.members.all()}, row.threshold) for row in rows]

    def ready_files(self, submission: int) -> list[SubmissionFile]:
        """Return the files of a submission whose tokens were compared."""
        return [file for file in self.files[submission] if file.document.state == Document.State.READY]

    def tokens(self, file: SubmissionFile, *, coarse: bool = False) -> Tokens:
        """Return the tokens of a file, or with `coarse` its symbols in the stream of all languages."""
        key = file.document_id, coarse
        if key not in self._tokens:
            self._tokens[key] = self._unpacked(file, coarse=coarse)
        return self._tokens[key]

    def _unpacked(self, file: SubmissionFile, *, coarse: bool) -> Tokens:
        if coarse:
            unpacked = unpack_coarse(bytes(file.document.coarse))
            return Tokens(unpacked[0].tokens.kinds.tolist(), unpacked[1].tolist(), []) if unpacked else NO_TOKENS
        kinds, lines = unpack_kinds(bytes(file.document.tokens))
        spans = self.ignored.get(file.document_id, [])
        ignored = {at for first, after, *_ in spans for at in range(first, after)}
        counted = [at not in ignored for at in range(len(kinds))]
        return Tokens(kinds.tolist(), lines.tolist(), counted)


def is_of_class(submission: Submission) -> bool:
    return submission.batch.role == Batch.Role.CLASS


def title(pair: Pair) -> str:
    """Return how a contradiction names a pair."""
    return f"{pair.left.name} / {pair.right.name}"
