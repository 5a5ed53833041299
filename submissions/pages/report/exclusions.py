"""How a page tells what was left out of a report, and what that changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from submissions import queries
from submissions.pages.source_view.excerpts import Excerpt, documents, excerpt

if TYPE_CHECKING:
    from submissions.models import Assignment, Boilerplate, Document, Report, Submission
    from submissions.models.records import ExclusionEffect, MovedPair
    from submissions.pseudonyms.names import Names

# Of the common code that a report knows, as much as a page shows.
COMMON_SHOWN = 20


class Given(NamedTuple):
    """Code that counts for nobody; an `excerpt` of what is a passage."""

    boilerplate: Boilerplate
    excerpt: Excerpt | None


class Common(NamedTuple):
    """Common code: a piece of `tokens` tokens that `submissions` hold."""

    tokens: int
    submissions: int
    excerpt: Excerpt


class Moved(NamedTuple):
    """A pair with its similarity and larger share, each as it is and as it were with nothing left out."""

    left: Submission
    right: Submission
    similarity: float
    similarity_before: float
    share: float
    share_before: float


def given(of: Assignment, names: Names) -> list[Given]:
    """List what was handed out and the passages taken for such, in any assignment."""
    rows = queries.boilerplate_of(of)
    read = documents(one.document_id for one in rows if one.first is not None)
    return [Given(one, _excerpt_of(one, read, names)) for one in rows]


def _excerpt_of(one: Boilerplate, read: dict[int, Document], names: Names) -> Excerpt | None:
    if one.first is None or one.after is None or one.document_id not in read:
        return None
    return excerpt(read[one.document_id], one.first, one.after, names)


def exclusion_context(report: Report, names: Names) -> dict[str, Any]:
    """Return common code and the effect of all that was left out; `effect` is None in an old report."""
    common = report.findings.common if report.findings else []
    effect = report.findings.effect if report.findings else None
    read = documents(passage.document for passage in common[:COMMON_SHOWN])
    return {
        "common": [
            Common(
                one.after - one.first,
                one.submissions,
                excerpt(read[one.document], one.first, one.after, names),
            )
            for one in common[:COMMON_SHOWN]
            if one.document in read
        ],
        "more_common": max(0, len(common) - COMMON_SHOWN),
        "effect": effect,
        "shares": _shares(effect) if effect else {},
        "moved": _moved(effect.moved if effect else []),
    }


def _shares(effect: ExclusionEffect) -> dict[str, float]:
    """Return what share of all tokens boilerplate and common code are, and both together."""
    tokens = max(effect.tokens, 1)
    boilerplate, common = effect.boilerplate / tokens, effect.common / tokens
    return {"boilerplate": boilerplate, "common": common, "all": boilerplate + common}


def _moved(pairs: list[MovedPair]) -> list[Moved]:
    found = queries.submissions_by_id(pk for pair in pairs for pk in (pair.left, pair.right))
    return [
        Moved(
            found[pair.left],
            found[pair.right],
            pair.similarity,
            pair.similarity_before,
            pair.share,
            pair.share_before,
        )
        for pair in pairs
        if pair.left in found and pair.right in found
    ]
