"""A watched job that imports a module for the first time."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from tests.support.watched import watched

if TYPE_CHECKING:
    from collections.abc import Iterator

    from submissions.intake.sandbox.child import Channel, Frame, Header

REFUSALS = ()


def preload() -> None:
    """Load nothing."""


def _import(_request: Header, _buffers: list[bytes], _channel: Channel) -> Iterator[Frame]:
    import_module("encodings.euc_kr")
    yield {"kind": "imported"}, []


JOBS = watched({"import": _import})
