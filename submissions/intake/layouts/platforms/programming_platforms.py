"""Programming platforms, each for itself: Artemis, Dolos, DOMjudge, Git, GitHub, Gradescope, JPlag, nbgrader, Submitty.

A layout finds the names that its platform gives, says how well it fits an upload, and places each file.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from datetime import datetime
from io import StringIO
from typing import Any

from submissions.intake import sentences as reasons
from submissions.intake.layouts import fields
from submissions.intake.layouts.places import (
    CLASS_BYTES,
    Ignored,
    Layout,
    Listing,
    Place,
    Placement,
    Student,
    children_of,
    one_student,
    root_of,
)

ARTEMIS_NAME = re.compile(
    r"(?=[^/]*+/)(?P<exercise>[^/-]+-[^/]+?)-(?P<number>\d+)-"
    r"(?:(?P<hidden>student-submission(?:\.git)?)(?=/)|(?P<login>[^/]+))"
)
# The names of one export all begin with the course and the exercise.
ARTEMIS_MIN_SAME = 0.9

DOMJUDGE_NAME = re.compile(r"submissions/(?P<id>[^/]+)/(?:files/)?(?=[^/])")
DOMJUDGE_DATA = re.compile(r"(?:.*/)?(?P<kind>[a-z-]+)\.(?:nd)?json")

GITHUB_BRANCH = re.compile(r"-(?:main|master)(?:-[0-9a-f]{40})?\Z|-[0-9a-f]{40}\Z")
# Words that number students or teams by themselves, as in `student-01`.
GITHUB_COUNTED = re.compile(r"(?:student|user|team|group|submission|person|stud|candidate)s?", re.IGNORECASE)
# Fewer folders, or a shorter beginning that all of them have in common, say nothing.
MIN_REPOSITORIES, MIN_PREFIX = 3, 3

GRADESCOPE_METADATA = "submission_metadata.yml"
GRADESCOPE_NAME = re.compile(r"(?P<key>submission_\d+)(?P<suffix>\.\w+)?(?=/|\Z)")
GRADESCOPE_LINE = re.compile(r"(?P<indent> *)(?P<item>- +)?[\"']?:?(?P<field>\w+)[\"']?:(?: ++(?P<value>.*))?\Z")

NBGRADER_INBOUND = re.compile(
    r"(?P<student>[^/]+)\+(?P<assignment>[^/+]+)\+(?P<time>\d{4}-\d\d-\d\d \d\d[:_.-]\d\d[:_.-]\d\d[^/+]*)"
    r"(?:\+[\w=-]+)?(?=/)"
)
NBGRADER_SUBMITTED = re.compile(r"submitted/(?P<student>[^/]+)/(?P<assignment>[^/]+)(?=/)")
NBGRADER_RECORDS = ("timestamp.txt", "submission_secret.txt")

SUBMITTY_SETTINGS = "user_assignment_settings.json"
SUBMITTY_NAME = re.compile(rf"(?P<user>[^/]+)/(?:(?P<version>\d+)(?=/)|{re.escape(SUBMITTY_SETTINGS)}\Z)")
SUBMITTY_RESULTS = re.compile(r"(?:.*/)?results(?:_public)?/")

_find_artemis = fields.finder(ARTEMIS_NAME)
_find_domjudge = fields.finder(DOMJUDGE_NAME)
_find_gradescope = fields.finder(GRADESCOPE_NAME)
_find_nbgrader = fields.finder(NBGRADER_INBOUND, NBGRADER_SUBMITTED)
_find_submitty = fields.finder(SUBMITTY_NAME)
# Dolos (dodona-edu/dolos, its page on metadata) takes files of any names and a list with a row for each of them:
# `filename`, below the folder of the list, and at will `label`, `full_name`, `created_at`
# (`2019-07-23 17:12:33 +0200`) and `ignored`, which is true for a template.
DOLOS_INFO = "info.csv"
DOLOS_NAMED = re.compile(r"(?:.*/)?info\.csv")
# A class has a row for nearly every file; what lies beside them is no submission.
DOLOS_MIN_NAMED = 0.9
# This service writes `pushed-7/Main.java` of what it fetches from Git repositories; older such uploads are of what
# learning platforms pushed. The record has a field for each folder: an object with `name`, `identifier` and
# `submitted`, a time of ISO 8601. Of several folders with the same identifier, the last in time counts.
PUSHED_METADATA = "pushed-submissions.json"
PUSHED_NAME = re.compile(r"(?P<key>pushed-\d+)(?=/)")
_find_pushed = fields.finder(PUSHED_NAME)
# Results of JPlag 6 (jplag/JPlag, reporting/reportobject), `.jplag` or zip: `files/ID/path`, and in this list the
# name of each ID.
JPLAG_LIST = "submissionMappings.json"
JPLAG_FILE = re.compile(r"files/(?P<id>[^/]+)/(?P<path>.+)")
# The second since the names of fields are those of Java.
JPLAG_FIELDS = ("submission_id_to_display_name", "submissionIds")


def _score_artemis(listing: Listing) -> float:
    exercises = {matched.unit: matched.match["exercise"] for path in listing.sample if (matched := _find_artemis(path))}
    most = Counter(exercises.values()).most_common(1)
    if not most or most[0][1] < max(2, ARTEMIS_MIN_SAME * len(exercises)):
        return 0.0
    return 0.8 * fields.share(listing, _find_artemis)


def _place_one_artemis(matched: fields.MatchedName) -> Place:
    number, login = matched.match["number"], matched.match["login"]
    student = Student(login, login) if login else Student(f"participation {number}", number)
    return Placement((student,), matched.path())


ARTEMIS = Layout(
    "artemis", "an Artemis export", _score_artemis,
    fields.placed(_find_artemis, _place_one_artemis, "an Artemis export"),
)  # fmt: skip


def _score_domjudge(listing: Listing) -> float:
    if "submissions.json" not in listing.file_names:
        return 0.0
    return fields.share(
        listing,
        lambda path: (
            _find_domjudge(path) or (fields.find(DOMJUDGE_DATA, path) if DOMJUDGE_DATA.fullmatch(path) else None)
        ),
    )


def _rows_domjudge(listing: Listing, name: str) -> dict[str, dict[str, object]]:
    texts = (listing.read(path) for path in listing.file_names.get(name, []))
    lists = (rows for text in texts if isinstance(rows := fields.parse_json(text), list))
    return {str(row["id"]): row for rows in lists for row in rows if isinstance(row, dict) and "id" in row}


def _place_domjudge(listing: Listing) -> dict[str, Place]:
    submissions, teams = _rows_domjudge(listing, "submissions.json"), _rows_domjudge(listing, "teams.json")
    problems = _rows_domjudge(listing, "problems.json")

    def place_one(matched: fields.MatchedName) -> Place:
        row = submissions.get(matched.match["id"], {})
        team = str(row.get("team_id", f"submission {matched.match['id']}"))
        record = teams.get(team, {})
        name = str(record.get("display_name") or record.get("name") or team)
        time = fields.parse_time(str(row.get("time", "")))
        problem = str(row.get("problem_id", ""))
        label = str(problems.get(problem, {}).get("label") or problem).replace("/", "-")
        return Placement((Student(name, team),), matched.path(label), time, time, part=problem)

    places = fields.place_each(listing.paths, _find_domjudge, place_one, "a DOMjudge export")
    data = [path for path in listing.paths if DOMJUDGE_DATA.fullmatch(path) and not _find_domjudge(path)]
    return places | {path: Ignored(reasons.DOMJUDGE_DATA) for path in data}


DOMJUDGE = Layout(
    "domjudge", "a DOMjudge export", _score_domjudge, _place_domjudge,
    reads=re.compile(r"(?:.*/)?(?:submissions|teams|problems)\.json"), read_bytes=CLASS_BYTES,
)  # fmt: skip


def _logins_github(listing: Listing) -> tuple[dict[str, str], float]:
    """Return the login of each folder in the root, and how sure it is that these are logins."""
    root = root_of(listing.paths)
    folders = [name for name, is_folder in children_of(listing.paths, root).items() if is_folder]
    stems = {name: GITHUB_BRANCH.sub("", name) for name in folders}
    prefix = fields.common_beginning(list(stems.values()))
    logins = {name: stem[len(prefix) + 1 :] if prefix else stem for name, stem in stems.items()}
    if len(set(logins.values())) < len(folders) or not all(logins.values()) or fields.are_questions(folders):
        return {}, 0.0
    if prefix and root.rstrip("/").rpartition("/")[2] == f"{prefix}-submissions":
        return logins, 1.0
    if len(folders) < MIN_REPOSITORIES:
        return {}, 0.0
    branches = sum(stems[name] != name for name in folders) / len(folders)
    if (
        len(prefix) < MIN_PREFIX
        or GITHUB_COUNTED.fullmatch(prefix)
        or all(login.isdigit() for login in logins.values())
    ):
        return stems, 0.5 * branches
    return logins, 0.4 + 0.2 * branches


def _place_github(listing: Listing) -> dict[str, Place]:
    root, (logins, _) = root_of(listing.paths), _logins_github(listing)
    places: dict[str, Place] = {}
    for path in listing.paths:
        name, slash, inner = path[len(root) :].partition("/")
        if not slash and fields.is_loose(name, programs=True):
            places[path] = fields.LOOSE
            continue
        login = logins.get(name, name)
        # A packed repository has the folder of its name once more inside.
        inner = inner.removeprefix(f"{name}/")
        places[path] = Placement((Student(login, login if slash else ""),), inner if slash else name)
    return places


GITHUB = Layout("github", "repositories of GitHub or GitLab", lambda listing: _logins_github(listing)[1], _place_github)


def _score_gradescope(listing: Listing) -> float:
    return (1.0 if GRADESCOPE_METADATA in listing.file_names else 0.6) * fields.share(
        listing, _find_gradescope, [GRADESCOPE_METADATA]
    )


def _records_gradescope(text: str) -> dict[str, list[dict[str, str]]]:
    """Return the submitters of each submission; the first has the time, too. Other lines are passed over."""
    records: dict[str, list[dict[str, str]]] = {}
    submitters: list[dict[str, str]] = []
    section = ""
    for line in text.splitlines():
        if not (match := GRADESCOPE_LINE.match(line)):
            continue
        depth, field = len(match["indent"]), match["field"]
        if depth == 0 and not match["item"]:
            submitters = records.setdefault(field, [])
        elif depth <= 2 and not match["item"]:  # noqa: PLR2004 - the depth of a record's fields
            section = field
            if field == "created_at":
                submitters.append({"time": fields.parse_scalar(match["value"] or "")})
        elif section == "submitters":
            if match["item"]:
                submitters.append({})
            if submitters:
                submitters[-1][field] = fields.parse_scalar(match["value"] or "")
    return records


def _place_gradescope(listing: Listing) -> dict[str, Place]:
    records: dict[str, list[dict[str, str]]] = {}
    for path in listing.file_names.get(GRADESCOPE_METADATA, []):
        records |= _records_gradescope(listing.read(path))

    def place_one(matched: fields.MatchedName) -> Place:
        key, rows = matched.match["key"], records.get(matched.match["key"], [])
        students = tuple(
            Student(row["name"], row.get("sid") or row.get("email", "")) for row in rows if row.get("name")
        )
        time = next((fields.parse_time(row["time"]) for row in rows if "time" in row), None)
        file = matched.unit.rpartition("/")[2] if matched.match["suffix"] and not matched.rest else ""
        return Placement(students or (Student(key, key),), matched.path(file), submitted=time)

    note = reasons.GRADESCOPE_LIST if any(records.values()) else reasons.GRADESCOPE_UNREAD_LIST
    places = fields.place_each(listing.paths, _find_gradescope, place_one, "a Gradescope export")
    return places | {path: Ignored(note) for path in listing.file_names.get(GRADESCOPE_METADATA, [])}


GRADESCOPE = Layout(
    "gradescope", "a Gradescope export", _score_gradescope, _place_gradescope,
    reads=re.compile(r"(?:.*/)?" + re.escape(GRADESCOPE_METADATA)), read_bytes=CLASS_BYTES,
)  # fmt: skip


def _score_nbgrader(listing: Listing) -> float:
    notebooks = any(path.endswith(".ipynb") for path in listing.sample)
    return (1.0 if notebooks else 0.6) * fields.share(listing, _find_nbgrader)


def _place_nbgrader(listing: Listing) -> dict[str, Place]:
    assignments = {matched.match["assignment"] for path in listing.paths if (matched := _find_nbgrader(path))}
    times = {}
    for path in listing.file_names.get("timestamp.txt", []):
        if matched := _find_nbgrader(path):
            times[matched.unit] = fields.parse_time(listing.read(path))

    def place_one(matched: fields.MatchedName) -> Place:
        student, assignment = matched.match["student"], matched.match["assignment"]
        if matched.rest in NBGRADER_RECORDS:
            return Ignored(reasons.NBGRADER_RECORD)
        time = fields.parse_time(matched.match.groupdict().get("time") or "") or times.get(matched.unit)
        inner = matched.path(assignment if len(assignments) > 1 else "")
        return Placement((Student(student, student),), inner, time, time, part=assignment)

    return fields.place_each(listing.paths, _find_nbgrader, place_one, "nbgrader folders")


NBGRADER = Layout(
    "nbgrader", "nbgrader folders", _score_nbgrader, _place_nbgrader,
    reads=re.compile(r"(?:.*/)?timestamp\.txt"),
)  # fmt: skip


def _score_submitty(listing: Listing) -> float:
    return fields.share(listing, _find_submitty) if SUBMITTY_SETTINGS in listing.file_names else 0.0


def _place_submitty(listing: Listing) -> dict[str, Place]:
    active: dict[str, int] = {}
    for path in listing.file_names.get(SUBMITTY_SETTINGS, []):
        settings = fields.parse_json(listing.read(path))
        version = settings.get("active_version") if isinstance(settings, dict) else None
        if isinstance(version, int) and (matched := _find_submitty(path)):
            active[matched.match["user"]] = version

    def place_one(matched: fields.MatchedName) -> Place:
        user = matched.match["user"]
        if matched.match["version"] is None:
            return Ignored(reasons.SUBMITTY_SETTINGS)
        if SUBMITTY_RESULTS.fullmatch(matched.prefix):
            return Ignored(reasons.TEST_RESULTS)
        version, limit = int(matched.match["version"]), active.get(user)
        if limit == 0:
            return Ignored(reasons.CANCELLED, (Student(user, user),))
        if limit is not None and version > limit:
            return Ignored(reasons.OTHER_VERSION.format(version=version, chosen=limit))
        return Placement((Student(user, user),), matched.path(), version)

    return fields.place_each(listing.paths, _find_submitty, place_one, "a Submitty download")


SUBMITTY = Layout(
    "submitty", "a Submitty download", _score_submitty, _place_submitty,
    reads=re.compile(r"(?:.*/)?" + re.escape(SUBMITTY_SETTINGS)),
)  # fmt: skip


def _rows_dolos(listing: Listing) -> dict[str, dict[str, str]]:
    """Return the rows of the one list by the paths of their files, for files that are there."""
    lists = listing.file_names.get(DOLOS_INFO, [])
    folder = lists[0].removesuffix(DOLOS_INFO) if len(lists) == 1 else ""
    try:
        rows = list(csv.DictReader(StringIO(listing.read(lists[0])))) if len(lists) == 1 else []
    except csv.Error:
        return {}
    named = {f"{folder}{(row.get('filename') or '').removeprefix('./')}": row for row in rows}
    return {path: row for path, row in named.items() if path in listing.files}


def _score_dolos(listing: Listing) -> float:
    rows, files = _rows_dolos(listing), len(listing.paths) - 1
    return len(rows) / files if files > 0 and len(rows) >= DOLOS_MIN_NAMED * files else 0.0


def _place_dolos(listing: Listing) -> dict[str, Place]:
    rows = _rows_dolos(listing)
    return {path: _place_one_dolos(path, rows.get(path)) for path in listing.paths}


def _place_one_dolos(path: str, row: dict[str, str] | None) -> Place:
    if row is None:
        return Ignored(reasons.DOLOS_LIST if DOLOS_NAMED.fullmatch(path) else reasons.DOLOS_UNLISTED)
    if (row.get("ignored") or "").strip().casefold() == "true":
        return Ignored(reasons.DOLOS_IGNORED)
    name = " ".join((row.get("full_name") or "").split())
    file, submitted = row["filename"].removeprefix("./"), fields.parse_time(row.get("created_at") or "")
    student = Student(name, file) if name else Student(file)
    return Placement((student,), file.rpartition("/")[2], attempt=submitted, submitted=submitted)


DOLOS = Layout("dolos", "a class for Dolos", _score_dolos, _place_dolos, reads=DOLOS_NAMED, read_bytes=CLASS_BYTES)


def _score_pushed(listing: Listing) -> float:
    return fields.share(listing, _find_pushed, [PUSHED_METADATA]) if PUSHED_METADATA in listing.file_names else 0.0


def _place_pushed(listing: Listing) -> dict[str, Place]:
    records: dict[str, Any] = {}
    # A student's own file of this name is in a folder of the list, and says nothing.
    lists = [path for path in listing.file_names.get(PUSHED_METADATA, []) if _find_pushed(path) is None]
    for path in lists:
        content = fields.parse_json(listing.read(path))
        records |= content if isinstance(content, dict) else {}

    def place_one(matched: fields.MatchedName) -> Place:
        student, submitted = _read_pushed(records.get(matched.match["key"]))
        if not student.name:
            student = Student(matched.match["key"])
        return Placement((student,), matched.path(), attempt=submitted, submitted=submitted)

    places = fields.place_each(listing.paths, _find_pushed, place_one, "an upload of pushed submissions")
    note = reasons.PUSHED_LIST
    return places | {path: Ignored(note) for path in lists}


def _read_pushed(record: object) -> tuple[Student, datetime | None]:
    """Return the student and the time of a record; without a name if it has none."""
    stored = record if isinstance(record, dict) else {}
    name, identifier, submitted = (
        value if isinstance(value, str) else ""
        for value in (stored.get("name"), stored.get("identifier"), stored.get("submitted"))
    )
    return Student(name.strip(), identifier.strip()), fields.parse_time(submitted)


PUSHED = Layout(
    "pushed", "submissions that this service fetched", _score_pushed, _place_pushed,
    reads=re.compile(r"(?:.*/)?" + re.escape(PUSHED_METADATA)), read_bytes=CLASS_BYTES,
)  # fmt: skip


def _names_jplag(listing: Listing) -> tuple[str, dict[str, str]]:
    """Return the folder of the one list, and the names of submissions by their ids; equal ones with their id."""
    # A student's own file of this name is in a folder of the files, and says nothing.
    lists = [path for path in listing.file_names.get(JPLAG_LIST, []) if "/files/" not in f"/{path}"]
    content = fields.parse_json(listing.read(lists[0])) if len(lists) == 1 else {}
    stated = content if isinstance(content, dict) else {}
    rows: dict[str, object] = next((stated[name] for name in JPLAG_FIELDS if isinstance(stated.get(name), dict)), {})
    names = {one: " ".join(name.split()) for one, name in rows.items() if isinstance(name, str) and name.strip()}
    having = Counter(names.values())
    names = {one: name if having[name] == 1 else f"{name} ({one})" for one, name in names.items()}
    return lists[0].removesuffix(JPLAG_LIST) if names else "", names


def _score_jplag(listing: Listing) -> float:
    return float(any(not isinstance(place, Ignored) for place in _place_jplag(listing).values()))


def _place_jplag(listing: Listing) -> dict[str, Place]:
    folder, names = _names_jplag(listing)
    return {path: _place_one_jplag(path.removeprefix(folder), names) for path in listing.paths}


def _place_one_jplag(path: str, names: dict[str, str]) -> Place:
    match = JPLAG_FILE.fullmatch(path)
    if not match or match["id"] not in names:
        return Ignored(reasons.JPLAG_REPORT)
    return one_student(names[match["id"]], match["path"])


JPLAG = Layout(
    "jplag", "a result of JPlag", _score_jplag, _place_jplag,
    reads=re.compile(r"(?:.*/)?" + re.escape(JPLAG_LIST)), read_bytes=CLASS_BYTES,
)  # fmt: skip
