"""How text is written in documents to take away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template
from django.utils.safestring import SafeString

from submissions.pages.forms.filters import query_string
from submissions.pages.source_view.visible import UNSEEN

if TYPE_CHECKING:
    from submissions.queries import PairFilter

register = template.Library()

# Characters of a line at the edge of a page.
LONGEST = 90


@register.filter
def as_query(chosen: PairFilter) -> str:
    """Write a report's filter as the query of an address, or "" for none."""
    return query_string(chosen, page=1)


@register.filter
def css_string(text: str) -> SafeString:
    """Write a line at the edge of a page as a CSS string: plain letters, all else by number."""
    seen = UNSEEN.sub("", text)[:LONGEST]
    plain = (char if char.isascii() and char.isalnum() else f"\\{ord(char):06x}" for char in seen)
    return SafeString(f'"{"".join(plain)}"')
