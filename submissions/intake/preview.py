"""A listed upload before any of it is read: its grouping, and its preview.

A preview has the students, the layout, what does not count, and warnings.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from submissions.intake import sentences
from submissions.intake.choices import Choices, GroupedSubmission, plain_name, submitters
from submissions.intake.entries import Entry
from submissions.intake.grouping import (
    DEFAULT_CHOICES,
    Grouping,
    Identify,
    ListingBuilder,
    group_files,
    owners,
    place_with,
)
from submissions.intake.layouts.places import Listing, root_of
from submissions.intake.layouts.platforms.folders import FOLDERS
from submissions.intake.layouts.registry import Ranked, recognise
from submissions.intake.left_out.listing import LeftOut, Listing as LeftOutListing, any_code
from submissions.intake.left_out.patterns import FilePatterns
from submissions.intake.left_out.rules import rule_of_name
from submissions.intake.warnings import (
    GroupingWarning,
    ReadFile,
    languages_read,
    listed,
    reading_warnings,
    unmatched_patterns,
)

if TYPE_CHECKING:
    from submissions.intake.file_languages import ChosenLanguages

# Entries of a reason that are named as examples.
EXAMPLES = 3
# Layouts that fit less are not offered.
MIN_SCORE = 0.1
# The work of a course about the web, and text that students typed into a platform.
PAGES = (".html", ".htm", ".css")
DOCUMENTS = (".pdf", ".docx", ".doc", ".odt", ".rtf", ".pptx", ".xlsx", ".png", ".jpg", ".jpeg", ".gif")


class PreviewedSubmission(NamedTuple):
    """A submission, the number of its files that count, and their bytes."""

    name: str
    grouped: GroupedSubmission
    files: int
    size: int


class SkippedGroup(NamedTuple):
    """Entries that do not count for one reason: how many, their bytes, and the first of them."""

    reason: str
    entries: int
    size: int
    examples: tuple[str, ...]


@dataclass(frozen=True)
class Preview:
    """An upload as it is going to be read.

    `layouts` fit the upload, the best first; `grouping.layout` is used. `ignored` entries are no work of a
    student, or another attempt; `left_out` entries were written by a tool; `refused` entries cannot be read.
    `counted` are the paths of the files of submissions, `read` the files among them that are compared.
    """

    grouping: Grouping
    layouts: tuple[Ranked, ...]
    submissions: tuple[PreviewedSubmission, ...]
    ignored: tuple[SkippedGroup, ...]
    left_out: tuple[SkippedGroup, ...]
    refused: tuple[SkippedGroup, ...]
    warnings: tuple[GroupingWarning, ...]
    counted: tuple[str, ...] = ()
    read: tuple[ReadFile, ...] = ()

    @property
    def score(self) -> float:
        """Score of the layout that is used, from 0 (fits not) to 1."""
        return next((one.score for one in self.layouts if one.layout.key == self.grouping.layout.key), 0.0)

    @property
    def runner_up(self) -> Ranked | None:
        """The layout that fits best after the layout that is used; None if no other layout fits."""
        return next((one for one in self.layouts if one.layout.key != self.grouping.layout.key), None)

    @property
    def languages(self) -> str:
        """The languages in which the files are read: `48 Java, 2 read as prose`; empty if not known."""
        return languages_read(file.language for file in self.read)

    def with_languages(self, detected: Mapping[str, str], chosen: ChosenLanguages) -> Preview:
        """Return the preview with the languages in which its files are read.

        `detected` are the languages that files seem to have, by path, "" for a file that cannot be read.
        """
        submissions: dict[str, list[str]] = defaultdict(list)
        for path in self.counted:
            if detected.get(path):
                submissions[self.grouping.places[path].submission].append(path)
        read = []
        for name, paths in submissions.items():
            inside = [self.grouping.places[path].path for path in paths]
            languages = chosen.reading(inside, [detected[path] for path in paths])
            files = zip(inside, languages, strict=True)
            read += [ReadFile(name, path, language) for path, language in files if language]
        return replace(self, read=tuple(read), warnings=(*self.warnings, *reading_warnings(read)))

    @property
    def summary(self) -> str:
        """One sentence: `56 submissions found, read as a Moodle export; 3 entries do not count`."""
        count = len(self.submissions)
        skipped = sum(group.entries for group in (*self.ignored, *self.left_out, *self.refused))
        text = f"{count} submission{'' if count == 1 else 's'} found, read as {self.grouping.layout.label}"
        if not skipped:
            return text
        return f"{text}; {skipped} entr{'y does' if skipped == 1 else 'ies do'} not count"

    def to_json(self) -> dict[str, Any]:
        layout, runner_up = self.grouping.layout, self.runner_up
        return {
            "layout": {"key": layout.key, "label": layout.label, "score": round(self.score, 3)},
            "runner_up": runner_up
            and {"key": runner_up.layout.key, "label": runner_up.layout.label, "score": round(runner_up.score, 3)},
            "submissions": [_submission_json(one) for one in self.submissions],
            "ignored": [group._asdict() for group in self.ignored],
            "left_out": [group._asdict() for group in self.left_out],
            "refused": [group._asdict() for group in self.refused],
            "warnings": [warning._asdict() for warning in self.warnings],
            "languages": Counter(file.language for file in self.read),
        }


# Shown where an upload cannot be grouped.
NO_PREVIEW = Preview(Grouping(FOLDERS, {}, {}, {}, {}, []), (), (), (), (), (), ())


def preview_upload(
    listing: Listing,
    left_out: LeftOutListing,
    refused: Iterable[Entry] = (),
    choices: Choices = DEFAULT_CHOICES,
    identify: Identify | None = None,
) -> Preview:
    """Return the preview of an upload that is grouped as an instructor chose.

    `left_out` has all entries of the upload, `refused` the entries that cannot be read, which may also be in
    `listing`.
    `identify` returns what a roster knows of a student of the layout.
    """
    grouping = group_files(listing, choices, identify)
    refusals = {entry.name: entry for entry in refused if entry.name not in grouping.ignored}
    used = {path: place for path, place in grouping.places.items() if path not in refusals}
    skipped = left_out.left_out(used)
    counted = {path: place.submission for path, place in used.items() if path not in skipped.paths}
    submissions = tuple(_submissions(listing, grouping, counted))
    ignored = [Entry(path, listing.files[path].size, why) for path, why in grouping.ignored.items()]
    remaining = [entry for name, entry in refusals.items() if not skipped.replaces(name, accepted=False)]
    uncompared = grouping.submissions.keys() - {one.name for one in submissions}
    uncompared |= _only_refused(listing, refusals, grouping, choices)
    return Preview(
        grouping,
        tuple(one for one in recognise(listing) if one.score >= MIN_SCORE),
        submissions,
        _by_reason(ignored),
        _by_reason(skipped.entries),
        _by_reason(remaining),
        (*grouping.warnings, *unmatched_patterns(skipped.unmatched), *_code_warnings(uncompared, counted)),
        tuple(counted),
    )


def _submissions(listing: Listing, grouping: Grouping, counted: Mapping[str, str]) -> Iterator[PreviewedSubmission]:
    """Yield the submissions with a file that counts, sorted by name."""
    sizes: dict[str, list[int]] = defaultdict(list)
    for path, name in counted.items():
        sizes[name].append(listing.files[path].size)
    for name, submission in grouping.submissions.items():
        if name in sizes:
            yield PreviewedSubmission(name, submission, len(sizes[name]), sum(sizes[name]))


def _by_reason(entries: Iterable[Entry]) -> tuple[SkippedGroup, ...]:
    """Return the entries by reason, the reason with most entries first."""
    groups: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        groups[entry.reason].append(entry)
    skipped = [
        SkippedGroup(
            reason,
            len(members),
            sum(one.size for one in members),
            tuple(sorted(one.name for one in members)[:EXAMPLES]),
        )
        for reason, members in groups.items()
    ]
    return tuple(sorted(skipped, key=lambda group: (-group.entries, group.reason)))


def _only_refused(listing: Listing, refused: Mapping[str, Entry], grouping: Grouping, choices: Choices) -> set[str]:
    """Return the names of students of whom the upload has only entries that cannot be read or are ignored."""
    root = root_of(listing.paths)
    names = [name for name in refused if name not in listing.files]
    students = [name for name in names if not _is_beside_students(name.removeprefix(root), listing)]
    placed = place_with(listing, students, grouping, choices)
    placements = placed.placements.items()
    known = {submitters(place.students) for path, place in placements if path in listing.files}
    others = [place.students for path, place in placements if path not in listing.files]
    others += [place.students for place in placed.ignored.values() if place.students]
    return {plain_name(students) for students in others if submitters(students) not in known}


def _code_warnings(uncompared: Collection[str], counted: Mapping[str, str]) -> Iterator[GroupingWarning]:
    if uncompared:
        text = sentences.NOT_COMPARED.format(names=listed(uncompared))
        yield GroupingWarning("no-code", text, tuple(sorted(uncompared)))
    with_code = {name for path, name in counted.items() if _may_be_code(path)}
    without = set(counted.values()) - with_code
    if with_code and without:
        text = sentences.NO_PROGRAM.format(names=listed(without))
        yield GroupingWarning("no-program", text, tuple(sorted(without)))


def _may_be_code(path: str) -> bool:
    lower = path.lower()
    return lower.endswith(PAGES) or (not lower.endswith(DOCUMENTS) and any_code([path]))


def _submission_json(submission: PreviewedSubmission) -> dict[str, Any]:
    grouped = submission.grouped
    return {
        "name": submission.name,
        "identifier": grouped.identifier,
        "students": [student._asdict() for student in grouped.students],
        "files": submission.files,
        "bytes": submission.size,
        "attempt": grouped.attempt,
        "attempts": grouped.attempts,
        "submitted": grouped.submitted and grouped.submitted.astimezone().isoformat(),
        "late": grouped.late,
    }


def _is_beside_students(path: str, listing: Listing) -> bool:
    """Return whether an entry is the upload itself, or is left out by the name of its outermost folder."""
    rule = rule_of_name(path, frozenset())
    return path.startswith(f"{listing.name}.") or (rule is not None and "/" not in rule[0].rstrip("/"))


@dataclass(frozen=True)
class ListedUpload:
    """The entries of an upload; `metadata` are the bytes of files that layouts read, by path.

    An entry of `rows` was unpacked if it has a digest, and is compared if it has no `reason` then.
    `name` is that of the upload without its suffix, or empty. `unread` has the reasons for metadata that is
    not read. `reading` is called with the path of what is read next.
    """

    rows: Sequence[Entry]
    metadata: Mapping[str, bytes] = field(default_factory=dict)
    name: str = ""
    choices: Choices = field(default_factory=Choices)
    patterns: FilePatterns = field(default_factory=FilePatterns)
    unread: Mapping[str, str] = field(default_factory=dict)
    reading: Callable[[str], None] | None = None

    def listing(self) -> Listing:
        """Return the entries as layouts see them."""
        builder = ListingBuilder(self.name, unread=dict(self.unread), reading=self.reading)
        for row in self.rows:
            if row.digest:
                builder.add(row._replace(data=self.metadata.get(row.name, b"")))
        return builder.listing()

    def left_out_listing(self) -> LeftOutListing:
        """Return the entries as the rules for what is left out see them."""
        listing = LeftOutListing(self.patterns)
        for row in self.rows:
            listing.add(row)
        return listing


class GroupedUpload(NamedTuple):
    """The submissions of an upload, what of their files is left out, and the submission of each entry."""

    grouping: Grouping
    left_out: LeftOut
    owners: dict[str, str]


def group_upload(upload: ListedUpload) -> GroupedUpload:
    """Group the entries of an upload into submissions as its instructor chose."""
    listing = upload.listing()
    grouping = group_files(listing, upload.choices)
    unreadable = {row.name for row in upload.rows if row.digest and row.reason}
    used = {path: place for path, place in grouping.places.items() if path not in unreadable}
    refused = [row.name for row in upload.rows if not row.digest]
    return GroupedUpload(
        grouping, upload.left_out_listing().left_out(used), owners(listing, grouping, upload.choices, refused)
    )


def preview_listed(upload: ListedUpload) -> Preview:
    """Return who handed in what, as the upload is going to be read."""
    refused = [row for row in upload.rows if row.reason]
    return preview_upload(upload.listing(), upload.left_out_listing(), refused, upload.choices)
