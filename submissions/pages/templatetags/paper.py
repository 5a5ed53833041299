"""Template filters for exported documents and for addresses with a filter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from submissions.comparison.visible import UNSEEN
from submissions.pages.forms.filters import query_string

if TYPE_CHECKING:
    from submissions.queries.reports import PairFilter

register = template.Library()

# Characters of a running header or footer.
MAX_CHARACTERS = 90


@register.filter
def as_query(pair_filter: PairFilter) -> str:
    """Return a report's filter as the query of an address, or "" for the default one."""
    return query_string(pair_filter, page=1)


@register.filter
def table_title(name: str) -> str:
    """Return the title of a table that can be exported."""
    return {"pairs": gettext("Pairs"), "submissions": gettext("Submissions")}[name]


@register.simple_tag
def page_of_pages() -> SafeString:
    """Return the foot of a page as CSS: its number, and that of the last one."""
    text = gettext("Page {page} of {pages}").format(page="\0page\0", pages="\0pages\0")
    parts = (
        f"counter({part})" if at % 2 else css_string(part) for at, part in enumerate(text.split("\0")) if part
    )
    return SafeString(" ".join(parts))


@register.filter
def css_string(text: str) -> SafeString:
    """Return a header or footer as a CSS string, in which all but ASCII letters and digits are escaped."""
    visible = UNSEEN.sub("", text)[:MAX_CHARACTERS]
    escaped = (char if char.isascii() and char.isalnum() else f"\\{ord(char):06x}" for char in visible)
    return SafeString(f'"{"".join(escaped)}"')
