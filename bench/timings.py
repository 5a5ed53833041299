"""The record of a speed measurement, shared by `bench.speed` and `bench.targets`."""

from __future__ import annotations

from typing import NamedTuple


class ToolTiming(NamedTuple):
    """One tool on one number of files: median `seconds` of its runs, and highest `peak` memory in bytes.

    `peak` is None where memory cannot be measured.
    """

    tool: str
    files: int
    runs: int
    seconds: float
    peak: int | None
