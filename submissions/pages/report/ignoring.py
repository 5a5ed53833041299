"""Lines that may be ignored: those of a proposal with what it changes, and starter code to register."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from submissions.comparison.source_html import LINE_END
from submissions.pages.source_view.excerpts import documents, source_excerpt
from submissions.queries.submissions import SAMENESS
from submissions.queries.withheld import readable_submissions
from submissions.storage.listings import document_text
from submissions.storage.tokens import unpack_with_lines

if TYPE_CHECKING:
    from submissions.models import IgnoringProposal, Report, Submission
    from submissions.models.records import LoweredPair
    from submissions.pages.source_view.excerpts import SourceExcerpt
    from submissions.pseudonyms.names import Names

# Starter code is in at least this part of a class of at least so many.
STARTER_SHARE, LEAST_CLASS = 0.75, 5
# Lines that fewer submissions have may have been copied.
FEW = 4
# Fewer tokens are an idiom that everybody writes.
LEAST_TOKENS = 30
# Offers, and lines of a proposal, that a page shows, and characters of a line.
MAX_OFFERS, MAX_LINES, MAX_CHARACTERS = 3, 500, 200


class StarterOffer(NamedTuple):
    """Common code of a document from its token `first` on, which most of a class have."""

    document: int
    first: int
    submissions: int
    excerpt: SourceExcerpt


class ProposedLine(NamedTuple):
    """A line of a proposal; `submissions` have it, 0 if it has no code; it is `chosen` to be ignored."""

    number: int
    text: str
    submissions: int
    chosen: bool


class LoweredRow(NamedTuple):
    """A pair that would fall below the threshold; `same`: both stay listed as identical submissions."""

    left: Submission
    right: Submission
    similarity: float
    similarity_before: float
    same: bool


def starter_offers(report: Report, names: Names) -> list[StarterOffer]:
    """Return the common code of a report that most of the class have: it looks handed out."""
    size = report.parameters.get("submissions", 0)
    common = report.findings.common if report.findings else []
    most = [
        one
        for one in common
        if size >= LEAST_CLASS
        and one.submissions >= STARTER_SHARE * size
        and one.after - one.first >= LEAST_TOKENS
    ][:MAX_OFFERS]
    by_id = documents(one.document for one in most)
    return [
        StarterOffer(
            one.document, one.first, one.submissions, source_excerpt(document, one.first, one.after, names)
        )
        for one in most
        if (document := by_id.get(one.document))
    ]


def proposal_context(proposal: IgnoringProposal, report: Report | None, names: Names) -> dict[str, Any]:
    """Return the lines of a proposal and what ignoring them would change in the newest report."""
    context: dict[str, Any] = {"proposal": proposal, "effect": proposal.effect}
    if proposal.chosen_first is None or proposal.chosen_after is None:
        return context
    _, lines = unpack_with_lines(bytes(proposal.document.tokens))
    first, last = int(lines[proposal.chosen_first]), int(lines[proposal.chosen_after - 1])
    part = int(lines[proposal.first]), int(lines[proposal.after - 1])
    rows = _lines(proposal, part, (first, last), names)
    fewest = min((row.submissions for row in rows if row.chosen and row.submissions), default=0)
    context |= {
        "lines": rows[:MAX_LINES],
        "more_lines": max(0, len(rows) - MAX_LINES),
        "first_line": first,
        "last_line": last,
        "fewest": fewest if fewest < FEW else 0,
        "withheld": bool(proposal.assignment.withheld.batches),
    }
    return context | {"lowered": _lowered(proposal, report) if report else []}


def _lines(
    proposal: IgnoringProposal, part: tuple[int, int], chosen: tuple[int, int], names: Names
) -> list[ProposedLine]:
    """Return the lines `part` of a proposal's document, first and last, of which some are chosen.

    Their text is empty where the source was deleted meanwhile.
    """
    text = dict(enumerate(LINE_END.split(names.redact_source(document_text(proposal.document))), 1))
    counts = proposal.counts
    known = {} if counts is None else dict(enumerate(counts.counts, counts.first))
    return [
        ProposedLine(
            number,
            text.get(number, "")[:MAX_CHARACTERS],
            known.get(number, 0),
            chosen[0] <= number <= chosen[1],
        )
        for number in range(part[0], part[1] + 1)
    ]


def _lowered(proposal: IgnoringProposal, report: Report) -> list[LoweredRow]:
    """Return the pairs that would fall below the threshold and that the reader may see."""
    pairs = proposal.effect.lowered if proposal.effect else []
    readable = readable_submissions(report).in_bulk({pk for pair in pairs for pk in (pair.left, pair.right)})
    groups = [set(one.submissions) for one in report.duplicates if one.sameness in SAMENESS]
    return [
        LoweredRow(
            readable[pair.left],
            readable[pair.right],
            pair.similarity,
            pair.similarity_before,
            any({pair.left, pair.right} <= group for group in groups),
        )
        for pair in pairs
        if _sides_are_in(pair, readable)
    ]


def _sides_are_in(pair: LoweredPair, submissions: dict[int, Submission]) -> bool:
    return pair.left in submissions and pair.right in submissions
