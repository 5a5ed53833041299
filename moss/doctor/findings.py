"""The result of one check of the installation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check; `advice` says what to do where the state is not ok."""

    check: str
    state: State
    message: str
    advice: str = ""


def ok(check: str, message: str) -> Finding:
    return Finding(check, "ok", message)


def warning(check: str, message: str, advice: str) -> Finding:
    return Finding(check, "warning", message, advice)


def problem(check: str, message: str, advice: str) -> Finding:
    return Finding(check, "problem", message, advice)
