"""Names of students: those in the roster of the course, and all those that a text may call them."""

from __future__ import annotations

import hmac
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings

from submissions.intake.archives.submission_names import plain_name
from submissions.models import Alias, Batch, Decision, EnrolledStudent, Share, Submission, SubmissionStudent

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from submissions.models import Assignment


class RosterLabel(NamedTuple):
    """The name of a submission by the roster, and the ids beside it: `Bruno Popescu`, `00042`."""

    name: str
    ids: str


def roster_labels(assignment: Assignment) -> dict[str, RosterLabel]:
    """Return the labels of the submissions with a student who is in the roster, by the submissions' names.

    What follows the students' names in that of the submission, such as the number of an attempt, stays. A
    name that an instructor gave herself stays as it is.
    """
    if not _has_roster(assignment):
        return {}
    labels: dict[str, RosterLabel] = {}
    for submission, students in _students(assignment).items():
        before = plain_name(students)
        if submission.startswith(before) and any(student.enrolled for student in students):
            after = submission[len(before) :]
            names = ", ".join(map(_shown_name, students))
            ids = ", ".join(_shown_id(student.enrolled) for student in students if student.enrolled)
            labels[submission] = RosterLabel(names + after, ids)
    return _distinct(labels)


def _has_roster(assignment: Assignment) -> bool:
    """Return whether the course has a roster; pages have fetched it with the course."""
    return hasattr(assignment.course, "roster")


def _shown_name(student: SubmissionStudent) -> str:
    return (student.enrolled.name if student.enrolled else "") or student.name


def _shown_id(student: EnrolledStudent) -> str:
    return student.identifier or student.login or student.email


def _distinct(labels: Mapping[str, RosterLabel]) -> dict[str, RosterLabel]:
    """Return the labels, with the submission's own name added where several would be the same."""
    counts = Counter(label.name for label in labels.values())
    return {
        name: label if counts[label.name] == 1 else label._replace(name=f"{label.name} ({name})")
        for name, label in labels.items()
    }


def origin_suffixes(assignment: Assignment) -> dict[str, str]:
    """Return what says of a copy from another assignment, and of a model solution, what it is, by its name.

    It is the end of such a name, and no secret: ` (Programming 1, Lab 1, 2024)`.
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
        f"\0{student.pk}": tuple(
            dict.fromkeys(text for text in (student.name, *student.as_roster_student.ids) if text)
        )
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
    """Draw and store an alias for each name; where a concurrent request stored one, that one stays."""
    taken = set(known.values())
    real_words = {word for name in (*names, *known) for word in name.casefold().replace("_", "-").split("-")}
    rows = []
    for name in names:
        alias = draw_alias(assignment.pk, name, taken, real_words)
        taken.add(alias)
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
