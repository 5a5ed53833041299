"""Entries of the audit log in the language of the page: they are stored in English, and never changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django import template
from django.utils.translation import gettext, gettext_lazy as _

from submissions.models import ApiToken, Membership

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    Label = _StrPromise | str


# Whole parts of a subject, or what stands before a colon.
LABELS: dict[str, Label] = {
    "roster": _("Roster"),
    "audit log": _("Audit log"),
    "sources": _("sources"),
    "retention": _("retention"),
    "as an administrator": _("as an administrator"),
    "owner": _("Owner"),
    "created": _("created"),
    "revoked": _("revoked"),
    "keep_months": _("Keep assignments for (months)"),
    "keep_sources_days": _("Keep sources for (days)"),
    "in_archive": _("Department's archive"),
    "hold": _("Hold"),
    "compare_archive": _("The department's archive"),
    "threshold": _("Threshold"),
    "True": _("switched on"),
    "False": _("switched off"),
    **{role.value: role.label for role in Membership.Role},
}
INVITED = re.compile(r"invited by (.*?)( as an administrator)?")
SCOPES: dict[str, Label] = {scope.value: scope.label for scope in ApiToken.Scope}
NUMBERED = re.compile(r"(link|receipt) (\d+)")


def entry_text(text: str) -> str:
    """Return who did something, or the subject of an entry, with its words in the language of the page."""
    return "; ".join(map(_part_text, text.split("; ")))


def _part_text(part: str) -> str:
    if match := INVITED.fullmatch(part):
        invited = gettext("invited by {name}").format(name=match[1])
        return f"{invited} {LABELS['as an administrator']}" if match[2] else invited
    if match := NUMBERED.fullmatch(part):
        number = match[2]
        link, receipt = gettext("link {number}"), gettext("receipt {number}")
        return (link if match[1] == "link" else receipt).format(number=number)
    label, colon, value = part.partition(": ")
    if label in {"created", "revoked"} and ", until " in value:
        return f"{LABELS[label]}: {_token_text(value)}"
    # A name before a colon is somebody's, and the role behind it; or it is a setting and its value.
    return f"{LABELS.get(label, label)}{colon}{LABELS.get(value, value)}"


def _token_text(text: str) -> str:
    """Return a token and what it may do: `laptop (moss_ab…) of ada, read, until 2026-12-24`."""
    owned, _until, day = text.rpartition(", until ")
    owned, _comma, scope = owned.rpartition(", ")
    token, _of, name = owned.rpartition(" of ")
    translated = gettext("{token} of {name}, {scope}, until {day}")
    return translated.format(token=token, name=name, scope=SCOPES.get(scope, scope), day=day)


register = template.Library()
register.filter(entry_text)
