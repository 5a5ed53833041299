"""A made-up class of which every two share some functions, and two long files that share most."""

from __future__ import annotations

import io
import zipfile
from random import Random

POOL, TAKEN, OWN = 24, 14, 3
SHORT, LONG = 6, 18  # lines of a function's body, at least and at most
STATEMENTS = (
    "    total = total + values[{n}] * {m}",
    "    if values[{n}] > total:\n        total = values[{n}]",
    "    for item in values:\n        total += item % {m}",
    "    while total > {n}:\n        total //= {m}",
    "    names.append(str(total) + '{n}')",
    "    values = [one for one in values if one != {n}]",
    "    total = max(total, len(names), {n})",
    "    print('{n}', total, names[{m}])",
    "    names, values = sorted(names), values[{n}:]",
)


def zipped_class(pairs: int, lines: int, seed: int = 11) -> bytes:
    """Pack a class of at least `pairs` pairs as a zip; `long-a` and `long-b` have `lines` lines each."""
    chance = Random(seed)
    pool = [_function(chance, f"shared_{number}") for number in range(POOL)]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(_students(pairs)):
            own = [_function(chance, f"own_{number}_{n}") for n in range(OWN)]
            taken = chance.sample(pool, TAKEN)
            archive.writestr(f"student-{number:03}/main.py", "\n".join(taken + own))
        for name, source in zip(("long-a", "long-b"), _long(chance, lines), strict=True):
            archive.writestr(f"{name}/main.py", source)
    return packed.getvalue()


def _students(pairs: int) -> int:
    """Give the smallest class, at least of three, that has so many pairs."""
    size = 3
    while size * (size - 1) // 2 < pairs:
        size += 1
    return size


def _function(chance: Random, name: str) -> str:
    body = [
        chance.choice(STATEMENTS).format(n=chance.randrange(2, 500), m=chance.randrange(2, 50))
        for _ in range(chance.randrange(SHORT, LONG))
    ]
    return "\n".join([f"def {name}(values, names, total=0):", *body, "    return total\n"])


def _long(chance: Random, lines: int) -> tuple[str, str]:
    """Two files of exactly `lines` lines; of three functions the second file has two from the first."""
    left: list[str] = []
    right: list[str] = []
    number = 0
    while min(len(left), len(right)) < lines:
        number += 1
        mine = _function(chance, f"step_{number}")
        theirs = mine if number % 3 else _function(chance, f"other_{number}")
        left += mine.splitlines()
        right += theirs.splitlines()
    return "\n".join(left[:lines]) + "\n", "\n".join(right[:lines]) + "\n"
