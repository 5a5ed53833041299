"""Places: whose work a file is, by its layout, or why it is no work of a student.

A layout sees the paths, sizes and times of an upload, and the bytes of metadata files. Where it has no
names of its own, the entries of one folder are the students.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple

from submissions.intake.entries import Entry, without_accents
from submissions.intake.limits import Limits

# Bytes of all metadata files together that are read.
ALL_METADATA_BYTES = 20_000_000
# Number of paths that a score looks at, so that recognising a layout takes the same time for any upload.
SAMPLED = 1_000

PARTICIPANT = "Participant "

# Bytes to read of a metadata file about a student or an attempt, and of a metadata file about the class.
RECORD_BYTES, CLASS_BYTES = 200_000, 5_000_000

# A folder that mostly contains these is the project of one student, not a class of submissions.
PROJECT_ENTRIES = frozenset({
    "src", "test", "tests", "lib", "include", "docs", "doc", "main", "__init__.py", "makefile",
    "pom.xml", "build.gradle", "build.gradle.kts", "cmakelists.txt", "package.json", "cargo.toml",
    "go.mod", "setup.py", "pyproject.toml",
})  # fmt: skip
# Words in the names of folders of the course beside those of its students, without accents.
_COURSE_WORDS = """
    test tests lib include docs doc solution solutions starter startercode template templates skeleton skel stub stubs
    base basecode boilerplate distro distribution scaffold scaffolding given provided reference original model handout
    handouts instructor teacher lecturer prof professor tutor staff dozent dozentin answer answers rubric grader
    starterkit initial answerkey modelanswer beispielloesung beispiellosung losungsvorschlag loesungsvorschlag opgaven
    aufgabenstellung zadanie zadania szablon rozwiazanie rozwiazania reseni zadani sablona losning
    losningsforslag løsning løsningsforslag udleveret utdelt ratkaisu skabelon cozum iskelet consegna correcao
    codigobase profesor professeur docente шаблон решение заготовка 模板 答案 参考答案 解答例 grading
    autograder losung losungen loesung loesungen musterlosung musterlosungen musterloesung musterloesungen vorlage
    vorlagen vorgabe vorgaben angabe angaben geruest gerust grundgeruest grundgerust startprojekt ausgangscode
    solucion soluciones plantilla plantillas enunciado enunciados modelo modelos esqueleto inicial inicio squelette
    squelettes modele modeles gabarit corrige corriges enonce depart fourni fournis scheletro modello modelli traccia
    soluzione soluzioni iniziale partenza forniti sjabloon startcode begincode startproject beginproject uitwerking
    uitwerkingen opgave gegeven oplossing oplossingen gabarito gabaritos resolucao solucao solucoes fornecido
    fornecidos rahmenprogramm canevas distrib
"""
COURSE_FOLDERS = frozenset(_COURSE_WORDS.split())
# Words beside those, as in `given files`.
_BESIDE_WORDS = """
    code codigo codice files file fichiers ficheros ficheiros archivos arquivos bestanden project projet proyecto
    progetto projeto projekt sample material materiale del de di du da do key kit pack tp ue hw lab
"""
_BESIDE = frozenset(_BESIDE_WORDS.split())
# Words that are said of handed-out code alone, and words beside these, as in `java-starter`.
_GIVEN = frozenset({"starter", "template", "skeleton", "boilerplate", "scaffold"})
_BESIDE_GIVEN_WORDS = """
    week exercise assignment task java python javascript typescript cpp csharp kotlin swift rust go php ruby
"""
_BESIDE_GIVEN = frozenset(_BESIDE_GIVEN_WORDS.split())
# What stands between words or behind them: `vorlage2`, `template_v2`.
_NUMBER = re.compile(r"[_-]|(?<![^\W\d_])v?\d[\d.]*|\d+")
# With fewer other folders, folders of a course may be parts of a student's work.
MIN_STUDENTS = 2
# Characters that the name of a submission has at most, as a path has.
NAME_CHARACTERS = Limits().path_length
# Folders in which the same file occurs are alike: so many, and this part of all folders, are a class.
MIN_ALIKE, MIN_ALIKE_SHARE = 2, 0.5
# Scores of the layouts without names of their own, below those of every platform.
FITS, FITS_LESS, FITS_NOT = 0.3, 0.2, 0.05

# Words end at blanks: what is joined otherwise, as `case-01_L1.java`, a program named, and others know it.
WORD_END = " "
# Characters that are left out next to a part of a name that was cut off.
JOINING = " _-"
# With fewer names, the part that all have in common may be a family name.
MIN_NAMES = 3
# The rest of a name has at least so many letters: numbers alone are no names.
MIN_LETTERS = 2


class Listing:
    """The files of an upload by path, in the order of their paths.

    `metadata` has the bytes of files that a layout may read; `name` is that of the upload without its suffix,
    or empty. No layout is recognised by it. `unread` has the reason why a metadata file is not read, and
    `reading` is called with the path of each that is.
    """

    def __init__(
        self,
        files: Mapping[str, Entry],
        metadata: Mapping[str, bytes] | None = None,
        name: str = "",
        unread: Mapping[str, str] | None = None,
        reading: Callable[[str], None] | None = None,
    ) -> None:
        self.files = {path: files[path] for path in sorted(files)}
        self.name = name
        self.unread = unread or {}
        self._metadata, self._reading = metadata or {}, reading

    def with_paths(self, paths: Iterable[str]) -> Listing:
        """Return a listing with more files, of which only the paths are known."""
        more = {path: Entry(path, 0) for path in paths}
        return Listing(more | self.files, self._metadata, self.name, self.unread, self._reading)

    @cached_property
    def paths(self) -> list[str]:
        return list(self.files)

    @cached_property
    def sample(self) -> list[str]:
        """Paths to score by: all, or SAMPLED of them at equal distances."""
        count = len(self.paths)
        if count <= SAMPLED:
            return self.paths
        return [self.paths[index * count // SAMPLED] for index in range(SAMPLED)]

    @cached_property
    def file_names(self) -> dict[str, list[str]]:
        by_name: dict[str, list[str]] = {}
        for path in self.paths:
            by_name.setdefault(path.rpartition("/")[2], []).append(path)
        return by_name

    def read(self, path: str) -> str:
        """Return the text of a metadata file; empty if there is none, or if it is not read."""
        if self._reading and path in self._metadata:
            self._reading(path)
        return self._metadata.get(path, b"").decode("utf-8-sig", "replace")


class Student(NamedTuple):
    """A student or team: the name as shown, and the id, login or e-mail address; empty if not known."""

    name: str
    identifier: str = ""


def participant(number: str) -> str:
    """Return the identifier of a student whom a platform numbers anew in every assignment."""
    return PARTICIPANT + number


def is_participant(identifier: str) -> bool:
    """Return whether an identifier is worth nothing outside of its assignment, see `participant`."""
    return identifier.removeprefix(PARTICIPANT).isdecimal() and identifier.startswith(PARTICIPANT)


@dataclass(frozen=True, slots=True)
class Placement:
    """A file is the work of `students`, usually one; `path` is its path in their submission.

    Attempts, numbers or times, are compared with those of the same students and the same `part`, such as a
    problem of a contest. `submitted` is naive if local time, and None where the platform does not say; `late`
    is what the platform says.
    """

    students: tuple[Student, ...]
    path: str
    attempt: int | datetime | None = None
    submitted: datetime | None = None
    part: str = ""
    late: bool = False


class Ignored(NamedTuple):
    """A file is no work of a student, for a reason that is shown to the uploader.

    `students` handed it in, and may have handed in nothing else.
    """

    reason: str
    students: tuple[Student, ...] = ()


Place = Placement | Ignored


@dataclass(frozen=True)
class Layout:
    """A way to name submissions.

    `key` is for commands, `label` for people, as in "Read as a Moodle export". `score` returns from 0 to 1
    how well a listing fits; `place` returns a place for every path of a listing. `reads` matches the names of
    the metadata files that they read; larger ones than `read_bytes` are not read.
    """

    key: str
    label: str
    score: Callable[[Listing], float]
    place: Callable[[Listing], dict[str, Place]]
    reads: re.Pattern[str] | None = None
    read_bytes: int = RECORD_BYTES


class FolderOrFile(NamedTuple):
    """The submission of one student: its path, and whether it is a folder."""

    path: str
    is_folder: bool


def one_student(name: str, path: str) -> Placement:
    """Return the place of a file of the submission `name`."""
    return Placement((Student(name),), path)


def root_of(paths: Sequence[str]) -> str:
    """Return the innermost folder around all of the sorted `paths`, with a slash at its end.

    Empty for the upload itself, and for a single path.
    """
    if len(paths) < 2:  # noqa: PLR2004 - one path has no entries side by side
        return ""
    first, last = paths[0].split("/")[:-1], paths[-1].split("/")[:-1]
    common = 0
    while common < min(len(first), len(last)) and first[common] == last[common]:
        common += 1
    return "".join(f"{name}/" for name in first[:common])


def children_of(paths: Sequence[str], root: str) -> dict[str, bool]:
    """Return the names directly in a folder, and whether each is a folder."""
    children: dict[str, bool] = {}
    for path in paths:
        name, slash, _ = path[len(root) :].partition("/")
        children[name] = children.get(name, False) or bool(slash)
    return children


def is_project(paths: Sequence[str], root: str) -> bool:
    """Return whether the entries of a folder are the parts of one project.

    They are not if the typical parts of projects are few beside other folders, or if the other folders are
    alike, as students' folders are.
    """
    children = children_of(paths, root)
    parts = {name for name in children if name.lower() in PROJECT_ENTRIES}
    others = {name for name, is_folder in children.items() if is_folder and name not in parts}
    return bool(parts) and len(parts) * 2 >= len(others) and not _are_alike(paths, root, others)


def _are_alike(paths: Sequence[str], root: str, folders: set[str]) -> bool:
    files: Counter[str] = Counter()
    for path in paths:
        name, _, inner = path[len(root) :].partition("/")
        if name in folders and inner.rpartition("/")[2].lower() not in PROJECT_ENTRIES:
            files[inner] += 1
    most = max(files.values(), default=0)
    return most >= MIN_ALIKE and most >= MIN_ALIKE_SHARE * len(folders)


def course_folders(paths: Sequence[str], root: str, children: dict[str, bool]) -> set[str]:
    """Return the folders of `root` that were handed out beside those of the students."""
    named = [name for name in children if children[name]]
    words = {name: {*_NUMBER.sub(" ", without_accents(name).lower()).split()} for name in named}
    known = {name: COURSE_FOLDERS | _BESIDE | (_BESIDE_GIVEN if words[name] & _GIVEN else set()) for name in words}
    handed_out = {name for name in words if words[name] & COURSE_FOLDERS and words[name] <= known[name]}
    series = Counter(frozenset(words[name]) for name in handed_out).values()
    students = sum(children.values()) - len(handed_out)
    return set() if students < MIN_STUDENTS * max(series, default=1) or is_project(paths, root) else handed_out


def distinct_names(units: Collection[FolderOrFile], root: str) -> dict[FolderOrFile, str]:
    """Return a name for each folder or file: its own, with the folders around it if others have that name."""
    plain = {unit: unit.path.rpartition("/")[2] for unit in units}
    counts = Counter((name, unit.is_folder) for unit, name in plain.items())
    taken = set(plain.values())
    names: dict[FolderOrFile, str] = {}
    for unit in sorted(plain):
        name = plain[unit]
        around = unit.path[len(root) :].rpartition("/")[0]
        if counts[name, unit.is_folder] > 1:
            names[unit] = _free(name, around, taken)
        elif not unit.is_folder and counts[name, True]:
            names[unit] = _free(name, "file", taken)
        else:
            names[unit] = name
    return names


def _free(name: str, note: str, taken: set[str]) -> str:
    """Return a name with a note after it, and a number if that is taken; add it to the names `taken`."""
    number, unique = 1, name
    while unique in taken:
        end = f" ({note})" if number == 1 else f" ({note} {number})"
        unique, number = name[: max(1, NAME_CHARACTERS - len(end))] + end, number + 1
    taken.add(unique)
    return unique


def without_common_parts(names: Collection[str]) -> dict[str, str]:
    """Return each of the distinct `names` without the words with which all of them begin or end.

    All names stay as they are where fewer than three would remain distinct names with letters.
    """
    if len(names) < MIN_NAMES:
        return {name: name for name in names}
    start = _common_words(names)
    end = _common_words([name[start:][::-1] for name in names])
    short = {name: name[start : len(name) - end].strip(JOINING) for name in names}
    letters = (sum(map(str.isalpha, rest)) for rest in short.values())
    fits = min(letters) >= MIN_LETTERS and len(set(short.values())) == len(short)
    return short if fits else {name: name for name in names}


def _common_words(names: Collection[str]) -> int:
    """Return how many characters all names begin with, up to the last end of a word among these."""
    common = takewhile(lambda characters: len(set(characters)) == 1, zip(*names, strict=False))
    text = "".join(characters[0] for characters in common)
    return text.rfind(WORD_END) + 1
