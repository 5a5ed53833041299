"""Names of submissions as a reader may see them: real names or aliases; search in them.

Names of students are those in the roster of the course, and all names that a text may call them.
"""

from __future__ import annotations

import hmac
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import count, product
from string import ascii_uppercase
from typing import NamedTuple

from django.conf import settings
from django.http import HttpRequest

from submissions.core.redaction import NAME_PLACEHOLDER, NameFinder, normalised_spellings
from submissions.core.rights import Right, may
from submissions.intake.choices import plain_name
from submissions.models import (
    Alias,
    Assignment,
    Batch,
    Course,
    Decision,
    EnrolledStudent,
    Share,
    Submission,
    SubmissionStudent,
)

_FIRST_WORDS = """
    Amber Apricot Azure Birch Breezy Bright Brisk Calm Cedar Cheerful Clear Clever Cloudy Clover Coastal
    Cobalt Copper Cosmic Crystal Curious Dapper Early Eastern Emerald Evening Fabled Festive Floral Flying
    Forest Fresh Garden Gentle Glowing Golden Granite Grassy Harbour Highland Honey Icy Indigo Island
    Jolly Jovial Kindly Lagoon Lilac Lively Lucky Lunar Magic Maple Marble Meadow Mellow Merry Midnight
    Minty Misty Morning Mossy Mountain Noble Northern Ocean Opal Orchard Peaceful Pearly Pebble Playful
    Polar Prairie Quiet Radiant River Rosy Royal Saffron Sandy Sapphire Scarlet Serene Silver Snowy Solar
    Southern Spring Starry Sunny Swift Teal Topaz Tranquil Tropical Velvet Verdant Violet Walnut Western
    Windy Winter
"""
_SECOND_WORDS = """
    Acorn Albatross Antelope Aspen Badger Beaver Beetle Bison Bluebell Bobcat Bumblebee Butterfly Buttercup
    Canary Caribou Cedar Chickadee Chipmunk Cormorant Crane Cricket Curlew Cypress Daffodil Dolphin Dormouse
    Dragonfly Eagle Egret Falcon Ferret Finch Firefly Flamingo Gannet Gazelle Gecko Giraffe Goldfinch Grouse
    Gull Hare Hawthorn Hedgehog Heron Hornbill Hummingbird Ibex Iguana Jackdaw Jaguar Juniper Kestrel
    Kingfisher Kiwi Koala Lark Lemur Leopard Linnet Lynx Mallard Manatee Marmot Marten Moose Moth Narwhal
    Newt Nightingale Ocelot Octopus Oriole Osprey Otter Owl Panda Panther Pelican Penguin Petrel Plover
    Porpoise Puffin Quail Rabbit Reindeer Sandpiper Seahorse Sparrow Squirrel Starling Stork Swallow Swan
    Swift Tern Thistle Thrush Tortoise Toucan Turtle Walrus Warbler Wombat Woodpecker Wren Zebra
"""
FIRST_WORDS, SECOND_WORDS = _FIRST_WORDS.split(), _SECOND_WORDS.split()
# Number of attempts with two words only; later attempts add a number.
PLAIN_ATTEMPTS = 8

# Ids and times in the names that platforms give to what students hand in.
NUMBER = re.compile(r"\d{4,}(?:[-_:.,T ]{0,2}\d+)*")
# Session key: whether names are hidden.
ANONYMOUS = "anonymous"

TERM = re.compile(r"(?:(?=(?:case|decided|assignee|team):)|(?=similarity[:<>]))([a-z]+)(:|[<>]=?)(\S+)")


class RosterLabel(NamedTuple):
    """The name of a submission by the roster, and the ids beside it: `Bruno Popescu`, `00042`."""

    name: str
    ids: str


def roster_labels(assignment: Assignment) -> dict[str, RosterLabel]:
    """Return the labels of the submissions with a student who is in the roster, by the submissions' names.

    The rest of a submission's name after the students' names, such as the number of an attempt, stays. A name
    that an instructor chose stays as it is.
    """
    if not _has_roster(assignment):
        return {}
    labels: dict[str, RosterLabel] = {}
    for submission, students in _students(assignment).items():
        before = plain_name(students)
        if submission.startswith(before) and any(student.enrolled for student in students):
            after = submission[len(before) :]
            names = ", ".join((one.enrolled.name if one.enrolled else "") or one.name for one in students)
            ids = ", ".join(
                one.identifier or one.login or one.email for student in students if (one := student.enrolled)
            )
            labels[submission] = RosterLabel(names + after, ids)
    return _distinct(labels)


def _has_roster(assignment: Assignment) -> bool:
    """Return whether the course has a roster; pages have fetched it with the course."""
    return hasattr(assignment.course, "roster")


def _distinct(labels: Mapping[str, RosterLabel]) -> dict[str, RosterLabel]:
    """Return the labels, with the submission's own name added where several would be the same."""
    counts = Counter(label.name for label in labels.values())
    return {
        name: label if counts[label.name] == 1 else label._replace(name=f"{label.name} ({name})")
        for name, label in labels.items()
    }


def origin_suffixes(assignment: Assignment) -> dict[str, str]:
    """Return the label of each copy from another assignment and of each model solution, by its name.

    The label is the end of the name, and no secret: ` (Programming 1, Lab 1, 2024)`.
    """
    labelled = (Batch.Role.OTHER, Batch.Role.MODEL)
    named = Submission.objects.filter(batch__assignment=assignment, batch__role__in=labelled).order_by()
    rows = named.values_list("name", "batch__role", "batch__name")
    return {name: Batch(role=role, name=label).name_suffix for name, role, label in rows}


def known_spellings(assignment: Assignment) -> dict[str, tuple[str, ...]]:
    """Return all that a text may call the students of each submission: names, ids, logins and addresses.

    They are by the submissions' names. Such a name is a spelling itself, but without what an upload of
    earlier work or the number of an attempt adds to it.
    """
    spellings: dict[str, tuple[str, ...]] = {}
    for submission, students in _students(assignment).items():
        group_name = () if submission.startswith(plain_name(students)) else (submission,)
        known = (text for student in students for text in _texts(student))
        spellings[submission] = tuple(dict.fromkeys(text for text in (*group_name, *known) if text))
    return spellings


def known_ids(assignment: Assignment) -> frozenset[str]:
    """Return the ids, logins and addresses of the students of an assignment, and of all on the roster."""
    rows = SubmissionStudent.objects.filter(submission__batch__assignment=assignment).exclude(identifier="")
    ids = set(rows.order_by().values_list("identifier", flat=True).distinct())
    if _has_roster(assignment):
        for student in EnrolledStudent.objects.filter(roster__course=assignment.course_id):
            ids.update(student.as_roster_student.ids)
    return frozenset(ids)


def others_in_roster(assignment: Assignment) -> dict[str, tuple[str, ...]]:
    """Return the same of the students in the roster without a submission, by keys that are no names."""
    if not _has_roster(assignment):
        return {}
    rows = EnrolledStudent.objects.filter(roster__course=assignment.course_id)
    absent = rows.exclude(submission_students__submission__batch__assignment=assignment)
    return {
        f"\0{student.pk}": tuple(dict.fromkeys(text for text in (student.name, *student.as_roster_student.ids) if text))
        for student in absent.order_by("pk")
    }


def _texts(student: SubmissionStudent) -> Iterable[str]:
    enrolled = student.enrolled
    known = (enrolled.name, *enrolled.as_roster_student.ids) if enrolled else ()
    return student.name, student.identifier, *known


def _students(assignment: Assignment) -> dict[str, list[SubmissionStudent]]:
    """Return the students of every submission, by the submissions' names; of equal names, the last."""
    rows = SubmissionStudent.objects.filter(submission__batch__assignment=assignment)
    by_id: dict[int, list[SubmissionStudent]] = defaultdict(list)
    names: dict[str, int] = {}
    for student in rows.select_related("enrolled", "submission").order_by("submission_id", "pk"):
        by_id[student.submission_id].append(student)
        names[student.submission.name] = student.submission_id
    return {name: by_id[pk] for name, pk in names.items()}


def ensure_aliases(assignment: Assignment) -> dict[str, str]:
    """Return the alias of every name in an assignment; draw and store those that are missing."""
    known = dict(assignment.aliases.values_list("name", "alias"))
    while missing := [name for name in _names(assignment) if name not in known]:
        _store_aliases(assignment, missing, known)
        known = dict(assignment.aliases.values_list("name", "alias"))
    return known


def _names(assignment: Assignment) -> Iterable[str]:
    """Return all names of submissions, also of deleted ones with a decision or a share link."""
    submissions = Submission.objects.filter(batch__assignment=assignment).order_by().values_list("name")
    pairs = (model.objects.filter(assignment=assignment).order_by() for model in (Decision, Share))
    sides = [rows.values_list(side) for rows in pairs for side in ("left", "right")]
    return (name for (name,) in submissions.union(*sides) if name)


def _store_aliases(assignment: Assignment, names: list[str], known: dict[str, str]) -> None:
    """Draw and store an alias for each name; where a concurrent request stored one, that one stays.

    A name has the alias that it has in another assignment of the course, unless that is taken.
    """
    in_course = Alias.objects.filter(assignment__course=assignment.course_id, name__in=names).order_by("-pk")
    elsewhere = dict(in_course.values_list("name", "alias"))
    taken = set(known.values())
    reserved = taken.union(elsewhere.values())
    real_words = {word for name in (*names, *known) for word in name.casefold().replace("_", "-").split("-")}
    rows = []
    for name in names:
        alias = elsewhere.get(name, "")
        if not alias or alias in taken or not real_words.isdisjoint(alias.casefold().split()):
            alias = draw_alias(assignment.pk, name, reserved, real_words)
        taken.add(alias)
        reserved.add(alias)
        rows.append(Alias(assignment=assignment, name=name, alias=alias))
    Alias.objects.bulk_create(rows, batch_size=500, ignore_conflicts=True)


def draw_alias(assignment_id: int, name: str, taken: Container[str], real_words: Container[str] = ()) -> str:
    """Return an alias that is not in `taken` and, if possible, without any of the `real_words`.

    It is derived from the assignment, the name and the server's secret key, so that it reveals neither the
    order nor the spelling of the names.
    """
    attempt = 0
    while True:
        text = f"{assignment_id}:{attempt}:{name}"
        number = int.from_bytes(hmac.digest(settings.SECRET_KEY.encode(), text.encode(), "sha256"))
        rest, first = divmod(number, len(FIRST_WORDS))
        rest, second = divmod(rest, len(SECOND_WORDS))
        words = [FIRST_WORDS[first], SECOND_WORDS[second]]
        alias = " ".join(words if attempt < PLAIN_ATTEMPTS else [*words, str(rest % 900 + 100)])
        misleading = attempt < PLAIN_ATTEMPTS and any(word.casefold() in real_words for word in words)
        if alias not in taken and not misleading and words[0] != words[1]:
            return alias
        attempt += 1


@dataclass(frozen=True)
class Names:
    """Names as a reader may see them: real names if there are neither `aliases` nor a `fallback`.

    `aliases` maps real names to the names that are shown instead; `fallback` is shown for all other names; if it is
    empty, these are shown as the roster has them (`labels`), or unchanged. `spellings` are all that a text may call the
    students, by names; a name without any is its own. `suffixes`, by names, follow an alias where it is shown: they say
    which assignment old work is from. A word that also occurs in one of the `visible_names` is replaced only together
    with other words of a hidden name. Spellings that are `ids` always mean the student.
    """

    aliases: Mapping[str, str] = field(default_factory=dict)
    fallback: str = ""
    visible_names: tuple[str, ...] = ()
    spellings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    labels: Mapping[str, RosterLabel] = field(default_factory=dict)
    suffixes: Mapping[str, str] = field(default_factory=dict)
    ids: frozenset[str] = frozenset()

    def display_name(self, name: str) -> str:
        hidden = self.aliases.get(name) or self.fallback
        return hidden + self.suffixes.get(name, "") if hidden else self._label(name).name

    def displayed_ids(self, submission: Submission) -> str:
        """Return the ids to show beside the name of a submission; nothing where names are hidden."""
        ids = self._label(submission.name).ids or submission.identifier
        return "" if self.hidden or ids == self.display_name(submission.name) else ids

    def _label(self, name: str) -> RosterLabel:
        return self.labels.get(name) or RosterLabel(name, "")

    def in_order(self, left: str, right: str) -> bool:
        """Return whether the pair (left, right), sorted by real names, is shown in this order.

        Where names are hidden, a pair is in the order of the displayed names: the order of the real names
        would reveal who is behind an alias.
        """
        return not self.hidden or self.display_name(left) <= self.display_name(right)

    def redact_text(self, text: str) -> str:
        """Return a path, the name of an upload or a message with all names in it replaced."""
        return _replace_spans(text, self._finder.label_spans(text)) if self.hidden else text

    def redact_source(self, text: str) -> str:
        """Return a part of a source with the `source_spans` in it replaced."""
        return _replace_spans(text, self.source_spans(text))

    def source_spans(self, text: str) -> list[tuple[int, int, str]]:
        """Return (start, end, replacement) of the spans of a source that name a student, in order."""
        return self._finder.source_spans(text) if self.hidden else []

    def redact_entry(self, path: str) -> str:
        """Return the path of an entry that was not accepted, with names replaced.

        Its folder may name a student without any submission, and numbers in it may be ids or exact times of
        handing in. Where the path contains no known name, only its
        file name is shown, and of a path without folder only the suffix.
        """
        redacted = self.redact_text(path)
        if not self.hidden:
            return path
        if redacted != path:
            return NUMBER.sub("…", redacted)
        *folders, file = path.rstrip("/").split("/")
        stem, dot, suffix = file.rpartition(".")
        return f"…/{file}" if folders and not path.endswith("/") else f"…{dot}{suffix}" if stem else "…"

    @property
    def hidden(self) -> bool:
        """True if names are hidden, even if there are no names yet."""
        return bool(self.aliases or self.fallback)

    @property
    def fingerprint(self) -> str:
        """A checksum of all that decides what the reader sees."""
        content = (
            sorted(self.aliases.items()), self.fallback, self.visible_names, sorted(self.spellings.items()),
            sorted(self.labels.items()), sorted(self.suffixes.items()), sorted(self.ids),
        )  # fmt: skip
        return sha256(repr(content).encode(errors="surrogatepass")).hexdigest()

    @cached_property
    def _finder(self) -> NameFinder:
        return NameFinder(self.aliases, self.visible_names, self.spellings, self.ids)


def names_for(request: HttpRequest, assignment: Assignment) -> Names:
    """Return the names of an assignment as the user of this session may and has chosen to see them."""
    return anonymous_names(assignment) if hides_names(request, assignment.course) else real_names(assignment)


def hides_names(request: HttpRequest, course: Course) -> bool:
    """Return whether the user of this session may not see the names of a course, or has hidden them."""
    return bool(request.session.get(ANONYMOUS)) or not may(request.user, Right.SEE_NAMES, course)


def real_names(assignment: Assignment) -> Names:
    """Return the names of an assignment as the roster of its course has them."""
    return Names(labels=roster_labels(assignment))


def anonymous_names(assignment: Assignment) -> Names:
    """Return an alias for every name in an assignment, and hide the other students of the roster."""
    others = others_in_roster(assignment)
    aliases = dict.fromkeys(others, NAME_PLACEHOLDER) | ensure_aliases(assignment)
    return Names(
        aliases,
        fallback=NAME_PLACEHOLDER,
        spellings=others | known_spellings(assignment),
        suffixes=origin_suffixes(assignment),
        ids=known_ids(assignment),
    )


def redacted_names(hidden_names: Iterable[str], visible_names: Iterable[str] = ()) -> Names:
    """Hide some names, in their order: as `Student A`, `Student B`, or a single one as `another student`."""
    names, visible = list(dict.fromkeys(hidden_names)), tuple(visible_names)
    if len(names) == 1:
        return Names({names[0]: "another student"}, visible_names=visible)
    return Names(dict(zip(names, _student_letters(), strict=False)), visible_names=visible)


def _student_letters() -> Iterator[str]:
    """Yield Student A to Student Z, then Student AA and so on."""
    for length in count(1):
        for letters in product(ascii_uppercase, repeat=length):
            yield f"Student {''.join(letters)}"


def _replace_spans(text: str, spans: list[tuple[int, int, str]]) -> str:
    pieces, position = [], 0
    for start, end, replacement in spans:
        pieces += [text[position:start], replacement]
        position = end
    return "".join([*pieces, text[position:]])


class SearchWord(NamedTuple):
    """A word of a search, in its normalised spellings."""

    spellings: frozenset[str]

    def is_in(self, name: str) -> bool:
        """Return whether a name contains the word; Müller is also spelt Mueller."""
        names = normalised_spellings(name)
        return any(word in spelling for word in self.spellings for spelling in names)


class SearchTerm(NamedTuple):
    """A term of a search that is no part of a name, such as `similarity>60`; `operator` is ":" for most."""

    name: str
    operator: str
    value: str


def search_words(text: str) -> list[SearchWord]:
    """Return the words of a search without its terms; a name is found if each of them is in it."""
    return [SearchWord(frozenset(normalised_spellings(word))) for word in text.split() if not TERM.fullmatch(word)]


def search_terms(text: str) -> list[SearchTerm]:
    return [SearchTerm(*match.groups()) for word in text.split() if (match := TERM.fullmatch(word))]


def follows_decisions(text: str) -> bool:
    """Return whether what a search finds depends on decisions."""
    return any(term.name in {"decided", "assignee"} for term in search_terms(text))


def asks_of_people(text: str) -> bool:
    """Return whether a search asks what was decided, who is to decide, or who is in which team."""
    return any(term.name in {"decided", "assignee", "team"} for term in search_terms(text))
