"""How figures and addresses are written on the pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template
from django.urls import reverse
from django.utils.safestring import SafeString

from submissions.pages.source_view.visible import visible, visible_plainly

if TYPE_CHECKING:
    from django.template import Context

    from submissions.pseudonyms.names import Names

register = template.Library()


@register.filter
def percent(share: float) -> str:
    """Write a share as a whole percentage; 100 % and 0 % are kept for exactly that."""
    whole = round(share * 100)
    if whole == 100 and share < 1:  # noqa: PLR2004
        return "99\u202f%"
    return "<1\u202f%" if whole == 0 and share > 0 else f"{whole}\u202f%"


@register.filter
def shown(name: object) -> SafeString:
    """Write a name that came with an upload so that nothing in it can hide or mislead."""
    return SafeString(visible(str(name)))


@register.filter
def plain(text: object) -> SafeString:
    """Write as `shown` does, where no markup can stand."""
    return SafeString(visible_plainly(str(text)))


@register.simple_tag(takes_context=True)
def who(context: Context, name: str) -> SafeString:
    """Write a submission's name, or on an anonymous page its made-up one; `names` is in the context."""
    return shown(names_in(context).of(name))


@register.simple_tag(takes_context=True)
def who_plainly(context: Context, name: str) -> SafeString:
    """Write as `who` does, where no markup can stand: in titles and attributes."""
    return plain(names_in(context).of(name))


@register.simple_tag(takes_context=True)
def redacted(context: Context, text: str) -> SafeString:
    """Write a path, the name of an upload or a message with what stands for the names in it."""
    return shown(names_in(context).text(text))


@register.simple_tag(takes_context=True)
def redacted_plainly(context: Context, text: str) -> SafeString:
    """Write as `redacted` does, where no markup can stand."""
    return plain(names_in(context).text(text))


@register.simple_tag(takes_context=True)
def redacted_entry(context: Context, path: str) -> SafeString:
    """Write the path of what was not taken, whose folder may name somebody who is in no list of names."""
    return shown(names_in(context).entry(path))


def names_in(context: Context) -> Names:
    names: Names = context["names"]
    return names


@register.simple_tag(takes_context=True)
def pair_url(context: Context, left: int, right: int) -> str:
    """Give the address of a pair: on a shared page, `token` in the context, its shared one."""
    if token := context.get("token"):
        return reverse("shared_pair", args=[token, left, right])
    return reverse("pair", args=[context["assignment"].pk, left, right])


@register.filter
def hundredths(share: float) -> str:
    """Write a share as an attribute of a chart."""
    return f"{share * 100:.1f}"


@register.simple_tag
def next_sort(key: str, current: str) -> str:
    """Give the order that a click on a column's heading asks for: names from A, figures from the most."""
    first = key if key in {"left", "right"} else f"-{key}"
    if current != first:
        return first
    return f"-{key}" if first == key else key


@register.simple_tag(takes_context=True)
def page_url(context: Context, key: str, number: int) -> str:
    """Give the address of the same page with another page of the list that `key` stands for."""
    query = context["request"].GET.copy()
    query[key] = str(number)
    return f"?{query.urlencode()}"


@register.simple_tag
def sorted_by(key: str, current: str) -> str:
    """Give the value of aria-sort for a column."""
    if current.removeprefix("-") != key:
        return "none"
    return "descending" if current.startswith("-") else "ascending"


@register.filter
def spoken(name: str) -> str:
    """Write a parameter's key as words."""
    return name.replace("_", " ").capitalize()


@register.filter
def figure(value: object) -> str:
    """Write a parameter's value."""
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return "off" if value is None else str(value)
