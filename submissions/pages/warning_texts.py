"""Warnings about an upload in the language of the page; the code that writes them knows no Django."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.utils.translation import gettext, gettext_noop

from submissions.pages.fixed_texts import fixed_text
from submissions.pages.stored_reasons import values_in

if TYPE_CHECKING:
    from collections.abc import Iterable

# What `submissions.intake.archives` writes; the first that fits counts.
SENTENCES = (
    gettext_noop("Less than half of the code could be read: {names}."),
    gettext_noop("A string or comment never ends: {names}."),
    gettext_noop("Read in another language than the class ({language}): {names}."),
    gettext_noop("Without code: {names}."),
    gettext_noop(
        "All files are one submission, {names}. If they are of several students, choose another layout or"
        " depth."
    ),
    gettext_noop("Nothing in this upload is named as in {chosen}, so it is read as {used}."),
    gettext_noop("Beside the work of the students: {names}. If it lists them, add it as the roster."),
    gettext_noop("No submission has these names, so they are not split: {names}."),
    gettext_noop("No submission has these names, so they are not renamed: {names}."),
    gettext_noop("Several students have the same name; their ids or numbers tell them apart: {names}."),
    gettext_noop(
        "{count} of {total} submissions are named like files or parts of a project: {names}. If these are no"
        " students, choose another layout or depth."
    ),
    gettext_noop("Handed in after the due date, and compared all the same: {names}."),
    gettext_noop(
        "The upload does not say when these were handed in, so the due date does not apply to them: {names}."
    ),
    gettext_noop("Students whom the roster does not know ({count}): {names}."),
    gettext_noop("Students of the roster who handed in nothing ({count}): {names}."),
    gettext_noop(
        "These cannot be compared, because all their code is ignored, left out or unreadable: {names}."
    ),
    gettext_noop("These handed in texts or data, but no program: {names}."),
    gettext_noop("Roster: {names}"),
)
# What `submissions.intake.rosters` writes on the rows of a roster, and why it refuses one.
PROBLEMS = (
    gettext_noop("a quotation mark is missing or misplaced; check its cells"),
    gettext_noop("no name and no id; the row is left out"),
    gettext_noop("the same as line {line}; it counts once"),
    gettext_noop("the id “{id}” is also in lines {lines}; nobody is found by it"),
    gettext_noop("the id “{id}” is also in line {line}; nobody is found by it"),
    gettext_noop("Not used: the columns {names}."),
    gettext_noop("Left out: {rows} rows of people whose role is not that of a student."),
    gettext_noop("It has more than {rows} rows; split it into the rosters of courses."),
    gettext_noop("It has {bytes} bytes; a roster has at most {most}. Leave columns out."),
    gettext_noop("It cannot be read: {error}. Save the roster as CSV."),
    gettext_noop(
        "No column says who the students are: the first row has {cells}. Add a first row with the names of"
        " the columns. Known names are, among others, {understood}."
    ),
)
LINE = re.compile(r"Line ([\d,]+): (.+)", re.DOTALL)
PROSE = gettext_noop("read as prose")
MORE = re.compile(r"(.+) and (\d+) more", re.DOTALL)
OPENED = re.compile(r"\(opened in line (\d+)\)")


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
    if name != "names":
        return fixed_text(value)
    value = OPENED.sub(lambda match: gettext("(opened in line {n})").format(n=match[1]), value)
    if match := MORE.fullmatch(value):
        return gettext("{names} and {n} more").format(names=match[1], n=match[2])
    return value
