"""Lexemes as evidence: what normalisation folds away, kept aside under its own kinds."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from fingerprint.languages.base import Class
from fingerprint.tokens import kind_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fingerprint.types import Classes, Kinds, Offsets


Column = tuple[Class, "Kinds", "Offsets", "Offsets"]
Evidence = tuple["Classes", "Kinds", "Offsets", "Offsets"]


@cache
def family_of(salt: str, sort: Class) -> str:
    """Family of the ids of lexemes as they are written, apart from every kind of the folded stream."""
    return f"{salt} as written, {sort.name}"


def lexeme_id(salt: str, sort: Class, lexeme: str) -> int:
    """64-bit id of a lexeme as it is written."""
    return kind_id(family_of(salt, sort), lexeme)


def merged(columns: Sequence[Column]) -> Evidence:
    """One set of parallel arrays in text order: classes, kinds, starts, ends."""
    classes = np.concatenate([np.full(len(kinds), sort, dtype=np.uint8) for sort, kinds, _, _ in columns])
    kinds, starts, ends = (np.concatenate([column[i] for column in columns]) for i in (1, 2, 3))
    order = np.argsort(starts, kind="stable")
    return classes[order], kinds[order], starts[order], ends[order]
