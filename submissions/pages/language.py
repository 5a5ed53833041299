"""The language and the theme of the pages, and fixed texts in this language.

Both are cookies of the browser, without one what the browser asks for. Hints, texts of scripts, reasons and
warnings are stated in English by other code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext, gettext_lazy as _, gettext_noop, ngettext

from fingerprint.reasons import REASONS as READING
from submissions.intake.layouts.registry import LAYOUTS
from submissions.intake.left_out.rules import REASONS as LEFT_OUT_REASONS
from submissions.intake.sentences import MORE, OPENED, PROBLEMS, PROSE, REASONS as INTAKE, SENTENCES
from submissions.work.kinds import BROKEN, ENDED_PROCESS, ERASED, OUT_OF_TIME

YEAR_SECONDS = 365 * 24 * 60 * 60
# The values of the switch with their labels; the first one needs no cookie.
SYSTEM = "system"
THEMES = {SYSTEM: _("As the system"), "light": _("Light"), "dark": _("Dark")}

# The first value of the switch, which needs no cookie.
BROWSER = "browser"

PLACE = re.compile(r"\{(\w+)\}")
# The first that fits counts.
REASONS = (*READING, BROKEN, OUT_OF_TIME, ENDED_PROCESS, *ERASED, *INTAKE)

# What a page explains until the user dismisses it.
HINTS = {
    "preview": _(
        "Look whether every student has the right files. Correct a name by typing over it, or choose another"
        " way to read the upload. Press the button when the list is right."
    ),
    "cases": _(
        "A case is a group of submissions that are more similar than independent work of this class. Read"
        " its strongest pair, and decide: the decision holds for the pairs that connect it."
    ),
    "pairs": _(
        "The most similar pairs come first; above the divider they should be read. What the columns"
        " mean is said below the list. Where several students share code, start with the cases instead."
    ),
    "pair": _(
        "Equal colours and numbers mark what both have; underlined words differ."
        " Grey numbers: submissions with such a line. Keys: n and p for passages, ? for all."
    ),
}
# The sentences that `fingerprint.ranking.threshold` writes.
FEW = re.compile(r"(?:one pair is|(?P<n>\d+) pairs are) too few for an estimate; (?P<default>\d+%) suits most tasks")
# Pages have a narrow space before the sign; the engine, which writes for terminals too, has none.
PERCENTAGE = re.compile(r"(?<=\d)%")
EXPECTED = re.compile(
    r"(?:about [\d.]+|fewer than 0\.1) unrelated pairs are expected from (?P<low>\d+%) on;"
    r" (?:no pair reaches \d+%|(?P<bound>\d+%) is the lowest suggestion"
    r"|(?P<alike>programs of this task are too alike for a line)"
    r"|(?P<equal>there a copy is as likely as an unrelated pair)"
    r"|(?P<gap>no pair is) between (?P<below>\d+%) and (?P<above>\d+%))"
)
SCRIPT_TEXTS = {
    "copy": {"copied": _("Copied"), "by_keys": _("Press Ctrl+C to copy it")},
    "decide": {
        "undo": _("Undo"),
        "not_saved": _("Not saved: the server did not answer. See whether you are online, then decide again."),
    },
    "graph": {
        "edge": _("{left} and {right}, {share}"),
        "node": _("{name}, case {number}"),
        "best": _("The best lines of both"),
    },
    "histogram": {
        "value": _("{above} of {total} submissions are in a pair of at least {share}"),
        "bar_one": _("{low} to {high} %: {n} submission"),
        "bar_many": _("{low} to {high} %: {n} submissions"),
        "newcomers": _("At {share}: {names}"),
        "more": _("and {n} more"),
    },
    "pair": {
        "position": _("Passage {position} of {total}"),
        "last": _("Passage {position} of {total}, last"),
        "last_before_next": _("Passage {position} of {total}; then the next pair"),
        "place": _("Place {place} of {total}"),
        "tip": _("Passage {number}: {size}"),
        "on_left": _("{here} here, {there} on the left"),
        "on_right": _("{here} here, {there} on the right"),
        "common_one": _("Common code: also in {n} other."),
        "common_many": _("Common code: also in {n} others."),
        "gap": _("Not here in the other one: inserted, changed or moved."),
    },
    "upload": {
        "more": _("and {n} more"),
        "unreadable": _("The folder cannot be read ({error}): make a zip of it and drop that."),
        "too_many": _("The folder has more than {n} files: make a zip of it and drop that."),
        "empty": _("The folder has no files: drop another one."),
        "sending": _("{sent} of {total} sent"),
        "sent": _("Sent. Waiting for the answer"),
        "refused": _("The upload was refused."),
        "too_large": _("These are {size}; at most {limit} can be sent at once."),
        "broken": _("The connection broke."),
        "cancelled": _("Cancelled."),
        "was_sent": _("It had been sent already: reload this page to see whether it was taken."),
        "not_sent": _("Nothing was kept."),
        "waits": _("The connection broke. Trying again"),
        "rest": _("Send this file again within a day: only the rest is sent."),
    },
}

# The stages of a ranking, as `submissions.reports.results` publishes them.
STAGES = (
    gettext_noop("Reading for the comparison across languages"),
    gettext_noop("Loading tokens and fingerprints"), gettext_noop("Aligning pairs"),
    gettext_noop("Grouping duplicates"), gettext_noop("Measuring the effect of exclusions"),
)  # fmt: skip
KNOWN = frozenset((*(layout.label for layout in LAYOUTS.values()), *LEFT_OUT_REASONS.values(), *STAGES))
# Places of a stored reason that have another one.
PARTS = frozenset(("reason", "why"))
COMPARING = re.compile(r"Comparing ([\d,]+) submissions with each other")

LINE = re.compile(r"Line ([\d,]+): (.+)", re.DOTALL)
OPENED_PLACE = re.compile(re.escape(OPENED).replace(r"\{n\}", r"(\d+)"))
MORE_NAMES = re.compile(MORE.format(names="(.+)", n=r"([\d,]+)"), re.DOTALL)


def _cookie() -> str:
    # A function, because `moss check` renders pages without these settings.
    name: str = settings.COOKIE_PREFIX + "theme"
    return name


def theme_of(request: HttpRequest) -> str:
    """Return the theme that the browser remembers; a made-up value counts as none."""
    theme = request.COOKIES.get(_cookie(), SYSTEM)
    return theme if theme in THEMES else SYSTEM


def remember_theme(response: HttpResponse, theme: str) -> None:
    """Let the browser remember a theme for a year, or forget it."""
    if theme == SYSTEM:
        response.delete_cookie(_cookie(), samesite="Lax")
        return
    secure = settings.SESSION_COOKIE_SECURE
    response.set_cookie(_cookie(), theme, max_age=YEAR_SECONDS, secure=secure, httponly=True, samesite="Lax")


def languages() -> dict[str, str]:
    """Return the values of the switch with their labels; each language is named in itself."""
    return {BROWSER: gettext("As the browser"), **dict(settings.LANGUAGES)}


def chosen_language(request: HttpRequest) -> str:
    """Return the language that the browser remembers; a made-up value counts as none."""
    chosen = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, BROWSER)
    return chosen if chosen in languages() else BROWSER


def remember_language(response: HttpResponse, language: str) -> None:
    """Let the browser remember a language for a year, or forget it."""
    name = settings.LANGUAGE_COOKIE_NAME
    if language == BROWSER:
        response.delete_cookie(name, samesite="Lax")
        return
    secure = settings.SESSION_COOKIE_SECURE
    response.set_cookie(name, language, max_age=YEAR_SECONDS, secure=secure, httponly=True, samesite="Lax")


class PageLanguage:
    """Answer each request in the language of its cookie, or else of its Accept-Language header."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response  # No base class with models: `moss check` writes pages without them.

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with translation.override(translation.get_language_from_request(request)):
            response = self.get_response(request)
        patch_vary_headers(response, ("Accept-Language", "Cookie"))
        return response


def values_in(text: str, sentence: str) -> dict[str, str] | None:
    """Return what stands at the places of a sentence, or None if it is another one.

    Names are students' words, so no expression with several places is matched with them.
    """
    literals, names = PLACE.split(sentence)[::2], PLACE.split(sentence)[1::2]
    at, values = len(literals[0]), dict[str, str]()
    if not names or not text.startswith(literals[0]):
        return {} if text == sentence else None
    for number, (name, literal) in enumerate(zip(names, literals[1:], strict=True), 1):
        end = len(text) - len(literal) if number == len(names) else text.find(literal, at)
        if end < at or not text.startswith(literal, end):
            return None
        values[name], at = text[at:end], end + len(literal)
    return values


def fixed_text(text: str) -> str:
    """Return a label, a reason or a stage in the language of the page; another text as it is."""
    if match := COMPARING.fullmatch(text):
        return gettext("Comparing {n} submissions with each other").format(n=match[1])
    if text in KNOWN:
        return gettext(text)
    if (reason := _stored_reason(text)) is not None:
        return reason
    file, colon, rest = text.partition(": ")  # An upload that cannot be read is named before its reason.
    return f"{file}: {_stored_reason(rest) or rest}" if colon else text


def _stored_reason(text: str) -> str | None:
    for sentence in REASONS:
        if (values := values_in(text, sentence)) is not None:
            parts = {name: _part(name, value) for name, value in values.items()}
            return gettext(sentence).format(**parts)
    return None


def _part(name: str, value: str) -> str:
    known = gettext(value) if value in KNOWN else value
    return _stored_reason(value) or known if name in PARTS else known


def threshold_reason(reason: str) -> str:
    """Return the reason in the language of the page, its percentages as the pages write them."""
    return PERCENTAGE.sub("\u202f%", _threshold_reason(reason))


def _threshold_reason(reason: str) -> str:
    """Return the reason with its figures in the language of the page; one of another form as it is."""
    if match := FEW.fullmatch(reason):
        count = int(match["n"] or 1)
        text = ngettext(
            "one pair is too few for an estimate; {default} suits most tasks",
            "{n} pairs are too few for an estimate; {default} suits most tasks",
            count,
        )
        return text.format(n=count, default=match["default"])
    if match := EXPECTED.fullmatch(reason):
        return _expected(match).format(**match.groupdict())
    return reason


def _expected(match: re.Match[str]) -> str:
    if match["alike"]:
        return gettext("programs of this task are too alike for a line")
    text = gettext("pairs from {low} on make cases; {suggestion}")
    suggestions = {
        "bound": gettext("{bound} is the lowest suggestion"),
        "equal": gettext("there a copy is as likely as an independent pair"),
        "gap": gettext("no pair is between {below} and {above}"),
    }
    chosen = next((sentence for name, sentence in suggestions.items() if match[name]), "")
    return text.replace("{suggestion}", chosen or gettext("no pair reaches {low}"))


def warning_text(text: str) -> str:
    """Return a warning in the language of the page; one of another form as it is."""
    return in_language(text, SENTENCES)


def roster_problem(text: str) -> str:
    """Return a problem of a roster in the language of the page; one of another form as it is."""
    if match := LINE.fullmatch(text):
        problem = in_language(match[2], PROBLEMS)
        return gettext("Line {line}: {problem}").format(line=match[1], problem=problem)
    return in_language(text, PROBLEMS)


def in_language(text: str, sentences: Iterable[str]) -> str:
    """Return a text that is one of the sentences with its places filled in, in the language of the page."""
    for sentence in sentences:
        if (parts := values_in(text, sentence)) is not None:
            values = {name: _value(name, value) for name, value in parts.items()}
            return gettext(sentence).format(**values)
    return text


def languages_text(languages: str) -> str:
    """Return the languages of an upload, as `languages_read` counts them, in the language of the page."""
    return languages.replace(PROSE, gettext(PROSE))


def _value(name: str, value: str) -> str:
    if name == "problem":
        return roster_problem(value)
    if name != "names":
        return fixed_text(value)
    value = OPENED_PLACE.sub(lambda match: gettext(OPENED).format(n=match[1]), value)
    if match := MORE_NAMES.fullmatch(value):
        return gettext(MORE).format(names=match[1], n=match[2])
    return value
