"""Kernels that take and return all that kernels may."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.kernels.registry import bare_kernel, bare_njit, kernel, njit

if TYPE_CHECKING:
    from fingerprint.kernels.types import Flags, Floats, Hashes, Ids, Rows


class Columns(NamedTuple):
    ids: Ids
    weights: Floats


@njit
def double(number: int) -> int:
    return 2 * number


@kernel
def double_twice(number: int) -> int:
    return double(double(number))


@kernel
def divide(dividend: int, divisor: int) -> int:
    return dividend // divisor


@kernel
def halve(number: float) -> float:
    return number / 2


@kernel
def next_hash(value: np.uint64, hashes: Hashes) -> None:
    hashes[0] = value + np.uint64(1)


@kernel
def weigh(columns: Columns, parts: tuple[int, Flags]) -> float:
    total = 0.0
    for at in range(len(columns.ids)):
        if parts[1][at]:
            total += columns.ids[at] * columns.weights[at] + parts[0]
    return total


@kernel
def count_up(size: int) -> Ids:
    numbers = np.empty(size, dtype=np.int32)
    for at in range(size):
        numbers[at] = at
    return numbers


@kernel
def split(rows: Rows, at: int) -> tuple[Rows, Rows, int]:
    """Return two parts of an argument, and a number."""
    return rows[:at], rows[at:], at


@kernel
def twice(size: int) -> tuple[Floats, Floats]:
    """Return one array two times."""
    ones = np.ones(size)
    return ones, ones


@kernel
def rest_for(steps: int, start: np.uint64) -> int:
    """Take some time."""
    value = start
    for _ in range(steps):
        value = value * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    return 1 if value > np.uint64(0) else 0


@bare_njit
def smaller(one: int, other: int) -> int:
    return min(one, other)


@bare_kernel
def smooth(numbers: Ids) -> int:
    """Replace each number by the smaller one of it and the next; return how many were replaced."""
    replaced = 0
    for at in range(len(numbers) - 1):
        number = smaller(numbers[at], numbers[at + 1])
        replaced += number != numbers[at]
        numbers[at] = number
    return replaced


KERNELS = [double_twice, divide, halve, next_hash, weigh, count_up, split, twice, rest_for, smooth]
