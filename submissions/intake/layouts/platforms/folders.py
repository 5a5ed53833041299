"""Layouts without a platform: folders or files of students, one project, sections, questions.

A nested archive is a folder, so a folder a student is an archive a student too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache, partial
from typing import NamedTuple

from submissions.intake import sentences as reasons
from submissions.intake.layouts.fields import LOOSE, LOOSE_FILE, are_questions, have_programs, is_loose
from submissions.intake.layouts.places import (
    FITS,
    FITS_LESS,
    FITS_NOT,
    MIN_STUDENTS,
    PROJECT_ENTRIES,
    FolderOrFile,
    Ignored,
    Layout,
    Listing,
    Place,
    children_of,
    course_folders,
    distinct_names,
    is_project,
    one_student,
    root_of,
    without_common_parts,
)

# Least number of sections, and of folders in each on average.
MIN_FOLDERS = 2
# So many of the students' names occur in no other section; those of the parts of projects do.
MIN_DISTINCT = 0.8

MIN_QUESTIONS = 2
# So many of the students answered two questions or more.
MIN_REPEATED = 0.5
# Folders of questions with files alone have so many in each, so that they are no parts of one project.
MIN_FILES = 3
JOINING = " _-"


def _score(listing: Listing) -> float:
    return FITS_LESS if any("/" in path for path in listing.paths) else FITS_NOT


def _place(listing: Listing, depth: int = 1) -> dict[str, Place]:
    root = root_of(listing.paths)
    places, units = _units(listing.paths, root, depth)
    names = distinct_names(set(units.values()), root)
    short = without_common_parts(names.values())
    for path, unit in units.items():
        inner = path[len(unit.path) + 1 :] or path.rpartition("/")[2]
        places[path] = one_student(short[names[unit]], inner)
    return places


def _units(paths: Iterable[str], root: str, depth: int) -> tuple[dict[str, Place], dict[str, FolderOrFile]]:
    """Return what is ignored of the sorted `paths` in a folder, and what each other one is a part of."""
    paths = list(paths)
    children = children_of(paths, root)
    handed_out = course_folders(paths, root, children)
    loose = _loose_files(paths, root, children)
    ignored: dict[str, Place] = {}
    units: dict[str, FolderOrFile] = {}
    deeper: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        name, slash, _ = path[len(root) :].partition("/")
        if slash and name in handed_out:
            ignored[path] = Ignored(reasons.OF_THE_COURSE.format(name=name))
        elif depth == 1 and not slash and name in loose:
            ignored[path] = LOOSE
        elif depth == 1:
            units[path] = FolderOrFile(root + name, bool(slash))
        elif slash:
            deeper[name].append(path)
        else:
            ignored[path] = Ignored(reasons.BESIDE_DEEPER_FOLDERS)
    for name, inside in deeper.items():
        more_ignored, more_units = _units(inside, f"{root}{name}/", depth - 1)
        ignored |= more_ignored
        units |= more_units
    return ignored, units


def _loose_files(paths: list[str], root: str, children: dict[str, bool]) -> set[str]:
    """Return the names of the files beside the folders of students that are no work of one."""
    files = [name for name, is_folder in children.items() if not is_folder]
    if not files or len(children) - len(files) < MIN_STUDENTS:
        return set()
    programs = have_programs([path for path in paths if "/" in path[len(root) :]])
    return {name for name in files if is_loose(name, programs=programs)}


FOLDERS = Layout("folders", "a folder or file for each student", _score, _place)


@cache
def folders_at(depth: int) -> Layout:
    """Return the layout with a student for each folder or file at a depth, from 1."""
    label = FOLDERS.label if depth == 1 else f"a folder or file at depth {depth} for each student"
    return Layout(FOLDERS.key, label, _score, partial(_place, depth=depth))


def _score_files(listing: Listing) -> float:
    root = root_of(listing.paths)
    return FITS_NOT if any("/" in path[len(root) :] for path in listing.paths) else FITS


def _place_files(listing: Listing) -> dict[str, Place]:
    root = root_of(listing.paths)
    loose = _only_loose_files(listing.paths, root)
    names = without_common_parts([path[len(root) :] for path in listing.paths if path not in loose])
    places: dict[str, Place] = dict.fromkeys(loose, LOOSE_FILE)
    for path in listing.paths:
        if path not in loose:
            places[path] = one_student(names[path[len(root) :]], path.rpartition("/")[2])
    return places


def _only_loose_files(paths: Sequence[str], root: str) -> set[str]:
    """Return the lists and files of the course in `root` where the others are programs or texts."""
    files = {path for path in paths if "/" not in path[len(root) :]}
    loose = {path for path in files if is_loose(path[len(root) :], programs=False)}
    others = files - loose
    return loose if len(others) >= MIN_STUDENTS and have_programs(others) else set()


FILES = Layout("files", "a file for each student", _score_files, _place_files)


def _score_project(listing: Listing) -> float:
    if len(listing.paths) == 1:
        return FITS if "/" in listing.paths[0] else FITS_NOT
    root = root_of(listing.paths)
    named = root or (listing.name and any(children_of(listing.paths, root).values()))
    return FITS if named and is_project(listing.paths, root) else FITS_NOT


def _place_project(listing: Listing) -> dict[str, Place]:
    if len(listing.paths) > 1 and not root_of(listing.paths):
        return {path: one_student(listing.name or "project", path) for path in listing.paths}
    places: dict[str, Place] = {}
    for path in listing.paths:
        name, _, inner = path.partition("/")
        places[path] = one_student(name, inner or name)
    return places


PROJECT = Layout("project", "one project", _score_project, _place_project)


def _score_sections(listing: Listing) -> float:
    root = root_of(listing.paths)
    inner: set[tuple[str, str]] = set()
    for path in listing.paths:
        section, in_section, rest = path[len(root) :].partition("/")
        child, in_child, _ = rest.partition("/")
        if in_section and not in_child:
            if is_loose(child, programs=True):
                continue
            return FITS_NOT
        if in_child:
            inner.add((section, child))
    sections, children = {section for section, _ in inner}, {child for _, child in inner}
    if len(sections) < MIN_FOLDERS or len(inner) < MIN_FOLDERS * len(sections):
        return FITS_NOT
    parts = sum(child.lower() in PROJECT_ENTRIES for _, child in inner)
    fits = len(children) >= MIN_DISTINCT * len(inner) and parts * 2 < len(inner)
    return FITS if fits else FITS_NOT


def _place_sections(listing: Listing) -> dict[str, Place]:
    """Place each folder in a section; students of one name in two sections have the section after it."""
    root = root_of(listing.paths)
    split = {path: path[len(root) :].split("/", 2) for path in listing.paths}
    students = {(parts[0], parts[1]) for parts in split.values() if len(parts) > MIN_FOLDERS}
    counts = Counter(name for _, name in students)
    places: dict[str, Place] = {}
    for path, parts in split.items():
        if len(parts) <= MIN_FOLDERS:
            beside = Ignored(reasons.BESIDE_FOLDERS)
            places[path] = LOOSE if is_loose(parts[-1], programs=True) else beside
        else:
            section, name, inner = parts
            places[path] = one_student(name if counts[name] == 1 else f"{name} ({section})", inner)
    return places


SECTIONS = Layout("sections", "sections with a folder for each student", _score_sections, _place_sections)


class Answer(NamedTuple):
    """The path of a file in the folder of a question: `inner` is empty where it is a file a student."""

    question: str
    student: str
    inner: str


def _answers(listing: Listing) -> dict[str, Answer | None]:
    """Return each path as an answer; None for a file beside the questions."""
    root = root_of(listing.paths)
    return {path: _answer(path[len(root) :].split("/", 2)) for path in listing.paths}


def _answer(parts: list[str]) -> Answer | None:
    match parts:
        case question, student, inner:
            return Answer(question, student, inner)
        case question, file:
            stem = file.rpartition(".")[0] or file
            # A file may be named after the question, too: `week1/ada_week1.py`.
            return Answer(question, stem.replace(question, "").strip(JOINING) or stem, "")
        case _:
            return None


def _score_questions(listing: Listing) -> float:
    answers = [answer for answer in _answers(listing).values() if answer]
    files = Counter(answer.question for answer in answers if not answer.inner)
    folders = {answer.question for answer in answers if answer.inner}
    if files and (folders or min(files.values()) < MIN_FILES):
        return FITS_NOT
    questions: dict[str, set[str]] = {}
    for answer in answers:
        questions.setdefault(answer.student, set()).add(answer.question)
    return FITS if _are_questions(questions) else FITS_NOT


def _are_questions(questions: dict[str, set[str]]) -> bool:
    """Return whether the folders around the students are questions; `questions` are by student."""
    folders = {question for answered in questions.values() for question in answered}
    repeated = sum(len(answered) > 1 for answered in questions.values())
    return (
        len(folders) >= MIN_QUESTIONS
        and are_questions(folders)
        and not any(are_questions([name]) or name.lower() in PROJECT_ENTRIES for name in questions)
        and len(questions) > 1
        and repeated >= MIN_REPEATED * len(questions)
    )


def _place_questions(listing: Listing) -> dict[str, Place]:
    return {path: _place_one(path, answer) for path, answer in _answers(listing).items()}


def _place_one(path: str, answer: Answer | None) -> Place:
    if not answer:
        return LOOSE
    file = answer.inner or path.rpartition("/")[2]
    return one_student(answer.student, f"{answer.question}/{file}")


QUESTIONS = Layout(
    "questions", "a folder for each question, with the students in it", _score_questions, _place_questions
)
