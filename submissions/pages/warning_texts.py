"""Warnings about an upload in the language of the page; the code that writes them knows no Django."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.utils.translation import gettext

from submissions.intake.roster_sentences import PROBLEMS
from submissions.intake.warning_sentences import MORE, OPENED, PROSE, SENTENCES
from submissions.pages.fixed_texts import fixed_text
from submissions.pages.stored_reasons import values_in

if TYPE_CHECKING:
    from collections.abc import Iterable

LINE = re.compile(r"Line ([\d,]+): (.+)", re.DOTALL)
OPENED_PLACE = re.compile(re.escape(OPENED).replace(r"\{n\}", r"(\d+)"))
MORE_NAMES = re.compile(MORE.format(names="(.+)", n=r"([\d,]+)"), re.DOTALL)


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
