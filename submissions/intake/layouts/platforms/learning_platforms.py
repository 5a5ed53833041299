"""Learning platforms, each for itself: Canvas, Blackboard, Brightspace, Moodle, Sakai, ILIAS and OpenOlat.

A layout finds the names that its platform gives, says how well it fits an upload, and places each file.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from submissions.intake import sentences as reasons
from submissions.intake.layouts import fields
from submissions.intake.layouts.places import Ignored, Layout, Listing, Place, Placement, Student, participant
from submissions.intake.limits import outside_time

_CANVAS_NUMBERED = r"(?P<name>[^/_][^/]*?)(?P<late>_LATE)?_(?P<id>\d+)"
_CANVAS_ANONYMOUS = r"(?P<late_anonymous>LATE_)?anon_(?P<anonymous>[A-Za-z0-9]{4,8})"
# Canvas adds a number to the name of a file that is handed in again.
_CANVAS_AGAIN = re.compile(r"(?P<stem>.+)-\d{1,3}(?P<suffix>(?:\.[^.]*)?)")
CANVAS_NAME = re.compile(
    rf"(?:{_CANVAS_ANONYMOUS}|{_CANVAS_NUMBERED})_(?:(?P<file_id>\d+)_(?P<file>[^/]+)|(?P<online>text|link)\.html\Z)"
)

BLACKBOARD_NAME = re.compile(
    r"(?P<attempt>[^/]*_(?P<login>[^/_]+)_attempt_(?P<time>\d{4}(?:-\d\d){5}))"
    r"(?:(?P<record>\.txt\Z)|_(?P<file>[^/]+)|(?=/))"
)
# Students write these files, so both patterns begin at the start of a line: `^\s*` would read all empty lines
# again from each of them.
BLACKBOARD_WHO = re.compile(r"^[^\S\n]*+Name:(?P<name>[^\n]+?)\((?P<login>[^()\n]*)\)[ \t]*+\r?$", re.MULTILINE)
BLACKBOARD_RENAMED = re.compile(r"^[^\S\n]*+Original filename:([^\r\n]+)\r?\n\s*+Filename:([^\r\n]+)", re.MULTILINE)

BRIGHTSPACE_NAME = re.compile(
    r"(?P<first>\d+)-(?P<second>\d+) - (?:(?P<number>[A-Z]?\d{5,}) - ?)?(?P<name>[^/]+?) ?- "
    r"(?P<time>[^/-]*?\d{4},? \d{1,4} ?[AP]M)(?: - (?P<file>[^/]+))?(?=/|\Z)"
)
BRIGHTSPACE_RECORDS = ("index.html",)
BRIGHTSPACE_TIME_FORMATS = (
    "%b %d, %Y %I%M %p", "%B %d, %Y %I%M %p", "%d %b, %Y %I%M %p", "%d %B, %Y %I%M %p",
)  # fmt: skip

MOODLE_NAME = re.compile(
    r"(?P<name>[^/]+?)(?:_(?P<id>\d+))?_assign(?P<use>submission|feedback)_(?P<kind>[a-z]+)"
    r"(?:_(?P<file>[^/]*))?(?=/|\Z)"
)
# An online text with no text is no longer than this, with its tags.
MOODLE_EMPTY_TEXT = 200
MOODLE_TAG = re.compile(r"<[^<>]*>|&nbsp;|\s")

_ATTEMPT = r"(?P<name>[^/]+)_\d+_(?P<time>\d{8}_\d{6})"
_QUESTION = r"(?P<question>Q(?:uestion)?_\d+)_-_[^/]*?"
_END = r"(?:/|_(?=response\.|questiontext\.|attachments/))"
BY_ATTEMPT = re.compile(rf"{_ATTEMPT}/{_QUESTION}{_END}")
BY_QUESTION = re.compile(rf"{_QUESTION}/{_ATTEMPT}{_END}")
WITH_ID = re.compile(
    r"(?P<question>Q\d+) - [^/]*/(?>(?P<id>[^/]+?) - )(?P<name>[^/]+)/(?:[^/]+/)*?Attempt(?P<number>\d+)_"
)

LAB_NAME = re.compile(
    r"(?P<name>[^/]+?) (?P<id>\d+)(?: (?P<login>[^/ ]*))?/(?P<time>\d{4}(?:-\d\d){5})(?P<record>\.ceg)?(?=/)"
)
LAB_RECORDS = ("Report.txt", "Errors.txt")

_SAKAI_ONE = r"[^/;(),]*,[^/;()]*\([^/()]+\)"
SAKAI_NAME = re.compile(rf"(?P<who>{_SAKAI_ONE}(?:;{_SAKAI_ONE})*)(?:/|_(?=\S))")
SAKAI_MEMBER = re.compile(r"(?<![^;()])(?P<name>[^;()]*)\((?P<login>[^()]+)\)")
SAKAI_RECORDS = ("timestamp.txt", "comments.txt", "feedbackText.html")
SAKAI_GRADES = ("grades.csv", "grades.xls", "grades.xlsx")
SAKAI_ATTACHMENT = re.compile(r"Submission attachment\(s\)[/_]|[^/]+/")

ILIAS_NAME = re.compile(r"(?:(?P<team>(?:Team|Equipo)[ _]\d+)/)?(?P<who>[^/_]*_[^/_]*_[^/]*_\d+)(?=/)")

OPENOLAT_NAME = re.compile(
    r"(?P<who>[^/]+)/\d+_(?:(?P<received>task|corrections(?:_\d+)?|assessment)|submissions"
    r"|revisions_(?P<version>\d+))(?=/)"
)

_find_canvas = fields.finder(CANVAS_NAME)
_find_blackboard = fields.finder(BLACKBOARD_NAME)
_find_brightspace = fields.finder(BRIGHTSPACE_NAME)
_find_moodle = fields.finder(MOODLE_NAME)
_find_quiz = fields.finder(BY_ATTEMPT, BY_QUESTION, WITH_ID)
_find_vpl = fields.finder(LAB_NAME)
_find_sakai = fields.finder(SAKAI_NAME)
_find_ilias = fields.finder(ILIAS_NAME)
_find_openolat = fields.finder(OPENOLAT_NAME)


def _student_canvas(matched: fields.MatchedName) -> Student:
    if identifier := matched.match["anonymous"]:
        return Student(f"anon {identifier}", identifier)
    return Student(matched.match["name"], matched.match["id"])


def _canvas_attempts(names: dict[int, str]) -> dict[int, int]:
    """Return the attempt of each file of a student, its last file; `names` of the files by their numbers.

    An attempt ends where a file has the name of an earlier one, but for the number that Canvas adds.
    """
    attempts: dict[int, int] = {}
    files: dict[str, int] = {}
    for file in sorted(names):
        again = _CANVAS_AGAIN.fullmatch(names[file])
        original = again["stem"] + again["suffix"] if again else ""
        name = original if original in names.values() else names[file]
        if name in files:
            attempts |= dict.fromkeys(files.values(), max(files.values()))
            files = {}
        files[name] = file
    return attempts | dict.fromkeys(files.values(), max(files.values(), default=0))


def _place_canvas(listing: Listing) -> dict[str, Place]:
    names: dict[tuple[str, Student], dict[int, str]] = {}
    seen: dict[tuple[str | None, str], str] = {}
    for path in listing.paths:
        if (matched := _find_canvas(path)) and matched.match["file_id"]:
            files = names.setdefault((matched.prefix, _student_canvas(matched)), {})
            files[int(matched.match["file_id"])] = matched.match["file"]
    attempts = {key: _canvas_attempts(files) for key, files in names.items()}

    def place_one(matched: fields.MatchedName) -> Place:
        student = _student_canvas(matched)
        if matched.match["online"] == "link":
            return Ignored(reasons.ONLY_A_LINK, (student,))
        inner, file = matched.path(matched.match["file"] or "text.html"), matched.match["file_id"]
        again = seen.setdefault((file, matched.rest), matched.prefix) != matched.prefix
        if file and again:
            return Ignored(reasons.DOWNLOADED_AGAIN)
        of_student = attempts.get((matched.prefix, student), {})
        attempt = of_student[int(file)] if file else max(of_student.values(), default=None)
        return Placement(
            (student,), inner, attempt, late=bool(matched.match["late"] or matched.match["late_anonymous"])
        )

    return fields.place_each(listing.paths, _find_canvas, place_one, "a Canvas export")


CANVAS = Layout("canvas", "a Canvas export", fields.scored(_find_canvas, weight=0.95), _place_canvas)


def _place_blackboard(listing: Listing) -> dict[str, Place]:
    students: dict[str, Student] = {}
    originals: dict[str, str] = {}
    for path in listing.paths:
        if (matched := _find_blackboard(path)) and matched.match["record"]:
            text = listing.read(path)
            if who := BLACKBOARD_WHO.search(text):
                student = Student(fields.natural_name(who[1]), who[2])
                students[matched.prefix + matched.match["attempt"]] = student
                students.setdefault(matched.match["login"], student)
            for original, name in BLACKBOARD_RENAMED.findall(text):
                originals[matched.prefix + name.strip()] = original.strip()

    def place_one(matched: fields.MatchedName) -> Place:
        login, time = matched.match["login"], fields.parse_digits(matched.match["time"])
        known = students.get(login, Student(login, login))
        student = students.get(matched.prefix + matched.match["attempt"], known)
        if matched.match["record"]:
            return Ignored(reasons.BLACKBOARD_RECORD)
        file = originals.get(matched.unit, matched.match["file"] or "").replace("\\", "/").rpartition("/")[2]
        return Placement((student,), matched.path(file), time, time)

    return fields.place_each(listing.paths, _find_blackboard, place_one, "a Blackboard export")


BLACKBOARD = Layout(
    "blackboard", "a Blackboard export", fields.scored(_find_blackboard), _place_blackboard,
    reads=re.compile(r".*_attempt_[\d-]+\.txt"),
)  # fmt: skip


def _parse_time_brightspace(text: str) -> datetime | None:
    for form in BRIGHTSPACE_TIME_FORMATS:
        try:
            return outside_time(datetime.strptime(text, form))  # noqa: DTZ007 - Brightspace names no time zone
        except ValueError:
            continue
    return None


def _place_brightspace(listing: Listing) -> dict[str, Place]:
    matched = [hit for path in listing.paths if (hit := _find_brightspace(path))]
    firsts, seconds = ({hit.match[group] for hit in matched} for group in ("first", "second"))
    number_group = "first" if len(firsts) >= len(seconds) else "second"

    def place_one(hit: fields.MatchedName) -> Place:
        student = Student(fields.natural_name(hit.match["name"]), hit.match["number"] or hit.match[number_group])
        time = _parse_time_brightspace(hit.match["time"])
        return Placement((student,), hit.path(hit.match["file"] or ""), time, time)

    places = fields.place_each(listing.paths, _find_brightspace, place_one, "a Brightspace export")
    index = [path for path in listing.file_names.get(BRIGHTSPACE_RECORDS[0], []) if _find_brightspace(path) is None]
    return places | {path: Ignored(reasons.BRIGHTSPACE_INDEX) for path in index}


BRIGHTSPACE = Layout(
    "brightspace", "a Brightspace export", fields.scored(_find_brightspace, BRIGHTSPACE_RECORDS),
    _place_brightspace,
)  # fmt: skip


def _place_moodle(listing: Listing) -> dict[str, Place]:
    places = fields.place_each(listing.paths, _find_moodle, _place_one_moodle, "a Moodle export")
    for path in listing.paths:
        if "_onlinetext" in path and listing.files[path].size <= MOODLE_EMPTY_TEXT:
            text = listing.read(path)
            place = places[path]
            if text and not MOODLE_TAG.sub("", text) and isinstance(place, Placement):
                places[path] = Ignored(reasons.EMPTY_ONLINE_TEXT, place.students)
    return places


def _place_one_moodle(matched: fields.MatchedName) -> Place:
    name, number = fields.natural_name(matched.match["name"]), matched.match["id"]
    # Not the bare number, which another student may have as a matriculation number.
    identifier = participant(number) if number else ""
    if matched.match["use"] == "feedback":
        return Ignored(reasons.FEEDBACK)
    if name == "Participant":
        name = identifier or name
    return Placement((Student(name, identifier),), matched.path(matched.match["file"] or ""))


MOODLE = Layout(
    "moodle", "a Moodle export", fields.scored(_find_moodle), _place_moodle,
    reads=re.compile(r"(?=.*onlinetext).*\.html"),
)  # fmt: skip


def _place_one_quiz(matched: fields.MatchedName) -> Place:
    groups = matched.match.groupdict()
    if matched.rest.startswith("questiontext."):
        return Ignored(reasons.QUESTION)
    time = fields.parse_digits(groups.get("time") or "")
    student = Student(fields.natural_name(groups["name"]), groups.get("id") or "")
    attempt = time or int(groups.get("number") or 0)
    return Placement((student,), f"{groups['question']}/{matched.rest}", attempt, time)


MOODLE_QUIZ = Layout(
    "moodle-quiz", "files of a Moodle quiz", fields.scored(_find_quiz),
    fields.placed(_find_quiz, _place_one_quiz, "files of a Moodle quiz"),
)  # fmt: skip


def _place_vpl(listing: Listing) -> dict[str, Place]:
    places = fields.place_each(listing.paths, _find_vpl, _place_one_vpl, "a VPL export")
    reports = [path for name in LAB_RECORDS for path in listing.file_names.get(name, [])]
    return places | {path: Ignored(reasons.VPL_REPORT) for path in reports if _find_vpl(path) is None}


def _place_one_vpl(matched: fields.MatchedName) -> Place:
    name, time = matched.match["name"], fields.parse_digits(matched.match["time"])
    if matched.match["record"]:
        return Ignored(reasons.VPL_OUTPUT)
    student = Student(name, matched.match["login"] or matched.match["id"])
    return Placement((student,), matched.path(), time, time)


MOODLE_VPL = Layout("moodle-vpl", "a Moodle VPL export", fields.scored(_find_vpl, LAB_RECORDS), _place_vpl)


def _place_sakai(listing: Listing) -> dict[str, Place]:
    times = {}
    for path in listing.file_names.get("timestamp.txt", []):
        if matched := _find_sakai(path):
            time = fields.parse_digits(listing.read(path))
            times[matched.unit] = time and time.replace(tzinfo=UTC)

    def place_one(matched: fields.MatchedName) -> Place:
        students = tuple(
            Student(fields.natural_name(member["name"]), member["login"])
            for member in SAKAI_MEMBER.finditer(matched.match["who"])
        )
        if matched.rest in SAKAI_RECORDS or matched.rest.startswith("Feedback Attachment(s)"):
            return Ignored(reasons.SAKAI_RECORD)
        if matched.rest.endswith("_submissionText.html"):
            return Placement(students, "submissionText.html", submitted=times.get(matched.unit))
        folder = SAKAI_ATTACHMENT.match(matched.rest)
        inner = matched.rest[folder.end() :] if folder else matched.rest
        return Placement(students, inner, submitted=times.get(matched.unit))

    places = fields.place_each(listing.paths, _find_sakai, place_one, "a Sakai export")
    grades = [path for name in SAKAI_GRADES for path in listing.file_names.get(name, []) if not _find_sakai(path)]
    return places | {path: Ignored(reasons.SAKAI_GRADES) for path in grades}


SAKAI = Layout(
    "sakai", "a Sakai export", fields.scored(_find_sakai, SAKAI_GRADES), _place_sakai,
    reads=re.compile(r".*timestamp\.txt"),
)  # fmt: skip


def _score_ilias(listing: Listing) -> float:
    names = {matched.match["who"] for path in listing.sample if (matched := _find_ilias(path))}
    accounts = [name.rsplit("_", 2)[1:] for name in names]
    # Where names have a login or a number in common, these are no accounts: `lab_1_ada_2026`.
    distinct = all(len(set(column)) == len(names) for column in zip(*accounts, strict=True))
    return fields.share(listing, _find_ilias) if distinct and len(names) > 1 else 0.0


def _place_one_ilias(matched: fields.MatchedName) -> Place:
    who = matched.match["who"]
    if team := matched.match["team"]:
        return Placement((Student(team.replace("_", " ")),), f"{who}/{matched.rest}")
    last, *first, login, _ = who.split("_")
    # A login may have a `_`; then nobody can say where the name ends.
    name = f"{first[0]} {last}" if len(first) == 1 else " ".join([last, *first])
    return Placement((Student(name, login),), matched.rest)


ILIAS = Layout(
    "ilias", "an ILIAS export", _score_ilias, fields.placed(_find_ilias, _place_one_ilias, "an ILIAS export")
)


def _place_one_openolat(matched: fields.MatchedName) -> Place:
    if matched.match["received"]:
        return Ignored(reasons.OPENOLAT_RETURNED)
    student = _student_openolat(*matched.match["who"].split("_"))
    return Placement((student,), matched.rest, int(matched.match["version"] or 0))


def _student_openolat(*parts: str) -> Student:
    match parts:
        case last, first, login if not login.isdecimal():
            return Student(f"{first} {last}", login)
        case *names, identifier if names:
            # A group and its number, or a name of more words, of which nobody can say which is the last name.
            return Student(" ".join(names), identifier)
        case _:
            return Student(parts[0])


OPENOLAT = Layout(
    "openolat",
    "an OpenOlat export",
    fields.scored(_find_openolat),
    fields.placed(_find_openolat, _place_one_openolat, "an OpenOlat export"),
)
