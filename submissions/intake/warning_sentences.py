"""Sentences that warn of something unusual in an upload or a roster; braces name what is filled in.

Pages translate them as they do `submissions.intake.reasons`.
"""

from __future__ import annotations

from fingerprint.reasons import gettext_noop

FEW_TOKENS = gettext_noop("Less than half of the code could be read: {names}.")
UNCLOSED = gettext_noop("A string or comment never ends: {names}.")
OTHER_LANGUAGE = gettext_noop("Read in another language than the class ({language}): {names}.")
WITHOUT_CODE = gettext_noop("Without code: {names}.")
ONE_SUBMISSION = gettext_noop(
    "All files are one submission, {names}. If they are of several students, choose another layout or depth."
)
OTHER_LAYOUT = gettext_noop("Nothing in this upload is named as in {chosen}, so it is read as {used}.")
LISTS = gettext_noop("Beside the work of the students: {names}. If it lists them, add it as the roster.")
NOT_SPLIT = gettext_noop("No submission has these names, so they are not split: {names}.")
NOT_RENAMED = gettext_noop("No submission has these names, so they are not renamed: {names}.")
ONE_NAME = gettext_noop("Several students have the same name; their ids or numbers tell them apart: {names}.")
FILE_NAMES = gettext_noop(
    "{count} of {total} submissions are named like files or parts of a project: {names}. If these are no"
    " students, choose another layout or depth."
)
LATE = gettext_noop("Handed in after the due date, and compared all the same: {names}.")
NO_TIMES = gettext_noop(
    "The upload does not say when these were handed in, so the due date does not apply to them: {names}."
)
NOT_IN_ROSTER = gettext_noop("Students whom the roster does not know ({count}): {names}.")
ABSENT = gettext_noop("Students of the roster who handed in nothing ({count}): {names}.")
NOT_COMPARED = gettext_noop(
    "These cannot be compared, because all their code is ignored, left out or unreadable: {names}."
)
NO_PROGRAM = gettext_noop("These handed in texts or data, but no program: {names}.")
MORE_ROSTER_PROBLEMS = gettext_noop("Roster: {n} more problems.")
OF_ROSTER = gettext_noop("Roster: {problem}")

# Of these, the first that fits a warning counts.
SENTENCES = tuple(text for name, text in list(globals().items()) if name.isupper())

# Parts of the sentences, and of the line that says what languages were read
MORE = gettext_noop("{names} and {n} more")
OPENED = gettext_noop("(opened in line {n})")
PROSE = gettext_noop("read as prose")
