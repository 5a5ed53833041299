"""Generated Java submissions, and a large archive, for `bench.load`."""

from __future__ import annotations

import io
import zipfile
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

# Methods in the common pool, and in each submission: from the pool, and of its own.
POOL_METHODS, SHARED_METHODS, STUDENT_METHODS = 60, 5, 11
# Every so manieth submission is a changed copy of the one before it.
COPY_EVERY = 10
MEGABYTE = 1_000_000
# Just below the limit of a file.
ATTACHMENT_BYTES = 4_900_000
STATEMENTS = (
    "        total += values[{n}] * {m};",
    "        if (values[{n}] > total) {{\n            total = values[{n}] + {m};\n        }}",
    "        for (int i = {n}; i < values.length; i++) {{\n            total += values[i] % {m};\n        }}",
    "        while (total > {n}) {{\n            total /= {m};\n        }}",
    "        names.add(String.valueOf(total) + {n});",
    "        total = Math.max(total, names.size() + {m});",
    '        System.out.println("step " + {n} + names.get({m}));',
    "        // looks at {n} before {m}\n        values[{n}] = total - {m};",
)


def submissions(count: int, seed: int = 7) -> Iterator[tuple[str, str]]:
    """Yield names and Java sources of about 200 lines; every tenth is a changed copy of the one before."""
    random = Random(seed)
    pool = [_method(random, f"shared{number}") for number in range(POOL_METHODS)]
    methods: list[str] = []
    for number in range(count):
        student_methods = [_method(random, f"own{number}x{n}") for n in range(STUDENT_METHODS)]
        copied = number % COPY_EVERY == COPY_EVERY - 1
        methods = (
            methods[:-3] + student_methods[:3] if copied else random.sample(pool, SHARED_METHODS) + student_methods
        )
        body = "\n\n".join(methods)
        yield f"student-{number:03}", f"import java.util.*;\n\npublic class Work {{\n{body}\n}}\n"


def zipped(count: int, seed: int = 7) -> bytes:
    """Return a zip archive of `count` submissions."""
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, source in submissions(count, seed):
            archive.writestr(zipfile.ZipInfo(f"{name}/Work.java"), source, zipfile.ZIP_DEFLATED)
    return output.getvalue()


def zipped_files(paths: Sequence[Path], count: int, seed: int = 7) -> bytes:
    """Return a zip archive of `count` random files, each of them a submission.

    Raises
    ------
    ValueError
        When there are fewer files.
    """
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, path in enumerate(Random(seed).sample(paths, count)):
            archive.writestr(f"student-{number:04}/{path.name}", path.read_bytes())
    return output.getvalue()


def write_large_archive(path: Path, megabytes: int, seed: int = 8) -> None:
    """Write a zip archive of about `megabytes` MB: submissions with attachments that no front-end reads."""
    random = Random(seed)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        sources = submissions(max(2, megabytes * MEGABYTE // ATTACHMENT_BYTES), seed)
        for name, source in sources:
            archive.writestr(f"{name}/Work.java", source)
            if path.stat().st_size + ATTACHMENT_BYTES < megabytes * MEGABYTE:
                archive.writestr(f"{name}/recording.bin", random.randbytes(ATTACHMENT_BYTES))


def _method(random: Random, name: str) -> str:
    body = "\n".join(
        random.choice(STATEMENTS).format(n=random.randrange(2, 500), m=random.randrange(2, 50))
        for _ in range(random.randrange(4, 9))
    )
    return (
        f"    int {name}(int[] values, List<String> names) {{\n        int total = {random.randrange(99)};\n"
        f"{body}\n        return total;\n    }}"
    )
