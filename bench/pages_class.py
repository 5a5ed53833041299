"""A generated class: two submissions with long files, and two with many files."""

from __future__ import annotations

import io
import zipfile
from random import Random

FUNCTIONS_A_FILE = 6
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


def zipped_class(lines: int, files: int, seed: int = 11) -> bytes:
    """Return a zip archive of a class with two pairs.

    The submissions `long-a` and `long-b` have one file of `lines` lines each, `many-a` and `many-b` have
    `files` files each, of which every other one is in both.
    """
    random = Random(seed)
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, source in zip(("long-a", "long-b"), long_files(random, lines), strict=True):
            _write(archive, f"{name}/main.py", source)
        for number in range(files):
            shared = _file(random, f"shared_{number}")
            for name in ("many-a", "many-b"):
                content = shared if number % 2 else _file(random, f"{name[-1]}_{number}")
                _write(archive, f"{name}/part_{number % 7}/module_{number}.py", content)
    return output.getvalue()


def _write(archive: zipfile.ZipFile, name: str, source: str) -> None:
    """Add a file without the time of now, so that the same class is the same bytes."""
    archive.writestr(zipfile.ZipInfo(name), source, zipfile.ZIP_DEFLATED)


def _file(random: Random, name: str) -> str:
    return "\n".join(_function(random, f"{name}_{n}") for n in range(FUNCTIONS_A_FILE))


def _function(random: Random, name: str) -> str:
    body = [
        random.choice(STATEMENTS).format(n=random.randrange(2, 500), m=random.randrange(2, 50))
        for _ in range(random.randrange(MIN_STATEMENTS, MAX_STATEMENTS))
    ]
    return "\n".join([f"def {name}(values, names, total=0):", *body, "    return total\n"])


def long_files(random: Random, lines: int) -> tuple[str, str]:
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
