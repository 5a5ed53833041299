"""Find one student in all courses, by a name or an id that submissions or rosters carry.

A person decides on names and ids that resemble the student's: another order of words, initials, logins.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import permutations, product
from operator import or_
from typing import Any

from django.db.models import Q

from submissions.core.redaction import (
    MIN_WORD,
    RUN,
    SUBMISSION_WORDS,
    normalised_runs,
    normalised_spellings,
    normalised_words,
)
from submissions.intake.rosters import id_key, name_key
from submissions.models import Course, EnrolledStudent, SubmissionStudent
from submissions.students.naming import Spellings

Words = tuple[frozenset[str], ...]

# Ids lead to names and to other ids; each round finds what the last one led to.
ROUNDS = 5

# What has such a character may be a name with accents, which the database does not compare without them.
NOT_ASCII = r"[^\x20-\x7e]"
ASSIGNMENT = "submission__batch__assignment"

# A shorter word or id says nothing beside the other words of a name.
SHORTEST_WORD, SHORTEST_ID = 2, 3
# More words have too many orders.
MOST_JOINED = 4
DIGITS = re.compile(r"\d+")
# A name as people write it; others are those of files and folders.
PLAIN = re.compile(r"[^\W\d_]+(?:[ ,.'’-]+[^\W\d_]+)*")


@dataclass(frozen=True)
class CourseOfStudent:
    """The data of a student in one course.

    `students` and `enrolled`: the rows of submissions and of the roster. `is_ambiguous`: several students of
    this name handed in at once, so that an id is needed. `same_names`: the number of submissions of others
    with the same name. `similar`: the names of rows that only a person's decision made the student's.
    """

    course: Course
    students: tuple[SubmissionStudent, ...]
    enrolled: tuple[EnrolledStudent, ...]
    is_ambiguous: bool
    same_names: int
    similar: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """All names and forms of them in this course."""
        return frozenset(_names(self.students, self.enrolled))

    @property
    def searched_names(self) -> frozenset[str]:
        """The names that texts are searched for: a word of a similar one may be that of a task."""
        return self.names - self.similar

    @property
    def ids(self) -> frozenset[str]:
        known = {row.identifier for row in self.students if row.identifier}
        return frozenset(known.union(*(row.as_roster_student.ids for row in self.enrolled)))


def _names(students: Iterable[SubmissionStudent], enrolled: Iterable[EnrolledStudent]) -> set[str]:
    known = {row.name for row in students} | {row.name for row in enrolled}
    return known - {""}


def find(text: str, same: Rows | None = None) -> list[CourseOfStudent]:
    """Return the courses that have submissions or a roster's row of a student, by the courses' names.

    Copies of submissions in other assignments belong to what they are copies of. The rows of `same` are the
    student's too, whatever their names.
    """
    same = same or Rows()
    students, enrolled = _rows(text.strip(), same)
    by_course: dict[int, tuple[list[SubmissionStudent], list[EnrolledStudent]]] = defaultdict(lambda: ([], []))
    for row in students:
        by_course[row.submission.batch.assignment.course_id][0].append(row)
    for one in enrolled:
        by_course[one.roster.course_id][1].append(one)
    courses = Course.objects.filter(pk__in=by_course).select_related("owner")
    return [_of_course(course, text.strip(), *by_course[course.pk], same) for course in courses]


def _rows(text: str, same: Rows) -> tuple[list[SubmissionStudent], list[EnrolledStudent]]:
    students, enrolled = set(same.students), set(same.enrolled)
    names, ids = _spellings_of(text), ({text} if text else set()) | _ids(students, enrolled)
    for _ in range(ROUNDS):
        before = len(students) + len(enrolled)
        linked = SubmissionStudent.objects.filter(pk__in=students).exclude(enrolled=None)
        rows = EnrolledStudent.objects.filter(_enrolled_condition(names, ids) | Q(pk__in=linked.values("enrolled")))
        enrolled |= set(rows.values_list("pk", flat=True))
        originals = SubmissionStudent.objects.filter(submission__origin=None)
        matching = originals.filter(_any("name", names) | _any("identifier", ids) | Q(enrolled__in=enrolled))
        students |= set(matching.values_list("pk", flat=True))
        if len(students) + len(enrolled) == before:
            break
        names = set()
        ids = _ids(students, enrolled)
    deep = "submission__batch__assignment__course"
    stated = SubmissionStudent.objects.filter(pk__in=students).select_related(deep).order_by("pk")
    return list(stated), list(EnrolledStudent.objects.filter(pk__in=enrolled).select_related("roster"))


def _ids(students: set[int], enrolled: set[int]) -> set[str]:
    known = set(SubmissionStudent.objects.filter(pk__in=students).values_list("identifier", flat=True))
    for row in EnrolledStudent.objects.filter(pk__in=enrolled):
        known.update(row.as_roster_student.ids)
    return known - {""}


def _spellings_of(text: str) -> set[str]:
    """Return a name as written, and with the first or the last word first."""
    last, comma, first = text.partition(",")
    words = text.split()
    turned = f"{first.strip()} {last.strip()}" if comma else f"{words[-1]}, {' '.join(words[:-1])}" if words[1:] else ""
    return {one for one in (text, " ".join(words), turned) if one}


def _any(column: str, texts: Iterable[str]) -> Q:
    condition = Q(pk__in=[])
    for text in sorted(texts):
        condition |= Q(**{f"{column}__iexact": text})
    return condition


def _enrolled_condition(names: set[str], ids: set[str]) -> Q:
    condition = _any("name", names)
    for column in ("identifier", "login", "email"):
        condition |= _any(column, ids)
    for one in ids:
        condition |= Q(other_ids__contains=[one])
    return condition


def _of_course(
    course: Course, text: str, students: list[SubmissionStudent], enrolled: list[EnrolledStudent], same: Rows
) -> CourseOfStudent:
    certain = [row for row in students if row.pk not in same.students]
    listed = [row for row in enrolled if row.pk not in same.enrolled]
    known = frozenset(_names(certain, listed) or {text})
    likeness = Likeness(known, frozenset())
    names = _names(students, enrolled)
    similar = {name for name in names - known if not likeness.is_same_words(name)}
    row_ids = {row.pk for row in students}
    namesakes = SubmissionStudent.objects.filter(
        _any("name", names), submission__batch__assignment__course=course, submission__origin=None
    )
    others = namesakes.exclude(pk__in=row_ids).count()
    is_ambiguous = _are_several(certain) or len(listed) > 1
    return CourseOfStudent(course, tuple(students), tuple(enrolled), is_ambiguous, others, frozenset(similar))


def _are_several(students: list[SubmissionStudent]) -> bool:
    """Return whether one upload has several students of different ids among these, who are in no roster."""
    ids: dict[int, list[str]] = defaultdict(list)
    for row in students:
        ids[row.submission.batch_id].append(row.identifier)
    unlisted = Counter(row.submission.batch_id for row in students if not row.enrolled_id)
    return any(number > 1 and len(set(ids[batch])) > 1 for batch, number in unlisted.items())


def spellings(text: str, courses: Iterable[CourseOfStudent], course: int | None) -> Spellings:
    """Return how texts of a course may name a student: those of a course without the student, only whole.

    `text` is the name that was asked for, where no row has it.

    A name or an id that another student of the course has, as a name or an id, does not mean this student.
    """
    rows = list(courses)
    names = frozenset[str]().union(*(row.searched_names for row in rows))
    ids = frozenset[str]().union(*(row.ids for row in rows))
    names = names if names or ids else frozenset({text})
    if course is None:
        return Spellings(names, ids, whole_only=True)
    others = other_names(course, rows)
    keys = {name_key(text) for text in other_names(course, rows, also_ids=True)}
    own_names, own_ids = (frozenset(text for text in texts if name_key(text) not in keys) for texts in (names, ids))
    return Spellings(own_names, own_ids, tuple(sorted(others)))


def alone(known: Spellings, courses: Iterable[CourseOfStudent]) -> Spellings:
    """Return those of the names and ids that no other row has as a name or an id, in any course.

    `others` are the names of other rows that have words of them.
    """
    rows = list(courses)
    students = SubmissionStudent.objects.filter(submission__origin=None)
    students = students.exclude(pk__in=[row.pk for one in rows for row in one.students])
    listed = EnrolledStudent.objects.exclude(pk__in=[row.pk for one in rows for row in one.enrolled])

    def is_alone(text: str) -> bool:
        is_taken = students.filter(_any("name", {text}) | _any("identifier", {text})).exists()
        return not is_taken and not listed.filter(_enrolled_condition({text}, {text})).exists()

    names, ids = (frozenset(filter(is_alone, texts)) for texts in (known.names, known.ids))
    columns, condition = known.condition(("name",))
    like = condition | Q(name__regex=NOT_ASCII)
    first, other = (rows.annotate(**columns).filter(like).values_list("name", flat=True) for rows in (students, listed))
    return replace(known, names=names, ids=ids, others=tuple(sorted(filter(known.may_be_in, first.union(other)))))


def other_names(course: int, courses: Iterable[CourseOfStudent], *, also_ids: bool = False) -> set[str]:
    """Return the names of the other students of a course, of its submissions, copies in it, and its roster.

    With `also_ids`, their ids, logins and addresses too.
    """
    rows = list(courses)
    students = [student.pk for row in rows for student in row.students]
    names_of_student = {name for row in rows for name in row.names}
    copies = SubmissionStudent.objects.filter(submission__origin__students__in=students, name__in=names_of_student)
    here = SubmissionStudent.objects.filter(submission__batch__assignment__course=course)
    here = here.exclude(pk__in=students).exclude(pk__in=copies.values("pk"))
    names = set(here.values_list("name", flat=True))
    if also_ids:
        names |= set(here.exclude(identifier="").values_list("identifier", flat=True))
    listed = EnrolledStudent.objects.filter(roster__course=course)
    enrolled = [one.pk for row in rows for one in row.enrolled]
    absent = listed.exclude(pk__in=enrolled)
    if also_ids:
        names.update(*(one.as_roster_student.ids for one in absent))
    return names | set(absent.exclude(name="").values_list("name", flat=True))


@dataclass(frozen=True)
class Rows:
    """Primary keys of students of submissions, and of students of rosters."""

    students: frozenset[int] = frozenset()
    enrolled: frozenset[int] = frozenset()

    def __or__(self, other: Rows) -> Rows:
        return Rows(self.students | other.students, self.enrolled | other.enrolled)

    def __ge__(self, other: Rows) -> bool:
        return self.students >= other.students and self.enrolled >= other.enrolled

    @property
    def number(self) -> int:
        return len(self.students) + len(self.enrolled)

    def as_json(self) -> list[list[int]]:
        return [sorted(self.students), sorted(self.enrolled)]


@dataclass(frozen=True)
class Near:
    """One name and id of a course that resemble the student's; `places` are titles of assignments."""

    course: Course
    name: str
    identifier: str
    rows: Rows
    places: tuple[str, ...]

    @property
    def key(self) -> str:
        """The name by which forms and commands call it."""
        kind, rows = ("s", self.rows.students) if self.rows.students else ("e", self.rows.enrolled)
        return f"{kind}{min(rows)}"


@dataclass(frozen=True)
class Decided:
    """An answer on rows that resemble the student's: the same student, or somebody else."""

    same: Rows = field(default_factory=Rows)
    others: Rows = field(default_factory=Rows)

    @classmethod
    def of(cls, matches: Iterable[Near], same: Collection[str], others: Collection[str]) -> Decided:
        """Return the decision on matches by their keys; what is in neither is undecided."""
        rows = list(matches)
        parts = ((one.rows for one in rows if one.key in keys) for keys in (same, others))
        return cls(*(reduce(or_, part, Rows()) for part in parts))

    @classmethod
    def from_json(cls, stored: Mapping[str, list[list[int]]]) -> Decided:
        same, others = (Rows(*map(frozenset, stored.get(part, ((), ())))) for part in ("same", "others"))
        return cls(same, others)

    def as_json(self) -> dict[str, Any]:
        return {"same": self.same.as_json(), "others": self.others.as_json()}

    def lacks(self, match: Near) -> bool:
        """Return whether nobody decided on some row of a match."""
        return not (self.same | self.others) >= match.rows


def near_matches(text: str, courses_of_student: Iterable[CourseOfStudent]) -> list[Near]:
    """Return what resembles a student but was not found by the name or id that was asked for, by course."""
    rows = list(courses_of_student)
    names = frozenset(name for row in rows for name in row.names) or frozenset({text})
    likeness = Likeness(names, frozenset({text}).union(*(row.ids for row in rows)))
    groups: dict[tuple[int, str, str], list[SubmissionStudent | EnrolledStudent]] = defaultdict(list)
    for student in _students(likeness, {one.pk for row in rows for one in row.students}):
        assignment = student.submission.batch.assignment
        groups[assignment.course_id, student.name, student.identifier].append(student)
    for enrolled in _enrolled(likeness, {one.pk for row in rows for one in row.enrolled}):
        identifier = next(iter(enrolled.as_roster_student.ids), "")
        groups[enrolled.roster.course_id, enrolled.name, identifier].append(enrolled)
    courses = Course.objects.in_bulk(course for course, _, _ in groups)
    matches = [_match(courses[key[0]], *key[1:], members) for key, members in groups.items()]
    return sorted(matches, key=lambda one: (one.course.name, one.course.pk, one.name, one.identifier))


def _students(likeness: Likeness, known: set[int]) -> list[SubmissionStudent]:
    unknown = SubmissionStudent.objects.filter(submission__origin=None).exclude(pk__in=known)
    # Names are compared once each: an archive has those with accents in many submissions.
    candidates = unknown.filter(_may_be_near(likeness, "name", "identifier")).order_by()
    texts = candidates.values_list("name", "identifier").distinct().iterator()
    near = {(name, identifier) for name, identifier in texts if likeness.is_near(name, identifier)}
    rows = unknown.filter(name__in={name for name, _ in near}).select_related(ASSIGNMENT)
    return [row for row in rows if (row.name, row.identifier) in near]


def _enrolled(likeness: Likeness, known: set[int]) -> list[EnrolledStudent]:
    listed = EnrolledStudent.objects.exclude(pk__in=known).select_related("roster")
    rows = listed.filter(_may_be_near(likeness, "name", "identifier", "login", "email"))
    return [row for row in rows if any(likeness.is_near(row.name, one) for one in ("", *row.as_roster_student.ids))]


def _may_be_near(likeness: Likeness, *columns: str) -> Q:
    condition = Q(name__regex=NOT_ASCII)
    for column in columns:
        for fragment in sorted(likeness.fragments):
            condition |= Q(**{f"{column}__icontains": fragment})
    return condition


def _match(course: Course, name: str, identifier: str, members: list[SubmissionStudent | EnrolledStudent]) -> Near:
    students = [one for one in members if isinstance(one, SubmissionStudent)]
    enrolled = frozenset(one.pk for one in members if isinstance(one, EnrolledStudent))
    places = {one.submission.batch.assignment.name for one in students}
    rows = Rows(frozenset(one.pk for one in students), enrolled)
    return Near(course, name, identifier, rows, tuple(sorted(places)))


@dataclass(frozen=True)
class Likeness:
    """The names and ids of one student, to compare those of submissions and rosters with."""

    names: frozenset[str]
    ids: frozenset[str]

    def is_same_words(self, name: str) -> bool:
        """Return whether a name is the student's but for order, case, accents, separators and numbers."""
        return bool(self._joined & _letters(DIGITS.sub("", name)))

    def is_near(self, name: str, identifier: str) -> bool:
        """Return whether a submission of this name and id may be the student's."""
        if self._ids & {bare_id(one) for one in (name, identifier, *RUN.findall(name))}:
            return True
        if any(joined in letters for letters in _letters(name) for joined in self._joined):
            return True
        words, is_plain = normalised_words(name), bool(PLAIN.fullmatch(name))
        # A run of one letter only: pieces have the M of Müller, too.
        initials = {run for run in normalised_runs(name) if len(run) == 1}
        return any(_is_near(name_words, words, initials, is_plain=is_plain) for name_words in self._words)

    @cached_property
    def fragments(self) -> frozenset[str]:
        """Texts of which a near name without accents has at least one, whatever its case."""
        return self._ids.union(*(spellings for name_words in self._words for spellings in name_words))

    @cached_property
    def _ids(self) -> frozenset[str]:
        keys = {bare_id(one) for text in self.ids for one in (text, text.partition("@")[0])}
        return frozenset(key for key in keys if len(key) >= SHORTEST_ID)

    @cached_property
    def _words(self) -> tuple[Words, ...]:
        """The words of each name in all their spellings, the family name last."""
        return tuple(words for name in sorted(self.names) if (words := _words_of(name_key(name))))

    @cached_property
    def _joined(self) -> frozenset[str]:
        """The letters of each name of several words, in every order of the words."""
        several = (name_words for name_words in self._words if 1 < len(name_words) <= MOST_JOINED)
        spelled = (one for name_words in several for one in product(*name_words))
        return frozenset("".join(order) for one in spelled for order in permutations(one))


def _is_near(name_words: Words, words: set[str], initials: set[str], *, is_plain: bool) -> bool:
    """Return whether words mean the student: all of the name, initials of it, or a part with nothing else.

    In names of files the family name is enough: the other words are those of the task.
    """
    known = [bool(one & words) for one in name_words]
    if not any(known):
        return bool(_logins(name_words) & words)
    if known[-1] and not is_plain:
        return True
    if all(has or _first(one) & initials for has, one in zip(known, name_words, strict=True)):
        return True
    return {word for word in words if _is_telling(word)} <= frozenset().union(*name_words)


def _logins(name_words: Words) -> set[str]:
    """Return logins of the usual kinds, as `zquartz` of Z. Quartz."""
    pairs = ((first, other) for first in name_words for other in name_words if first is not other)
    parts = ((letter, word) for first, other in pairs for letter in _first(first) for word in other)
    return {login for letter, word in parts for login in (letter + word, word + letter)}


def _first(spellings: frozenset[str]) -> frozenset[str]:
    return frozenset(one[0] for one in spellings)


def _is_telling(word: str) -> bool:
    letters = DIGITS.sub("", word)
    return len(letters) >= MIN_WORD and letters not in SUBMISSION_WORDS


def _words_of(name: str) -> Words:
    """Return the words of a name without its particles; all of them where it has no others."""
    runs = [frozenset(normalised_spellings(run)) for run in RUN.findall(name)]
    telling = [run for run in runs if not run & SUBMISSION_WORDS and len(min(run, key=len)) >= SHORTEST_WORD]
    return tuple(telling or runs)


def _letters(text: str) -> set[str]:
    """Return a text without accents and separators, in both spellings of umlauts."""
    spelled = [sorted(normalised_spellings(run)) for run in RUN.findall(text)]
    return {"".join(one[0] for one in spelled), "".join(one[-1] for one in spelled)}


def bare_id(identifier: str) -> str:
    """Return an id as it is compared: in lower case, without leading zeros."""
    key = id_key(identifier)
    return key.lstrip("0") if key.isdecimal() else key
