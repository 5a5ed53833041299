"""Faults at random moments of real work: `python -m tests.faults.run [--seeds 100] [--first 1]`.

Each seed starts `moss serve` in a home of its own. A person uploads classes and boilerplate, decides,
exports, ranks again, deletes and erases students, over HTTP, adds an archive to a corpus, and has webhooks,
mail and a learning platform. Meanwhile a schedule drawn from the seed kills processes, the supervisor too,
stops them for a while, cuts connections, empties the broker and fills the disk. Then the workers are killed
during one kind of background work after another: half of the registry in a seed. Afterwards all work must
end within FINAL_SECONDS, the database must hold everything once, nothing may be orphaned, what the person
was told must be true, and what was sent must have arrived. A seed that fails prints how to run it again.
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
from collections.abc import Sequence
from pathlib import Path

from bench.installation import Installation, free_port
from tests.faults.actions import FAULTS, small_disk
from tests.faults.kinds import kill_during, kinds_of
from tests.faults.neighbours import Neighbours
from tests.faults.work import BusyPerson

# The time in seconds within which every upload ends after the last fault.
FINAL_SECONDS = 150
UPLOADS, FAULTS_PER_SEED = 2, 5
# How often it is tried to kill the workers during one kind of work.
TRIES = 2
VARIABLES = {
    "DJANGO_SETTINGS_MODULE": "moss.settings",
    "MOSS_MAIL_HOST": "127.0.0.1",
    "MOSS_MAIL_FROM": "moss@example.org",
    "MOSS_MAIL_SECURITY": "none",
    "MOSS_WEBHOOK_NETWORKS": "127.0.0.0/8",
    # A large class of `tests.faults.work` takes longer, by the estimate, and another one does not.
    "MOSS_SHARD_SECONDS": "0.0125",
    "MOSS_RANKINGS_A_MINUTE": "1000",
}


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
    from moss.installation import start_django  # noqa: PLC0415 - in this home

    start_django()
    from tests.faults.neighbours import running_neighbours  # noqa: PLC0415 - after Django's start

    with running_neighbours() as neighbours:
        return _work_beside(neighbours, rng, installation, seed)


def _work_beside(neighbours: Neighbours, rng: random.Random, installation: Installation, seed: int) -> list[str]:
    from tests.faults.invariants import violations  # noqa: PLC0415 - after Django's start
    from tests.faults.work import BusyPerson  # noqa: PLC0415

    folder = Path(installation.home).parent / "archive"
    person = BusyPerson(random.Random(rng.random()), installation.port, neighbours, folder)
    for _ in range(UPLOADS):
        person.upload_waiting()
    _disturb(rng, installation, person, seed)
    lines = person.archive.finish()
    _wait_for_the_end(seed)
    print(f"  answers: {person.acknowledged.answers}")
    return lines + violations(person, kinds_of(seed))


def _wait_for_the_end(seed: int) -> None:
    from tests.faults.invariants import work_goes_on  # noqa: PLC0415 - after Django's start

    started = time.monotonic()
    while work_goes_on() and time.monotonic() - started < FINAL_SECONDS:
        time.sleep(1)
    print(f"seed {seed}: all work ended {time.monotonic() - started:.0f} s after the last fault")


def _disturb(rng: random.Random, installation: Installation, person: BusyPerson, seed: int) -> None:
    work = threading.Thread(target=person.work)
    work.start()
    try:
        for _ in range(FAULTS_PER_SEED):
            time.sleep(rng.uniform(0.1, 3))
            name = rng.choice(sorted(FAULTS))
            print(f"  {name}: {FAULTS[name](installation, rng)}", flush=True)
        installation.recover()
        person.only_wanted.set()
        kinds = kinds_of(seed)
        hit = [kind for kind in kinds if _kill_during(kind, rng, installation, person)]
        print(f"  killed in the middle of {len(hit)} of {len(kinds)} kinds", flush=True)
    finally:
        person.stopped.set()
        work.join()


def _kill_during(kind: str, rng: random.Random, installation: Installation, person: BusyPerson) -> bool:
    for _ in range(TRIES):
        is_hit, what = kill_during(kind, installation, rng, person.wanted.put)
        print(f"  kill during {kind}: {what}", flush=True)
        if is_hit:
            return True
    return False


def _run_in_new_home(seed: int) -> bool:
    """Run a seed in a process and a home of its own; return whether all invariants hold."""
    home = Path(tempfile.mkdtemp(prefix="moss-faults-")) / "home"
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MOSS_", "DATABASE_"))}
    environment |= VARIABLES | {"MOSS_HOME": str(home), "MOSS_MAIL_PORT": str(free_port())}
    command = [sys.executable, "-m", "tests.faults.run", "--only", str(seed)]
    done = subprocess.run(command, env=environment, check=False)
    if done.returncode == 0:
        shutil.rmtree(home.parent)
        return True
    print(f"seed {seed} failed. Its log is in {home.parent}.")
    print(f"Again: python -m tests.faults.run --first {seed} --seeds 1", flush=True)
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
