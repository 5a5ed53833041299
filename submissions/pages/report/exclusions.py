"""The exclusions of a report and their effect on its pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from submissions.pages.source_view.excerpts import SourceExcerpt, documents, source_excerpt
from submissions.queries.exclusions import listed_boilerplate, listed_boilerplate_uploads
from submissions.queries.submissions import submissions_by_id

if TYPE_CHECKING:
    from submissions.models import Assignment, Boilerplate, Document, Report, Submission
    from submissions.models.records import ExclusionEffect, MovedPair
    from submissions.pseudonyms.names import Names

# Pieces of common code that a page lists.
MAX_COMMON_CODE = 20
# Number of pairs that a page lists as most changed by exclusions.
CHANGED_LISTED = 10


class RegisteredBoilerplate(NamedTuple):
    """Boilerplate, with an excerpt if it is a passage of a submission and not a file."""

    boilerplate: Boilerplate
    excerpt: SourceExcerpt | None


class CommonCode(NamedTuple):
    """A piece of common code of `tokens` tokens, which `submissions` submissions contain."""

    tokens: int
    submissions: int
    excerpt: SourceExcerpt


class ChangedPair(NamedTuple):
    """A pair with its similarity and its larger share, each with and (`_before`) without the exclusions."""

    left: Submission
    right: Submission
    similarity: float
    similarity_before: float
    share: float
    share_before: float


def boilerplate_context(assignment: Assignment, names: Names) -> dict[str, Any]:
    """Return the context of `_boilerplate_now.html`.

    `boilerplate_version` changes when the displayed state changes.
    """
    uploads, registered = (
        listed_boilerplate_uploads(assignment),
        registered_boilerplate(assignment, names),
    )
    displayed = (
        [(upload.pk, upload.state) for upload in uploads],
        [(row.boilerplate.pk, row.boilerplate.document.state) for row in registered],
    )
    return {
        "boilerplate_uploads": uploads,
        "boilerplate_is_read": any(upload.is_running for upload in uploads),
        "boilerplate_version": f"{crc32(repr(displayed).encode()):08x}",
        "registered_boilerplate": registered,
    }


def registered_boilerplate(assignment: Assignment, names: Names) -> list[RegisteredBoilerplate]:
    """Return an assignment's boilerplate: files that were handed out, and passages that are ignored."""
    rows = listed_boilerplate(assignment)
    if names.hidden:
        rows.sort(key=lambda row: (row.first is not None, names.redact_text(row.name), row.pk))
    by_id = documents(row.document_id for row in rows if row.first is not None)
    return [RegisteredBoilerplate(row, _boilerplate_excerpt(row, by_id, names)) for row in rows]


def _boilerplate_excerpt(
    boilerplate: Boilerplate, by_id: dict[int, Document], names: Names
) -> SourceExcerpt | None:
    first, after, document = boilerplate.first, boilerplate.after, by_id.get(boilerplate.document_id)
    if first is None or after is None or document is None:
        return None
    return source_excerpt(document, first, after, names)


def exclusion_context(report: Report, names: Names) -> dict[str, Any]:
    """Return the common code and the effect of the exclusions."""
    common = report.findings.common if report.findings else []
    effect = report.findings.effect if report.findings else None
    by_id = documents(passage.document for passage in common[:MAX_COMMON_CODE])
    return {
        "common": [
            CommonCode(
                passage.after - passage.first,
                passage.submissions,
                source_excerpt(by_id[passage.document], passage.first, passage.after, names),
            )
            for passage in common[:MAX_COMMON_CODE]
            if passage.document in by_id
        ],
        "more_common": max(0, len(common) - MAX_COMMON_CODE),
        "effect": effect,
        "shares": _excluded_shares(effect) if effect else {},
        "changed_pairs": _changed_pairs(effect.moved[:CHANGED_LISTED] if effect else []),
    }


def _excluded_shares(effect: ExclusionEffect) -> dict[str, float]:
    """Return the shares of boilerplate, of common code, and of both together among all tokens."""
    tokens = max(effect.tokens, 1)
    boilerplate, common = effect.boilerplate / tokens, effect.common / tokens
    return {"boilerplate": boilerplate, "common": common, "all": boilerplate + common}


def _changed_pairs(pairs: list[MovedPair]) -> list[ChangedPair]:
    by_id = submissions_by_id(pk for pair in pairs for pk in (pair.left, pair.right))
    return [
        ChangedPair(
            by_id[pair.left],
            by_id[pair.right],
            pair.similarity,
            pair.similarity_before,
            pair.share,
            pair.share_before,
        )
        for pair in pairs
        if pair.left in by_id and pair.right in by_id
    ]
