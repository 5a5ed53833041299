"""Check what a child that groups an upload or reads a roster answers: a hostile one could send anything."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from submissions.intake.archives.grouping import Grouping
from submissions.intake.archives.grouping_warnings import GroupingWarning
from submissions.intake.archives.listed_upload import GroupedUpload
from submissions.intake.archives.members import MAX_SIZE
from submissions.intake.archives.preview import Preview, PreviewedSubmission, SkippedGroup
from submissions.intake.archives.regrouping import FilePlace, GroupedSubmission
from submissions.intake.layouts.places import Student
from submissions.intake.layouts.platforms.files import FILES
from submissions.intake.layouts.platforms.folders import folders_at
from submissions.intake.layouts.registry import LAYOUTS, Ranked
from submissions.intake.left_out.listing import LeftOut, LeftOutEntry
from submissions.intake.rosters import Roster, RosterProblem, RosterStudent
from submissions.intake.rosters.table import MAX_ROWS
from submissions.intake.sandbox.frames import Nonsense

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from submissions.intake.archives.choices import Choices
    from submissions.intake.layouts.places import Layout

    T = TypeVar("T")

# Characters of any text, which may name a few submissions, and of a name that is stored.
MAX_TEXT, MAX_NAME = 10_000, 400


def grouped_upload(data: bytes, paths: frozenset[str], choices: Choices) -> GroupedUpload:
    """Return the answer to a request with entries of these paths, or raise Nonsense."""
    return _read(lambda: _grouped(_object(json.loads(data)), paths, choices))


def preview(data: bytes, paths: frozenset[str], choices: Choices) -> Preview:
    """Return the answer to a request with entries of these paths, or raise Nonsense."""
    return _read(lambda: _preview(_object(json.loads(data)), paths, choices))


def roster(data: bytes) -> Roster:
    """Return the answer to a request with a roster, or raise Nonsense."""
    return _read(lambda: _roster(_object(json.loads(data))))


def _read(reader: Callable[[], T]) -> T:
    try:
        return reader()
    except Nonsense:
        raise
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise Nonsense(f"not the parts of an answer ({type(error).__name__})") from error


def _roster(answer: dict[str, Any]) -> Roster:
    students = [
        RosterStudent._make([*map(_cell, student), tuple(map(_cell, _list(others)))])
        for *student, others in map(_list, _list(answer["students"]))
    ]
    problems = [RosterProblem(_count(line), _text(why)) for line, why in _list(answer["problems"])]
    if len(students) > MAX_ROWS or not all(student.display_name for student in students):
        raise Nonsense("students that there are not")
    return Roster(tuple(students), tuple(problems))


def _cell(value: Any) -> str:
    if len(_text(value)) > MAX_NAME:
        raise Nonsense("a cell that is too long")
    return str(value)


def _grouped(answer: dict[str, Any], paths: frozenset[str], choices: Choices) -> GroupedUpload:
    grouping = _grouping(answer["grouping"], paths, choices)
    return GroupedUpload(grouping, _left_out(answer["left_out"], grouping), _texts(answer["owners"]))


def _preview(answer: dict[str, Any], paths: frozenset[str], choices: Choices) -> Preview:
    grouping = _grouping(answer["grouping"], paths, choices)
    return Preview(
        grouping,
        tuple(Ranked(LAYOUTS[_text(key)], _share(score)) for key, score in _list(answer["layouts"])),
        tuple(
            PreviewedSubmission(_text(name), grouping.submissions[name], _count(files), _count(size))
            for name, files, size in _list(answer["submissions"])
        ),
        tuple(map(_skipped, _list(answer["ignored"]))),
        tuple(map(_skipped, _list(answer["left_out"]))),
        tuple(map(_skipped, _list(answer["refused"]))),
        tuple(map(_warning, _list(answer["warnings"]))),
        _counted(answer["counted"], grouping),
    )


def _counted(answer: Any, grouping: Grouping) -> tuple[str, ...]:
    paths = tuple(map(_text, _list(answer)))
    if not grouping.places.keys() >= set(paths):
        raise Nonsense("files that there are not")
    return paths


def _grouping(answer: Any, paths: frozenset[str], choices: Choices) -> Grouping:
    submissions = {_text(name): _submission(one) for name, one in _object(answer["submissions"]).items()}
    places = {path: FilePlace(*map(_text, place)) for path, place in _object(answer["places"]).items()}
    ignored, earlier = _texts(answer["ignored"]), _texts(answer["earlier"])
    if not places.keys() | ignored.keys() <= paths or not earlier.keys() <= ignored.keys():
        raise Nonsense("entries that there are not")
    if not {place.submission for place in places.values()} <= submissions.keys():
        raise Nonsense("submissions that there are not")
    if any(not name or len(name) > MAX_NAME for name in submissions):
        raise Nonsense("names of submissions")
    warnings = list(map(_warning, _list(answer["warnings"])))
    return Grouping(
        _layout(_text(answer["layout"]), choices), submissions, places, ignored, earlier, warnings
    )


def _layout(key: str, choices: Choices) -> Layout:
    if choices.depth is not None:
        return folders_at(choices.depth) if choices.depth else FILES
    return LAYOUTS[key]


def _submission(answer: Any) -> GroupedSubmission:
    students, attempt, attempts, submitted, late = _list(answer)
    known = tuple(Student(_text(name), _text(identifier)) for name, identifier in _list(students))
    time = datetime.fromisoformat(_text(submitted)) if submitted else None
    return GroupedSubmission(known, _count(attempt), _count(attempts), time, late is True)


def _left_out(answer: Any, grouping: Grouping) -> LeftOut:
    paths = frozenset(map(_text, _list(answer["paths"])))
    if not paths <= grouping.places.keys():
        raise Nonsense("files that there are not")
    entries = [
        LeftOutEntry(_text(name), _count(size), _text(why)) for name, size, why in _list(answer["entries"])
    ]
    return LeftOut(paths, frozenset(map(_text, _list(answer["folders"]))), entries)


def _skipped(answer: Any) -> SkippedGroup:
    reason, entries, size, examples = _list(answer)
    return SkippedGroup(_text(reason), _count(entries), _count(size), tuple(map(_text, _list(examples))))


def _warning(answer: Any) -> GroupingWarning:
    kind, text, submissions = _list(answer)
    return GroupingWarning(_text(kind), _text(text), tuple(map(_text, _list(submissions))))


def _text(value: Any) -> str:
    """Return a text that can be stored; lone surrogates make `encode` raise an error."""
    if not isinstance(value, str) or len(value) > MAX_TEXT or "\0" in value:
        raise Nonsense("a text that is none")
    value.encode()
    return value


def _texts(value: Any) -> dict[str, str]:
    return {_text(key): _text(text) for key, text in _object(value).items()}


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= MAX_SIZE:
        raise Nonsense("a number that counts nothing")
    return value


def _share(value: Any) -> float:
    if type(value) not in {int, float} or not 0 <= value <= 1:
        raise Nonsense("a share that is none")
    return float(value)


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise Nonsense("no list where there should be one")
    return value


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Nonsense("no object where there should be one")
    return value
