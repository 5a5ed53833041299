"""A sentence on when the commits of submissions were made, with days only: it is a fact and no verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _, pgettext

from submissions.pages.templatetags.pages import names_in, visible

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from django.template import Context
    from django.utils.safestring import SafeString

    from submissions.models import Submission

register = template.Library()


@register.simple_tag(takes_context=True)
def commits_of(context: Context, *submissions: Submission) -> SafeString:
    """Return the first and last day of the commits of each submission, and how many; empty without any."""
    names, parts = names_in(context), list[str]()
    for one in submissions:
        if commits := one.commits:
            text = _("of {name}: {days} ({n})") if parts else _("Commits of {name}: {days} ({n})")
            days = days_between(commits.first_time, commits.last_time)
            parts.append(text.format(name=names.display_name(one.name), days=days, n=f"{commits.number:,}"))
    if not parts:
        return visible("")
    return visible(_("{commits}. Anybody can set the times of commits.").format(commits="; ".join(parts)))


@register.simple_tag(takes_context=True)
def commits_of_all(context: Context, submissions: Iterable[Submission]) -> SafeString:
    """Return the sentence of `commits_of` for the members of a case."""
    return commits_of(context, *submissions)


def days_between(first: datetime, last: datetime) -> str:
    """Return two days of this server's time zone as text: `3 to 9 May 2026`, or one: `11 May 2026`."""
    first, last = localtime(first), localtime(last)
    until = date_format(last, _("j F Y"))
    if first.date() == last.date():
        return until
    pattern = _("j F Y")
    if first.year == last.year:
        same_month = first.month == last.month
        pattern = pgettext("format of a day", "j") if same_month else pgettext("format of a day", "j F")
    return _("{first} to {last}").format(first=date_format(first, pattern), last=until)
