"""Documents about pairs: one HTML page that needs nothing beside it, and the same page as PDF."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

from django.template.loader import render_to_string
from django.utils import timezone

from submissions.pages.exports.pdf import printed
from submissions.pages.exports.source_rows import TooLong
from submissions.pages.exports.styles import style

if TYPE_CHECKING:
    from collections.abc import Callable

    from submissions.models import Report
    from submissions.pages.exports.copies import Copy, Options

# Pairs of one document.
PAIRS = 300


class Format(NamedTuple):
    """What a document may be taken as; `write` makes the file of its HTML."""

    title: str
    content_type: str
    write: Callable[[str], bytes]


FORMATS = {
    "pdf": Format("PDF", "application/pdf", printed),
    "html": Format("HTML file", "text/html; charset=utf-8", str.encode),
}


class Document(NamedTuple):
    """A copy of pairs of a report, and what to say of them."""

    report: Report
    copy: Copy
    options: Options


def html(document: Document) -> str:
    """Write the page.

    Raises
    ------
    TooLong
    """
    # The front-ends are loaded by the first document, not by every page.
    from submissions.pages.exports.chapters import chapters  # noqa: PLC0415

    report, copy, options = document
    of = report.assignment
    if len(copy.pairs) > PAIRS:
        raise TooLong(
            f"More than {PAIRS} pairs are too many for one document; take copies for single students."
        )
    context: dict[str, Any] = {
        "assignment": of,
        "report": report,
        "copy": copy,
        "names": copy.names,
        "options": options,
        "style": style(),
        "running": f"{of.course.name} · {of.name}",
        "made": timezone.localtime(),
        "version": version("moss-server"),
        "boilerplate": list(of.boilerplate.values_list("name", flat=True)),
        "chapters": chapters(report, copy.pairs, copy.names, options),
    }
    return render_to_string("submissions/takeaway/document.html", context)
