"""Documents about pairs, as one HTML page that needs nothing beside it."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

from django.template.loader import render_to_string
from django.utils import timezone

from submissions.pages.exports.paper import TooLong
from submissions.pages.exports.styles import style

if TYPE_CHECKING:
    from submissions.models import Report
    from submissions.pages.exports.copies import Copy, Options

# Pairs that one document may have.
MOST_PAIRS = 300


class PairDocument(NamedTuple):
    """Pairs of a report, for one reader, and what to say of them."""

    report: Report
    copy: Copy
    options: Options


def document_html(document: PairDocument) -> str:
    """Write the page.

    Raises
    ------
    TooLong
    """
    # The front-ends are loaded by the first document, not by every page.
    from submissions.pages.exports.chapters import chapters  # noqa: PLC0415

    report, copy, options = document
    assignment = report.assignment
    if len(copy.pairs) > MOST_PAIRS:
        raise TooLong(
            f"More than {MOST_PAIRS} pairs are too many for one document; take copies for single students."
        )
    context: dict[str, Any] = {
        "assignment": assignment,
        "report": report,
        "copy": copy,
        "names": copy.names,
        "options": options,
        "style": style(),
        "running": f"{assignment.course.name} · {assignment.name}",
        "created": timezone.localtime(),
        "version": version("moss-server"),
        "boilerplate": list(assignment.boilerplate.values_list("name", flat=True)),
        "chapters": chapters(report, copy.pairs, copy.names, options),
    }
    return render_to_string("submissions/exports/document.html", context)
