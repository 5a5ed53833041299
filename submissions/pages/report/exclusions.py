"""How a page tells what was left out of a report, and what that changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from submissions import queries
from submissions.pages.source_view.excerpts import Excerpt, documents, excerpt

if TYPE_CHECKING:
    from submissions.models import Assignment, Boilerplate, Document, Report, Submission
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


def left_out_context(report: Report, names: Names) -> dict[str, Any]:
    """Give common code and the effect of all that was left out; `effect` is empty in an old report."""
    common, effect = report.findings.get("common", []), report.findings.get("effect", {})
    read = documents(row[0] for row in common[:COMMON_SHOWN])
    return {
        "common": [
            Common(after - first, holders, excerpt(read[pk], first, after, names))
            for pk, first, after, holders in common[:COMMON_SHOWN]
            if pk in read
        ],
        "more_common": max(0, len(common) - COMMON_SHOWN),
        "effect": _effect(effect),
        "moved": _moved(effect.get("moved", [])),
    }


def _effect(told: dict[str, Any]) -> dict[str, Any]:
    """Add what share of all tokens each kind is."""
    if not told:
        return {}
    whole = max(told["tokens"], 1)
    shares = {f"{kind}_share": told[kind] / whole for kind in ("boilerplate", "common")}
    return told | shares | {"share": sum(shares.values())}


def _moved(rows: list[list[Any]]) -> list[Moved]:
    found = queries.submissions_by_id(pk for row in rows for pk in row[:2])
    return [
        Moved(found[left], found[right], *figures)
        for left, right, *figures in rows
        if left in found and right in found
    ]
