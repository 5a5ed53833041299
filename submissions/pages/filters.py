"""Template tags and filters for names, figures, addresses, uploads and times of commits.

A sentence on commits has days only: it is a fact and no verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import chain, pairwise
from textwrap import dedent
from typing import TYPE_CHECKING

from django import template
from django.template.defaultfilters import date
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import json_script
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext, gettext as _, gettext_lazy, ngettext, pgettext

from submissions.matches.differences import DifferenceSummary, count_changed
from submissions.matches.line_by_line import DiffRow, differing_words
from submissions.matches.ranked_pairs import percent_text
from submissions.matches.source_html import cells_text, in_cell, visible_html, visible_text
from submissions.pages import language as warning_texts
from submissions.pages.language import (
    BROWSER,
    HINTS,
    SCRIPT_TEXTS,
    SYSTEM,
    THEMES,
    chosen_language,
    languages,
    theme_of,
)

if TYPE_CHECKING:
    from django.template import Context

    from submissions.core.names import Names
    from submissions.models import Batch, CaseDecision, Course, Report, Submission

register = template.Library()

TERM_KINDS = {
    "literal": gettext_lazy("literal"),
    "name": gettext_lazy("name"),
    "word": gettext_lazy("word"),
    "import": gettext_lazy("import"),
}
# The states and fields of a decision, as they stand inside a sentence.
STATE_WORDS = {
    "undecided": gettext_lazy("undecided"),
    "clear": gettext_lazy("clear"),
    "suspicious": gettext_lazy("suspicious"),
    "confirmed": gettext_lazy("confirmed"),
}
FIELD_WORDS = {"state": gettext_lazy("state"), "assignee": gettext_lazy("assignee"), "notes": gettext_lazy("notes")}


@register.simple_tag(takes_context=True)
def theme(context: Context) -> str:
    """Return the theme of the page; an error page, which has no request, follows the system."""
    request = context.get("request")
    return theme_of(request) if request else SYSTEM


@register.inclusion_tag("submissions/parts/_hint.html", takes_context=True)
def hint(context: Context, name: str) -> dict[str, object]:
    """Show a hint to a signed-in user who has not dismissed it; readers of a share link have none."""
    from submissions.core.accounts import has_dismissed  # noqa: PLC0415 - `moss check` uses these tags without the models

    user = context["user"]
    is_reader = context.get("readonly") or not user.is_authenticated
    text = "" if is_reader or has_dismissed(user, name) else HINTS[name]
    of_request = {key: context.get(key, "") for key in ("csrf_token", "request")}
    return {"name": name, "text": text, **of_request}


@register.simple_tag(takes_context=True)
def rights_in(context: Context, course: Course) -> dict[str, bool]:
    """Return what the reader of a page may do in a course: nothing behind a share link."""
    from submissions.core.rights import allowed, rights  # noqa: PLC0415 - `moss check` uses these tags without the models

    return allowed(frozenset() if context.get("readonly") else rights(context["user"], course))


@register.simple_tag
def themes() -> dict[str, str]:
    return {theme: str(label) for theme, label in THEMES.items()}


@register.simple_tag(takes_context=True)
def language_choice(context: Context) -> str:
    """Return the language that the browser remembers, or that it has none."""
    request = context.get("request")
    return chosen_language(request) if request else BROWSER


@register.simple_tag(name="languages")
def language_labels() -> dict[str, str]:
    return languages()


@register.simple_tag
def script_texts(script: str) -> SafeString:
    """Return the texts of a script as JSON, in the language of the page; `texts.js` reads them."""
    return json_script(SCRIPT_TEXTS[script], f"{script}-texts")


@register.filter
def deletion_day(deletions: dict[int, datetime], assignment: int) -> datetime | None:
    """Return when an assignment is deleted by the retention of its course, if that was announced."""
    return deletions.get(assignment)


@register.filter
def dedented(text: str) -> str:
    """Return a text without the spaces before all of its lines."""
    return dedent(text)


@register.filter
def term_kind(kind: str) -> str:
    """Return the kind of a shared term in words."""
    return str(TERM_KINDS[kind])


@register.filter
def category_counts(differences: DifferenceSummary) -> list[str]:
    """Return numbers of lexemes that are written differently as text, such as `3 names`."""
    return counted(count_changed([differences]))


def cells_at(cells: Sequence[int], *lines: int) -> str:
    """Return where the first and the last line are in a notebook, as people see them; else an empty text."""
    return cells_text(cells, lines, _("cell {cell}, line {line}"))


@register.filter
def place_in(line: int, cells: Sequence[int]) -> str:
    return cells_at(cells, line) or _("line %(number)s") % {"number": line}


@register.filter
def number_in(line: int, cells: Sequence[int]) -> int:
    """Return the number of a line, in a notebook that in its cell; 0 for none."""
    return in_cell(cells, line)[1]


@register.filter
def marked_lines(row: DiffRow) -> list[SafeString]:
    """Return both lines of a row as HTML, with marks on the words that differ."""
    sides = []
    for line, words in zip((row.left, row.right), differing_words(row), strict=True):
        edges = [0, *chain.from_iterable(words), len(line)]
        parts = (visible_html(line[start:end]) for start, end in pairwise(edges))
        marked = (f"<i>{part}</i>" if at % 2 else part for at, part in enumerate(parts))
        sides.append(SafeString("".join(marked)))
    return sides


@register.filter
def percent(share: float) -> str:
    """Return a share in whole percent, rounded downwards."""
    return percent_text(share, "\u202f")


@register.simple_tag
def percent_with_common(share: float, with_common: float) -> tuple[str, str]:
    """Return a share with common code as `percent` does, and without it if that is another percentage."""
    without = percent(share)
    if percent(with_common) == without:
        return without, ""
    return percent(with_common), without


@register.filter
def visible(text: object) -> SafeString:
    """Return text from an upload as HTML, with invisible and misleading characters spelled out."""
    return SafeString(visible_html(str(text)))


@register.filter
def visible_plain(text: object) -> SafeString:
    """Return text as `visible` does, but without elements: for titles and attributes."""
    return SafeString(visible_text(str(text)))


@register.simple_tag(takes_context=True)
def display_name(context: Context, name: str) -> SafeString:
    """Return a submission's name, or its alias on an anonymous page; the context has `names`."""
    return visible(names_in(context).display_name(name))


@register.simple_tag(takes_context=True)
def display_name_plain(context: Context, name: str) -> SafeString:
    """Return a name as `display_name` does, but without elements: for titles and attributes."""
    return visible_plain(names_in(context).display_name(name))


@register.simple_tag(takes_context=True)
def identifier(context: Context, submission: Submission) -> SafeString:
    """Return the id, login or e-mail address of a submission; nothing where names are hidden."""
    return visible(names_in(context).displayed_ids(submission))


@register.simple_tag(takes_context=True)
def display_names(context: Context, left: str, right: str) -> tuple[SafeString, SafeString]:
    """Return the names of a pair as `display_name` does, in the order in which the reader sees them."""
    pair = (left, right) if names_in(context).in_order(left, right) else (right, left)
    return display_name(context, pair[0]), display_name(context, pair[1])


@register.simple_tag(takes_context=True)
def name_list(context: Context, names: Iterable[str]) -> SafeString:
    """Return several names as `display_name` does, for a sentence."""
    return SafeString(", ".join(display_name(context, name) for name in names))


@register.filter
def state_word(state: str) -> str:
    """Return the word for a decision's state; a stored change has the English label of the state."""
    return str(STATE_WORDS.get(state.lower(), state))


@register.filter
def state_list(decisions: Iterable[CaseDecision]) -> str:
    """Return the states of several decisions, for a sentence."""
    return ", ".join(state_word(decision.state) for decision in decisions)


@register.filter
def field_word(field: str) -> str:
    """Return the word for the field of a decision that a change is of."""
    return str(FIELD_WORDS.get(field, field))


@register.simple_tag(takes_context=True)
def upload_time(context: Context, time: datetime) -> str:
    """Return when something was uploaded or handed in; only the day where names are hidden.

    The exact time can reveal who handed in.
    """
    return date(localtime(time), gettext("j M Y") if names_in(context).hidden else gettext("j M Y, H:i T"))


@register.simple_tag(takes_context=True)
def redacted(context: Context, text: str) -> SafeString:
    """Return a path, the name of an upload or a message, with the names in it replaced."""
    return visible(names_in(context).redact_text(text))


@register.simple_tag(takes_context=True)
def redacted_plain(context: Context, text: str) -> SafeString:
    """Return text as `redacted` does, but without elements: for titles and attributes."""
    return visible_plain(names_in(context).redact_text(text))


@register.simple_tag(takes_context=True)
def redacted_entry(context: Context, path: str) -> SafeString:
    """Return the path of a skipped entry; its folder may name a person who is in no list of names."""
    return visible(names_in(context).redact_entry(path))


def names_in(context: Context) -> Names:
    names: Names = context["names"]
    return names


@register.simple_tag(takes_context=True)
def pair_url(context: Context, left: int, right: int) -> str:
    """Return the address of a pair; on a shared page, which has `token` in its context, the shared one."""
    if token := context.get("token"):
        return reverse("shared_pair", args=[token, left, right])
    return reverse("pair", args=[context["assignment"].pk, left, right])


@register.simple_tag(takes_context=True)
def case_url(context: Context, key: int) -> str:
    """Return the address of a case at the threshold of the page's filter, on a shared page the shared one."""
    if token := context.get("token"):
        address = reverse("shared_case", args=[token, key])
    else:
        address = reverse("case", args=[context["assignment"].pk, key])
    pair_filter = context.get("pair_filter")
    chosen = round(pair_filter.threshold * 100) if pair_filter else 0
    return f"{address}?threshold={chosen}" if chosen else address


@register.filter
def percent_number(share: float) -> str:
    """Return a share as a percentage without its sign, for an attribute of a chart."""
    return f"{share * 100:.1f}"


@register.simple_tag
def next_sort(key: str, current: str) -> str:
    """Return the order that a click on a column's heading selects; `current` is the present one.

    The first click sorts names in ascending and figures in descending order; the next one reverses that.
    """
    default = key if key in {"left", "right"} else f"-{key}"
    if current != default:
        return default
    return f"-{key}" if default == key else key


@register.simple_tag(takes_context=True)
def page_url(context: Context, key: str, number: int) -> str:
    """Return the query of the same address with page `number` of a list; `key` is the list's parameter."""
    query = (context["query"] if "query" in context else context["request"].GET).copy()
    query[key] = str(number)
    return f"?{query.urlencode()}"


@register.simple_tag
def aria_sort(key: str, current: str) -> str:
    """Return the value of `aria-sort` for the column `key`, when the order is `current`."""
    if current.removeprefix("-") != key:
        return "none"
    return "descending" if current.startswith("-") else "ascending"


@register.filter
def is_stuck(work: Batch | Report) -> bool:
    """Return whether started work did not change for longer than usual."""
    from submissions.pages import views as service  # noqa: PLC0415 - `moss check` uses these tags without the models

    return service.is_stuck(work)


@register.filter
def failure_reason(work: Batch | Report) -> str:
    """Return why work failed, unless the reason can hold the name of a file."""
    from submissions.pages import views as service  # noqa: PLC0415 - `moss check` uses these tags without the models

    return service.failure_reason(work)


register.filter("warning_text", warning_texts.warning_text)
register.filter("languages_text", warning_texts.languages_text)
register.filter("roster_problem", warning_texts.roster_problem)


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


def counted(counts: Mapping[str, int]) -> list[str]:
    """Return the numbers by kind as text, such as `3 names`, without the kinds that have none."""
    texts = {
        "names": ngettext("{n} name", "{n} names", counts["names"]),
        "literals": ngettext("{n} literal", "{n} literals", counts["literals"]),
        "keywords": ngettext("{n} keyword or type", "{n} keywords or types", counts["keywords"]),
        "signs": ngettext("{n} sign", "{n} signs", counts["signs"]),
    }
    return [text.format(n=f"{counts[kind]:,}") for kind, text in texts.items() if counts[kind]]
