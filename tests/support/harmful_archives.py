"""The jobs of a child that unpacks, and harm by an entry with `harm: NAME` in its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from submissions.intake.sandbox import archive_jobs
from tests.support.harms import harm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from submissions.intake.sandbox.child import Channel, Frame, Header

REFUSALS = archive_jobs.REFUSALS
preload = archive_jobs.preload


def _unpack(request: Header, buffers: list[bytes], channel: Channel) -> Iterator[Frame]:
    for header, data in archive_jobs.JOBS["unpack"](request, buffers, channel):
        harm(header["name"])
        yield header, data


JOBS = {"unpack": _unpack}
