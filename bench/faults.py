"""Faults at random moments of real work: `python -m bench.faults [--seeds 100] [--first 1]`.

Each seed starts `moss serve` in a home of its own. A person uploads classes and boilerplate, decides,
exports, ranks again and deletes, over HTTP. Meanwhile a schedule drawn from the seed kills processes, the
supervisor too, stops them for a while, cuts connections, empties the broker and fills the disk. Afterwards
every upload must reach a final state within FINAL_SECONDS, the database must hold everything once, nothing
may be orphaned, and what the person was told must be true. A seed that fails prints how to run it again.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.fault_actions import FAULTS, Installation, small_disk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.fault_person import Person

# The time in seconds within which every upload ends after the last fault.
FINAL_SECONDS = 150
UPLOADS, FAULTS_PER_SEED = 2, 5


def run_seed(seed: int, home: Path) -> list[str]:
    """Return the violated invariants of one seed."""
    with small_disk(home):
        installation = Installation(home)
        installation.start()
        try:
            lines = _work_and_disturb(random.Random(seed), installation, seed)
        finally:
            lines_of_processes = installation.stop()
    return lines + lines_of_processes


def _work_and_disturb(rng: random.Random, installation: Installation, seed: int) -> list[str]:
    from bench.fault_invariants import violations, work_goes_on  # noqa: PLC0415 - starts Django, in this home
    from bench.fault_person import Person  # noqa: PLC0415

    person = Person(random.Random(rng.random()), installation.port)
    for _ in range(UPLOADS):
        person.upload_class()
    _disturb(rng, installation, person)
    started = time.monotonic()
    while work_goes_on() and time.monotonic() - started < FINAL_SECONDS:
        time.sleep(1)
    print(f"seed {seed}: all work ended {time.monotonic() - started:.0f} s after the last fault")
    print(f"  answers: {person.acknowledged.answers}")
    return violations(person.acknowledged)


def _disturb(rng: random.Random, installation: Installation, person: Person) -> None:
    work = threading.Thread(target=person.work)
    work.start()
    try:
        for _ in range(FAULTS_PER_SEED):
            time.sleep(rng.uniform(0.1, 3))
            name = rng.choice(sorted(FAULTS))
            print(f"  {name}: {FAULTS[name](installation, rng)}", flush=True)
        installation.recover()
    finally:
        person.stopped.set()
        work.join()


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
    print(f"seed {seed} failed. Its log is in {home.parent}.")
    print(f"Again: python -m bench.faults --first {seed} --seeds 1", flush=True)
    return False


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seeds", type=int, default=5, help="number of seeds")
    options.add_argument("--first", type=int, default=1, help="the first seed")
    options.add_argument("--only", type=int, help=argparse.SUPPRESS)
    chosen = options.parse_args(arguments)
    if chosen.only is not None:
        violated = run_seed(chosen.only, Path(os.environ["MOSS_HOME"]))
        print("\n".join(f"  VIOLATED: {line}" for line in violated) or "  all invariants hold", flush=True)
        raise SystemExit(bool(violated))
    failed = [seed for seed in range(chosen.first, chosen.first + chosen.seeds) if not _run_in_new_home(seed)]
    print(f"{chosen.seeds - len(failed)} of {chosen.seeds} seeds hold every invariant")
    raise SystemExit(bool(failed))


if __name__ == "__main__":
    main()
