"""The jobs of a child that groups uploads and reads rosters: names and metadata of students."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from fingerprint.engine import import_encodings
from submissions.intake.choices import Choices, GroupedSubmission
from submissions.intake.entries import Entry
from submissions.intake.layouts.registry import LAYOUTS
from submissions.intake.left_out.patterns import FilePatterns
from submissions.intake.limits import BadArchive, outside_time
from submissions.intake.preview import ListedUpload, Preview, group_upload, preview_listed
from submissions.intake.rosters import RosterRefused, parse_roster

if TYPE_CHECKING:
    from submissions.intake.grouping import Grouping
    from submissions.intake.sandbox.child import Channel, Frame, Header

REFUSALS = (BadArchive, RosterRefused)


def preload() -> None:
    """Load what grouping imports at first use."""
    import_encodings()
    datetime.strptime("2026", "%Y")  # noqa: DTZ007 - loads what it needs
    files = {
        "ada/a.c": b"",
        "ben/timestamp.txt": b"2026-03-01 14:05:09",
        "submission_metadata.yml": b"submission_1:\n  :submitters:\n  - :name: 'Ada'\n",
    }
    rows = [Entry(name, max(1, len(data)), digest=b"1") for name, data in files.items()]
    for layout in LAYOUTS:
        patterns = FilePatterns(("*.c",), ("*.h",))
        upload = ListedUpload(rows, files, choices=Choices(layout), patterns=patterns)
        preview_listed(upload)
        group_upload(upload)
    parse_roster("Name;Id\nAdé;1".encode("cp1252"))


def _group(request: Header, buffers: list[bytes], channel: Channel) -> Iterator[Frame]:
    grouped = group_upload(_upload(request, buffers, channel))
    paths, folders, entries, unmatched = grouped.left_out
    left_out = paths, folders, [entry[:3] for entry in entries], unmatched
    yield _answer([_grouping(grouped.grouping), left_out, grouped.owners])


def _preview(request: Header, buffers: list[bytes], channel: Channel) -> Iterator[Frame]:
    yield _answer(_previewed(preview_listed(_upload(request, buffers, channel))))


def _roster(_request: Header, buffers: list[bytes], _channel: Channel) -> Iterator[Frame]:
    roster = parse_roster(buffers[0])
    yield _answer({"students": roster.students, "problems": roster.problems})


def _upload(request: Header, buffers: list[bytes], channel: Channel) -> ListedUpload:
    """Return the upload of a request; the other side is told what metadata is read next."""
    rows, *metadata = buffers
    return ListedUpload(
        [
            Entry(name, size, reason, None, outside_time(modified), bytes.fromhex(digest), left_out)
            for name, size, reason, modified, digest, left_out in json.loads(rows)
        ],
        dict(zip(request["metadata"], metadata, strict=True)),
        request["name"],
        Choices.from_json(request["choices"]),
        FilePatterns(*map(tuple, request["patterns"])),
        request["unread"],
        lambda path: channel.send({"kind": "reading", "path": path}),
    )


def _answer(value: Any) -> Frame:
    return {"kind": "grouped"}, [json.dumps(value, default=sorted).encode()]  # sets as lists


def _grouping(grouping: Grouping) -> dict[str, Any]:
    submissions = {name: _submission(one) for name, one in grouping.submissions.items()}
    return vars(grouping) | {"layout": grouping.layout.key, "submissions": submissions}


def _submission(one: GroupedSubmission) -> list[Any]:
    submitted = one.submitted.isoformat() if one.submitted else ""
    return [one.students, one.attempt, one.attempts, submitted, one.late]


def _previewed(preview: Preview) -> dict[str, Any]:
    return {
        "grouping": _grouping(preview.grouping),
        "layouts": [(one.layout.key, one.score) for one in preview.layouts],
        "submissions": [(one.name, one.files, one.size) for one in preview.submissions],
        "ignored": preview.ignored,
        "left_out": preview.left_out,
        "refused": preview.refused,
        "warnings": preview.warnings,
        "counted": preview.counted,
    }


JOBS = {"group": _group, "preview": _preview, "roster": _roster}
