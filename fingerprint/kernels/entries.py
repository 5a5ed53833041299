"""The entries of kernels, in LLVM's language: one block of 64-bit words has all arguments.

A call from Python with each field of each array as an argument of its own took most of the time of short
kernels. A number is a word, an array its address and its shape, a tuple the words of its parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint.kernels.layouts import Array, Layout, Parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NUMBERS = {"int64": "i64", "uint64": "i64", "float64": "double"}


def entry(name: str, body: str, parameters: Sequence[Layout]) -> str:
    """Return a function `name` that calls the function `body` of numba's convention."""
    words = _Words()
    arguments = [argument for layout in parameters for argument in words.arguments(layout)]
    types = ", ".join(["ptr", "ptr", *(argument.split()[0] for argument in arguments)])
    values = ", ".join(["ptr %result", "ptr %error", *arguments])
    return "\n".join(
        [
            f'declare i32 @"{body}"({types})',
            f'define i32 @"{name}"(ptr %result, ptr %error, ptr %words) {{',
            *words.lines,
            f'%status = call i32 @"{body}"({values})',
            "ret i32 %status",
            "}",
        ]
    )


class _Words:
    """The instructions that read the words, one after another."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0

    def arguments(self, layout: Layout) -> Iterator[str]:
        """Yield the type and the value of each argument that numba makes of one."""
        if isinstance(layout, Parts):
            for part in layout.of:
                yield from self.arguments(part)
        elif isinstance(layout, Array):
            yield from self._array(layout)
        else:
            yield self._next(NUMBERS[layout])

    def _next(self, kind: str) -> str:
        name = f"%word.{self._count}"
        self.lines += [
            f"{name}.at = getelementptr i64, ptr %words, i64 {self._count}",
            f"{name} = load {kind}, ptr {name}.at",
        ]
        self._count += 1
        return f"{kind} {name}"

    def _product(self, one: str, other: str) -> str:
        name = f"%product.{len(self.lines)}"
        self.lines.append(f"{name} = mul {one}, {other.split()[1]}")
        return f"i64 {name}"

    def _array(self, layout: Array) -> Iterator[str]:
        """Yield owner of the memory and Python object, size, bytes an item, data, shape and strides."""
        itemsize = f"i64 {np.dtype(layout.dtype).itemsize}"
        data, shape = self._next("ptr"), [self._next("i64") for _ in range(layout.dimensions)]
        strides = [itemsize]
        for length in reversed(shape[1:]):
            strides.insert(0, self._product(strides[0], length))
        size = shape[0]
        for length in shape[1:]:
            size = self._product(size, length)
        yield from ("ptr null", "ptr null", size, itemsize, data, *shape, *strides)
