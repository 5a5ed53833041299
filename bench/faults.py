"""Faults at random moments of real work: `python -m bench.faults [--seeds 100] [--first 1]`.

Each seed starts `moss serve` in a home of its own and uploads classes. Meanwhile a schedule drawn from it
kills processes, stops them for a while, and empties the broker. Afterwards every upload must reach a final
state within FINAL_SECONDS, and the database must hold everything once. A seed that fails prints how to run it
again.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.fault_actions import FAULTS, Installation, start_server

if TYPE_CHECKING:
    from collections.abc import Sequence

# The time in seconds within which every upload ends after the last fault.
FINAL_SECONDS = 150
UPLOADS, FAULTS_PER_SEED = 4, 5


def run_seed(seed: int, home: Path) -> list[str]:
    """Return the violated invariants of one seed."""
    server = start_server(home)
    try:
        from bench.fault_invariants import (  # noqa: PLC0415 - starts Django, in the home of the server
            unfinished_uploads,
            upload_class,
            violations,
        )

        rng = random.Random(seed)
        uploads = [upload_class(rng, number) for number in range(UPLOADS)]
        _disturb(rng, Installation(home))
        started = time.monotonic()
        while unfinished_uploads() and time.monotonic() - started < FINAL_SECONDS:
            time.sleep(1)
        print(f"seed {seed}: every upload ended {time.monotonic() - started:.0f} s after the last fault")
        return violations(uploads)
    finally:
        server.terminate()
        server.wait(60)


def _disturb(rng: random.Random, installation: Installation) -> None:
    for _ in range(FAULTS_PER_SEED):
        time.sleep(rng.uniform(0.1, 3))
        name = rng.choice(sorted(FAULTS))
        print(f"  {name}: {FAULTS[name](installation, rng)}")


def _run_in_new_home(seed: int) -> bool:
    """Run a seed in a process and a home of its own; return whether all invariants hold."""
    home = Path(tempfile.mkdtemp(prefix="moss-faults-")) / "home"
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("MOSS_", "DATABASE_"))
    }
    environment |= {"MOSS_HOME": str(home), "DJANGO_SETTINGS_MODULE": "moss.settings"}
    command = [sys.executable, "-m", "bench.faults", "--only", str(seed)]
    done = subprocess.run(command, env=environment, check=False)
    if done.returncode == 0:
        shutil.rmtree(home.parent)
        return True
    print(f"seed {seed} failed. Its home is {home}. Again: python -m bench.faults --first {seed} --seeds 1")
    return False


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seeds", type=int, default=5, help="number of seeds")
    options.add_argument("--first", type=int, default=1, help="the first seed")
    options.add_argument("--only", type=int, help=argparse.SUPPRESS)
    chosen = options.parse_args(arguments)
    if chosen.only is not None:
        violated = run_seed(chosen.only, Path(os.environ["MOSS_HOME"]))
        print("\n".join(f"  VIOLATED: {line}" for line in violated) or "  all invariants hold")
        raise SystemExit(bool(violated))
    failed = [seed for seed in range(chosen.first, chosen.first + chosen.seeds) if not _run_in_new_home(seed)]
    print(f"{chosen.seeds - len(failed)} of {chosen.seeds} seeds hold every invariant")
    raise SystemExit(bool(failed))


if __name__ == "__main__":
    main()
