"""A generated class whose submissions share some functions, with two long files that share most functions."""

from __future__ import annotations

import io
import zipfile
from random import Random

# Functions in the common pool, and in each submission: from the pool, and of its own.
POOL_FUNCTIONS, SHARED_FUNCTIONS, OWN_FUNCTIONS = 24, 14, 3
MIN_STATEMENTS, MAX_STATEMENTS = 6, 18  # in the body of a function, MAX_STATEMENTS excluded
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
    """Return a zip archive of a class with at least `pairs` pairs.

    The submissions `long-a` and `long-b` have `lines` lines each.
    """
    random = Random(seed)
    pool = [_function(random, f"shared_{number}") for number in range(POOL_FUNCTIONS)]
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(_class_size(pairs)):
            own = [_function(random, f"own_{number}_{n}") for n in range(OWN_FUNCTIONS)]
            shared = random.sample(pool, SHARED_FUNCTIONS)
            archive.writestr(f"student-{number:03}/main.py", "\n".join(shared + own))
        for name, source in zip(("long-a", "long-b"), _long_files(random, lines), strict=True):
            archive.writestr(f"{name}/main.py", source)
    return output.getvalue()


def _class_size(pairs: int) -> int:
    """Return the lowest number of submissions, at least three, that has `pairs` pairs."""
    size = 3
    while size * (size - 1) // 2 < pairs:
        size += 1
    return size


def _function(random: Random, name: str) -> str:
    body = [
        random.choice(STATEMENTS).format(n=random.randrange(2, 500), m=random.randrange(2, 50))
        for _ in range(random.randrange(MIN_STATEMENTS, MAX_STATEMENTS))
    ]
    return "\n".join([f"def {name}(values, names, total=0):", *body, "    return total\n"])


def _long_files(random: Random, lines: int) -> tuple[str, str]:
    """Return two files of exactly `lines` lines; two of three functions of the second are in the first."""
    left: list[str] = []
    right: list[str] = []
    number = 0
    while min(len(left), len(right)) < lines:
        number += 1
        function = _function(random, f"step_{number}")
        other = function if number % 3 else _function(random, f"other_{number}")
        left += function.splitlines()
        right += other.splitlines()
    return "\n".join(left[:lines]) + "\n", "\n".join(right[:lines]) + "\n"
