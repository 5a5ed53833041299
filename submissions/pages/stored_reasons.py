"""Reasons that are stored in English; the code that writes most of them knows no Django."""

from __future__ import annotations

import re

from fingerprint.reasons import REASONS as READING
from submissions.intake.reasons import REASONS as INTAKE
from submissions.work.reasons import BROKEN, ENDED_PROCESS, OUT_OF_TIME

PLACE = re.compile(r"\{(\w+)\}")
# The first that fits counts.
REASONS = (*READING, BROKEN, OUT_OF_TIME, ENDED_PROCESS, *INTAKE)


def values_in(text: str, sentence: str) -> dict[str, str] | None:
    """Return what stands at the places of a sentence, or None if it is another one.

    Names are students' words, so no expression with several places is matched with them.
    """
    literals, names = PLACE.split(sentence)[::2], PLACE.split(sentence)[1::2]
    at, values = len(literals[0]), dict[str, str]()
    if not names or not text.startswith(literals[0]):
        return {} if text == sentence else None
    for number, (name, literal) in enumerate(zip(names, literals[1:], strict=True), 1):
        end = len(text) - len(literal) if number == len(names) else text.find(literal, at)
        if end < at or not text.startswith(literal, end):
            return None
        values[name], at = text[at:end], end + len(literal)
    return values
