"""Fuzz what reads the bytes of strangers: `python -m tests.fuzz.run [TARGET ...] [--seconds 120]`.

The targets are those of `tests.fuzz.targets`. Each runs in a process of its own under atheris, which changes
inputs so that they reach other branches. An error that a target is not known to raise, or an input that takes
longer than SLOW seconds, ends it and makes this command fail; the input is then in `artifacts/fuzz`. What is
found becomes a test. `--corpus FOLDER` keeps the inputs for the next time.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

NAMES = ("archives", "layouts", "rosters", "protocol", "tokens")
INSTRUMENTED = [
    "submissions",
    "moss.integrations.lti",
    "moss.integrations.moss_protocol",
    "fingerprint.languages.decoding",
]
FOUND = Path("artifacts/fuzz")
SLOW, LONGEST, MEMORY_MB = 10, 30_000, 2_000


def fuzz(name: str, seconds: int, corpus: Path) -> None:
    """Fuzz one target; this ends the process."""
    import atheris  # type: ignore[import-untyped] # noqa: PLC0415 - it is built for one platform only

    with atheris.instrument_imports(include=INSTRUMENTED, enable_loader_override=False):
        from tests.fuzz.targets import targets  # noqa: PLC0415 - instrumented
    target = targets()[name]
    for number, seed in enumerate(target.seeds()):
        target.run(seed)
        (corpus / f"seed-{number}").write_bytes(seed)
    limits = [f"-max_total_time={seconds}", f"-timeout={SLOW}", f"-max_len={LONGEST}"]
    limits += [f"-rss_limit_mb={MEMORY_MB}", f"-artifact_prefix={FOUND}/{name}-", "-print_final_stats=1"]
    atheris.Setup([sys.argv[0], *limits, str(corpus)], target.run)
    atheris.Fuzz()


def _fuzz_apart(name: str, seconds: int, corpus: Path) -> bool:
    """Fuzz one target in a process of its own; return whether nothing was found."""
    folder = corpus / name
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "tests.fuzz.run", name, "--seconds", str(seconds), "--only", str(folder)]
    done = subprocess.run(command, stderr=subprocess.PIPE, errors="replace", check=False)
    figures = [line for line in done.stderr.splitlines() if line.startswith("stat::number_of_executed")]
    print(f"{name}: {'nothing found' if not done.returncode else 'FOUND'}; {' '.join(figures)}", flush=True)
    if done.returncode:
        print(done.stderr[-4000:])
    return not done.returncode


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("targets", nargs="*", default=NAMES)
    options.add_argument("--seconds", type=int, default=120, help="for each target")
    options.add_argument("--corpus", type=Path, help="where inputs are kept for the next time")
    options.add_argument("--only", type=Path, help=argparse.SUPPRESS)
    chosen = options.parse_args(arguments)
    FOUND.mkdir(parents=True, exist_ok=True)
    if chosen.only:
        fuzz(chosen.targets[0], chosen.seconds, chosen.only)
    with tempfile.TemporaryDirectory(prefix="moss-fuzz-") as folder:
        corpus = chosen.corpus or Path(folder)
        results = [_fuzz_apart(name, chosen.seconds, corpus) for name in chosen.targets]
    raise SystemExit(not all(results))


if __name__ == "__main__":
    main()
