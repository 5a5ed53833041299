"""Sentences about uploads and rosters, each with the names of what is filled in.

They say why an entry or a whole upload does not count, what is wrong with a roster, and what an instructor
should check.
"""

from __future__ import annotations

from fingerprint.reasons import gettext_noop


def _texts_besides(*others: tuple[str, ...]) -> tuple[str, ...]:
    """Return the sentences that this module has defined so far, without the `others`."""
    texts = [text for name, text in list(globals().items()) if name.isupper() and isinstance(text, str)]
    return tuple(text for text in texts if not any(text in known for known in others))


NOTHING_USED = gettext_noop("No entry of this upload could be used; the reasons are listed below.")

# Layouts
LOOSE = gettext_noop("beside the folders of the students, and no program")
LOOSE_FILE = gettext_noop("beside the programs of the students, and no program")
BESIDE_FOLDERS = gettext_noop("beside the folders of the students, not in one of them")
BESIDE_DEEPER_FOLDERS = gettext_noop("beside the folders that contain those of the students")
OF_THE_COURSE = gettext_noop("in the folder {name} beside those of the students, so of the course")
EARLIER_ATTEMPT_OF = gettext_noop("an earlier attempt of {name}")
LATE_ATTEMPT_OF = gettext_noop("a late attempt of {name}")
EARLIER_ATTEMPT = gettext_noop("an earlier attempt")
LATE_ATTEMPT = gettext_noop("a late attempt")
OTHER_VERSION = gettext_noop("version {version}, where the student chose version {chosen}")
UNNAMED = gettext_noop("not named like a student's work in {layout}; choose another layout if it is one")
PAGE_OF_LAYOUT = gettext_noop("{name} of {layout}, no work of a student")
ANNOTATED = gettext_noop("an annotated copy of a submission")
CANCELLED = gettext_noop("a submission that the student cancelled")
EMPTY_ONLINE_TEXT = gettext_noop("an online text without any text")
ONLY_A_LINK = gettext_noop("only a link was handed in, and Canvas does not export what it leads to")
DOWNLOADED_AGAIN = gettext_noop("the same file as in another download of this upload")
OPENOLAT_RETURNED = gettext_noop("what a student got in OpenOlat, not handed in")
VPL_OUTPUT = gettext_noop("what VPL printed for a student")
TEST_RESULTS = gettext_noop("results of the tests")
FEEDBACK = gettext_noop("feedback to a student")
SAKAI_RECORD = gettext_noop("Sakai's record of a submission, or feedback")
SAKAI_GRADES = gettext_noop("Sakai's list of grades")
SUBMITTY_SETTINGS = gettext_noop("Submitty's settings of a submission")
VPL_REPORT = gettext_noop("VPL's own report")
BLACKBOARD_RECORD = gettext_noop("Blackboard's record of an attempt")
BRIGHTSPACE_INDEX = gettext_noop("Brightspace's index of the submissions")
NBGRADER_RECORD = gettext_noop("nbgrader's record of a submission")
DOMJUDGE_DATA = gettext_noop("DOMjudge's data of the contest")
GRADESCOPE_LIST = gettext_noop("Gradescope's list of submissions")
GRADESCOPE_UNREAD_LIST = gettext_noop("Gradescope's list of submissions; no names could be read")
PUSHED_LIST = gettext_noop("the list of the pushed submissions")
JPLAG_REPORT = gettext_noop("a part of JPlag's report")
DOLOS_LIST = gettext_noop("the list of a class for Dolos")
DOLOS_UNLISTED = gettext_noop("not in the list of a class for Dolos")
DOLOS_IGNORED = gettext_noop("a template, by the list of a class for Dolos: upload it as boilerplate")
QUESTION = gettext_noop("the text of the question")
EXCLUDED = gettext_noop("left out by an exclude pattern")
NOT_CHOSEN = gettext_noop("none of the files to compare, by their patterns")
UNMATCHED = gettext_noop("a pattern that no file matches")
KEPT_FILE = gettext_noop("text or data beside a program, or another language than that of the assignment")
TIMES_KEPT = gettext_noop("only the times of its commits are kept")

# Entries of archives
EMPTY_FILE = gettext_noop("empty")
ENCRYPTED = gettext_noop("encrypted; upload it without a password")
ENCRYPTED_RAR = gettext_noop("RAR 5 archives with a password cannot be opened; upload it without a password")
SYMBOLIC_LINK = gettext_noop("a symbolic link")
HARD_LINK = gettext_noop("a hard link")
NO_FILE = gettext_noop("not a file but a device, pipe or socket")
ZIP_METHOD = gettext_noop("packed by zip method {n}; pack it with the usual one (deflate)")
OVERLAP = gettext_noop("overlaps another entry")
ABSOLUTE_PATH = gettext_noop("an absolute path; only relative ones are taken")
LEADS_OUT = gettext_noop("its path leads out of the archive (..)")
NO_NAME = gettext_noop("it has no name")
LONG_PATH = gettext_noop("its path has {n} characters; the limit is {limit}")

# Limits
FILE_SIZE = gettext_noop("has more than {size}, the limit for one file")
ENTRIES = gettext_noop("more than {n} entries; the rest was not read")
JUNK_ENTRIES = gettext_noop("more than {n} junk entries; the rest was not read")
TOTAL_SIZE = gettext_noop("unpacks to more than {size}; the rest was not read")
FOLDER_SHARE = gettext_noop("this folder uses more than its share: {reason}")
FOLDER_SECONDS = gettext_noop("unpacking it takes more than {n} s; the rest was not read")
READING_SECONDS = gettext_noop("reading the files of this submission takes more than {n} s; the rest was not read")
RATIO = gettext_noop("unpacks to more than {n} times its packed size, as a zip bomb does")
DEPTH = gettext_noop("an archive nested deeper than {n}; unpack it and upload again")
HEADER_SIZE = gettext_noop("a header of {n} bytes; the limit is {size}")
DIRECTORY_SIZE = gettext_noop("its directory takes more than {size}; the limit on entries allows no more")

# Documents
DOCUMENT_EMPTY = gettext_noop("it has no text that can be taken out, as a scan or a picture has none")
DOCUMENT_BROKEN = gettext_noop("it is no {kind} document that can be read ({error}); hand in the text itself")
DOCUMENT_ENTITIES = gettext_noop("its XML declares entities")
DOCUMENTS_SECONDS = gettext_noop("taking out the texts of its documents took longer than {n} s; not read")

# Archives
EMPTY_ARCHIVE = gettext_noop("an empty archive: it holds no file")
CUT_OFF = gettext_noop("ends without its end mark; entries may be missing")
DAMAGED_MIDDLE = gettext_noop("damaged; what follows could not be read")
POINTS_BACK = gettext_noop("it points back into itself")
UNREADABLE_ON_DISK = gettext_noop("cannot be read: {error}")
DAMAGED_OR_PACKED = gettext_noop("damaged or cut off, or packed in a way that cannot be read; upload a zip instead")
DAMAGED_OR_PACKED_BY = gettext_noop(
    "damaged or cut off, or packed in a way that cannot be read ({error}); upload a zip instead"
)
DAMAGED = gettext_noop("damaged or cut off: {error}")
KIND_UNKNOWN = gettext_noop("{kind} archives cannot be opened here; upload a zip or tar.gz")
NO_LIBARCHIVE = gettext_noop(
    "{kind} archives need the library libarchive, which is not installed here: install it"
    " (Debian: apt install libarchive13), or upload a zip or tar.gz"
)
NO_ZSTANDARD = gettext_noop("libarchive was built without Zstandard here; upload a zip or tar.gz")
NO_MEMORY = gettext_noop("unpacking it takes more memory than it may use; upload a zip instead")

# The programs that unpack and read
UNPACKING_BROKE = gettext_noop("it broke the program that unpacks it ({error}); pack it again")
UNPACKING_TOO_SLOW = gettext_noop("an entry took longer than {step} s, or all of it than {total} s")
UNPACKING_MEMORY = gettext_noop("unpacking it takes more memory than the {size} that it may use")
UNPACKING_ENDED = gettext_noop("it ended the program that unpacks it, twice ({error}); pack it again")
LANGUAGE_MEMORY = gettext_noop("finding out its language takes more memory than the {size} that it may use")
LANGUAGE_ENDED = gettext_noop("finding out its language ended the program that reads files, twice ({error})")
READING_MEMORY = gettext_noop("reading it as {language} takes more memory than the {size} that it may use")
READING_ENDED = gettext_noop("reading it as {language} ended the program that reads files, twice ({error})")
METADATA_TOO_SLOW = gettext_noop("reading it took longer than {n} s")
METADATA_MEMORY = gettext_noop("reading it takes more memory than the {size} that it may use")
METADATA_ENDED = gettext_noop("it ended the program that reads it")
NOT_GROUPED = gettext_noop("The upload was not grouped: {reason}. Upload it in parts.")
OTHERS_GROUPED = gettext_noop("Other uploads are being grouped. Try again in a minute.")
NONSENSE = gettext_noop("the program that reads files answered with nonsense ({error})")

# The rest of another sentence
REST_UNREAD = gettext_noop("{reason}; the rest was not read")
UNREAD_LINES = gettext_noop("{reason}; lines that cannot be read: {n}")
METADATA_UNREAD = gettext_noop("{reason}; not read, because {why}")

# The reason for an attempt where the student is known.
NAMED_ATTEMPTS = {EARLIER_ATTEMPT: EARLIER_ATTEMPT_OF, LATE_ATTEMPT: LATE_ATTEMPT_OF}
# The first that fits a text counts.
REASONS = _texts_besides()

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
PROBLEMS = _texts_besides(REASONS)

FEW_TOKENS = gettext_noop("Less than half of the code could be read: {names}.")
UNCLOSED = gettext_noop("A string or comment never ends: {names}.")
DISGUISED = gettext_noop("Characters look like others but are not, or cannot be seen: {names}.")
OTHER_LANGUAGE = gettext_noop("These are not {language}, as most of the class is: {names}.")
WITHOUT_CODE = gettext_noop("Without code: {names}.")
ONE_SUBMISSION = gettext_noop(
    "All files are one submission, {names}. If they are of several students, choose another layout or depth."
)
OTHER_LAYOUT = gettext_noop("Nothing in this upload is named as in {chosen}, so it is read as {used}.")
LISTS = gettext_noop("Beside the work of the students: {names}. If it lists them, add it as the roster.")
NO_FILE_MATCHES = gettext_noop("No file matches these patterns: {names}.")
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
SENTENCES = _texts_besides(REASONS, PROBLEMS)

# Parts of the sentences, and of the line that says what languages were read
MORE = gettext_noop("{names} and {n} more")
DISGUISED_IN = gettext_noop("{n} in {name}")
OPENED = gettext_noop("(opened in line {n})")
PROSE = gettext_noop("read as prose")
