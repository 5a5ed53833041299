"""Problems of a roster and why it is refused: sentences, each with the names of what is filled in.

Pages translate them as they do `submissions.intake.reasons`.
"""

from __future__ import annotations

from fingerprint.reasons import gettext_noop

BAD_QUOTES = gettext_noop("a quotation mark is missing or misplaced; check its cells")
NOBODY = gettext_noop("no name and no id; the row is left out")
SAME_AS = gettext_noop("the same as line {line}; it counts once")
SHARED_ID = gettext_noop("the id “{id}” is also in line {line}; nobody is found by it")
OFTEN_SHARED_ID = gettext_noop("the id “{id}” is also in lines {lines}; nobody is found by it")
UNUSED_COLUMNS = gettext_noop("Not used: the columns {names}.")
STAFF_LEFT_OUT = gettext_noop("Left out: {rows} rows of people whose role is not that of a student.")
MANY_ROWS = gettext_noop("It has more than {rows} rows; split it into the rosters of courses.")
MANY_BYTES = gettext_noop("It has {bytes} bytes; a roster has at most {most}. Leave columns out.")
UNREADABLE = gettext_noop("It cannot be read: {error}. Save the roster as CSV.")
NOT_READ = gettext_noop("It was not read: {reason}. Save the roster as CSV again.")
NOT_READ_YET = gettext_noop("It is not read yet, as uploads are being grouped. Choose it again in a minute.")
NO_STUDENTS = gettext_noop(
    "No column says who the students are: the first row has {cells}. Add a first row with the names of the"
    " columns. Known names are, among others, {understood}."
)

# The first that fits a problem counts.
PROBLEMS = tuple(text for name, text in list(globals().items()) if name.isupper())
