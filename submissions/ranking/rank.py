"""Rank an assignment's cohort from what is stored: nothing is lexed again."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from django.db import connection

from fingerprint import engine
from fingerprint.params import ENGINE_VERSION
from fingerprint.ranking.cohort import Cohort, common_limit
from fingerprint.ranking.terms import LexicalTable
from fingerprint.reading import token_lines
from submissions.ingest.documents import PARAMS
from submissions.models import Batch, Document, Ignored, Pair, Submission, SubmissionFile
from submissions.ranking import duplicate_groups as groups
from submissions.ranking import findings, progress
from submissions.ranking.ranked_pairs import RankedPair, ranked_pairs
from submissions.storage import fingerprints as store
from submissions.storage.sources import text_of
from submissions.storage.tokens import unpack_lexical, unpack_with_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fingerprint.hashing import Hashes
    from fingerprint.index import Owners
    from fingerprint.languages.lexical_terms import Lexical
    from fingerprint.reading import Lines
    from fingerprint.tokens import Kinds, TokenStream
    from submissions.models import Assignment, Report

# As many pairs as one report keeps, best first; nobody reads further.
SHOWN = 5_000


def cohort_of(assignment: Assignment) -> list[Submission]:
    """Give the newest upload of every submission name, over all batches that were read whole."""
    read = Submission.objects.filter(batch__assignment=assignment, batch__state__in=Batch.READ)
    return list(read.order_by("name", "-batch_id").distinct("name"))


@dataclass(frozen=True, slots=True)
class Loaded:
    """A cohort in memory; `files` in the order of the cohort's files, `owners` their submissions.

    `kinds` and `terms`: those of every file of every submission, nothing left out.
    """

    submissions: list[Submission]
    files: list[SubmissionFile]
    owners: list[int]
    tokens: dict[int, TokenStream]
    kinds: list[list[Kinds]]
    terms: list[list[Lexical]]
    cohort: Cohort
    lexical: LexicalTable


def load(assignment: Assignment, submissions: list[Submission]) -> Loaded:
    """Read the tokens of a cohort and of the assignment's boilerplate."""
    at = {submission.pk: number for number, submission in enumerate(submissions)}
    ready = SubmissionFile.objects.filter(submission__in=at, document__state=Document.State.READY)
    files = sorted(
        ready.select_related("document").defer("document__tokens", "document__lexical"),
        key=lambda file: (at[file.submission_id], file.path, file.pk),
    )
    owners = [at[file.submission_id] for file in files]
    handed_out = list(assignment.boilerplate.filter(document__state=Document.State.READY).order_by("pk"))
    read = _read({file.document_id for file in files} | {given.document_id for given in handed_out})
    kinds: list[list[Kinds]] = [[] for _ in submissions]
    terms: list[list[Lexical]] = [[] for _ in submissions]
    for file, owner in zip(files, owners, strict=True):
        kinds[owner].append(read[file.document_id].tokens.kinds)
        terms[owner].append(read[file.document_id].lexical)
    limit = common_limit(len(submissions), assignment.common_limit)
    given_kinds = [read[given.document_id].tokens.kinds[given.first : given.after] for given in handed_out]
    lines = [_lines(file, read[file.document_id]) for file in files]
    cohort = Cohort.of(kinds, PARAMS.k, given_kinds, limit, lines)
    # A passage has no terms of its own: those of its file may stand anywhere in it.
    whole = [read[given.document_id].lexical for given in handed_out if given.first is None]
    lexical = LexicalTable.of(terms, whole)
    tokens = {pk: one.tokens for pk, one in read.items()}
    return Loaded(submissions, files, owners, tokens, kinds, terms, cohort, lexical)


class _Read(NamedTuple):
    """What is stored of a document; `lines` of its tokens None where it was stored before they were kept."""

    tokens: TokenStream
    lines: Lines | None
    lexical: Lexical


def _read(documents: set[int]) -> dict[int, _Read]:
    packed = Document.objects.filter(pk__in=documents).values_list("pk", "tokens", "lexical")
    return {
        pk: _Read(*unpack_with_lines(bytes(tokens)), unpack_lexical(bytes(lexical)))
        for pk, tokens, lexical in packed.iterator(chunk_size=100)
    }


def _lines(file: SubmissionFile, read: _Read) -> Lines:
    return token_lines(text_of(file), read.tokens) if read.lines is None else read.lines


def _fingerprints(loaded: Loaded) -> tuple[Hashes, Owners]:
    """Load the cohort's fingerprints; those of a source that several handed in count for each of them."""
    hashes, documents, _ = store.load(connection, sorted({file.document_id for file in loaded.files}))
    order = np.argsort(documents, kind="stable")
    hashes, documents = hashes[order], documents[order]
    wanted = np.array([file.document_id for file in loaded.files], dtype=np.int64)
    first, after = np.searchsorted(documents, wanted), np.searchsorted(documents, wanted, side="right")
    parts = [hashes[low:high] for low, high in zip(first, after, strict=True)]
    owners = np.repeat(np.array(loaded.owners, dtype=np.int32), after - first)
    return np.concatenate([np.empty(0, np.uint64), *parts]), owners


def rank(report: Report) -> None:
    """Fill a report with its pairs and with what was ignored, in the caller's transaction.

    May run again: what an earlier run left is replaced.
    """
    assignment = report.assignment
    progress.tell(report.pk, "Loading what was read of the submissions")
    loaded = load(assignment, cohort_of(assignment))
    prints = _fingerprints(loaded)
    progress.tell(report.pk, f"Comparing {len(loaded.submissions):,} submissions with each other")
    scored = engine.rank(loaded.cohort, loaded.lexical, prints, show=sys.maxsize)
    ranking = _listed(scored)
    report.pairs.all().delete()
    report.ignored.all().delete()
    report.submissions.set(loaded.submissions)
    aligned = ranked_pairs(loaded.cohort, ranking)
    pairs = progress.counted(report.pk, "Aligning pairs", aligned, len(ranking.scores.similarity))
    Pair.objects.bulk_create((_row(report, loaded, pair) for pair in pairs), batch_size=500)
    Ignored.objects.bulk_create(_ignored_rows(report, loaded), batch_size=500)
    progress.tell(report.pk, "Grouping what belongs together")
    report.same = groups.same(loaded, *prints)
    progress.tell(report.pk, "Measuring what leaving code out changed")
    report.findings = findings.findings(loaded, prints, scored, len(ranking.scores.similarity))
    report.parameters = parameters(loaded) | {"threshold": ranking.threshold._asdict()}


def _listed(scored: engine.Ranking) -> engine.Ranking:
    rows = np.arange(min(SHOWN, len(scored.scores.similarity)))
    return scored._replace(pairs=scored.pairs.take(rows), scores=scored.scores.take(rows))


def parameters(loaded: Loaded) -> dict[str, object]:
    """Everything that a report's numbers depend on besides the sources."""
    return asdict(PARAMS) | {
        "guarantee": PARAMS.guarantee,
        "submissions": len(loaded.cohort),
        "common_limit": loaded.cohort.limit,
        "engine_version": ENGINE_VERSION,
        "versions": {"moss": version("moss-server"), "pygments": version("pygments")},
        "profiles": sorted({file.document.profile for file in loaded.files}),
    }


def _row(report: Report, loaded: Loaded, pair: RankedPair) -> Pair:
    numbers = asdict(pair) | {
        "left": loaded.submissions[pair.left],
        "right": loaded.submissions[pair.right],
        "passages": [
            [
                loaded.files[p.left_file].pk,
                p.left_token,
                loaded.files[p.right_file].pk,
                p.right_token,
                p.tokens,
                p.submissions,
            ]
            for p in pair.passages
        ],
    }
    return Pair(report=report, **numbers)


def _ignored_rows(report: Report, loaded: Loaded) -> Iterator[Ignored]:
    """One row for each document with ignored tokens.

    What is ignored is decided by the document's own tokens, so that copies of it agree.
    """
    seen = set()
    for number, file in enumerate(loaded.files):
        if file.document_id not in seen:
            seen.add(file.document_id)
            if spans := loaded.cohort.ignored_spans(number):
                yield Ignored(report=report, document_id=file.document_id, spans=spans)
