"""Processor seconds of each step of a ranking in shards: `python -m bench.ranking_shards FOLDER [--mixed N]`.

It uploads each folder of FOLDER as a submission to a server of its own. Then the server is stopped, and this
process does the steps of ranking the class again one after the other. From their processor seconds it adds up
what one and two machines with one core each need, where each takes the next shard when it has none: so it
says what workers could do that do not share these cores. With `--mixed` the class has N submissions, each
with half of the files of two folders.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from bench.installation import start_server
from bench.service import wait_until_ranked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from submissions.models import Assignment, RankingPlan, Report

SEED = 5


class Steps(NamedTuple):
    """Processor seconds; `scores` and `passages` have those of each shard.

    `load` is what another worker needs before its first shard; `listing` ranks the pairs and cuts those that
    are listed into shards.
    """

    prepare: float
    load: float
    scores: list[float]
    listing: float
    passages: list[float]
    merge: float

    def seconds(self, workers: int) -> float:
        """Return the seconds that machines with one core each need; the first one has the class in memory."""
        scored = longest(self.scores, [0.0] + [self.load] * (workers - 1))
        aligned = longest(self.passages, [0.0] * workers)
        return self.prepare + scored + self.listing + aligned + self.merge


def longest(shards: Sequence[float], starts: Sequence[float]) -> float:
    """Return when the last shard ends where each worker begins at its start, and then takes one by one."""
    free = list(starts)
    for seconds in shards:
        free[free.index(min(free))] += seconds
    return max(free) if shards else 0.0


@contextmanager
def class_folder(folder: Path, mixed: int | None) -> Iterator[Path]:
    """Yield the folder itself, or one with so many submissions, each of half of the files of two folders."""
    if mixed is None:
        yield folder
        return
    folders, random = sorted(path for path in folder.iterdir() if path.is_dir()), Random(SEED)
    with tempfile.TemporaryDirectory(prefix="moss-mixed-") as scratch:
        for number in range(mixed):
            for source in random.sample(folders, 2):
                files = sorted(path for path in source.rglob("*") if path.is_file())
                for path in random.sample(files, len(files) // 2):
                    copy = Path(scratch, str(number), source.name, path.relative_to(source))
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, copy)
        yield Path(scratch)


def processor_seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def measure(assignment: Assignment) -> Steps:
    """Rank a class in shards, in this process, and return what each step takes."""
    from submissions.models import Job, RankingPlan  # noqa: PLC0415
    from submissions.reports import cohort as kept_cohorts  # noqa: PLC0415
    from submissions.uploads import lifecycle  # noqa: PLC0415 - Django is started first
    from submissions.work import jobs, running  # noqa: PLC0415

    def go_on() -> None:
        Job.objects.filter(kind="score_shard").delete()
        for job in Job.objects.filter(kind="rank", state=Job.State.PARTS):
            assert jobs.requeue_lost(job)
        running.run_here("rank", assignment.pk)

    report = lifecycle.enqueue_rank(assignment)
    prepare = processor_seconds(go_on)
    plan = RankingPlan.objects.get(report=report)
    kept_cohorts.forget()
    load = processor_seconds(lambda: kept_cohorts.planned(plan))
    scores = _shards(plan, "scores")
    listing = processor_seconds(go_on)
    passages = _shards(plan, "passages")
    merge = processor_seconds(go_on)
    _check_is_done(report)
    return Steps(prepare, load, scores, listing, passages, merge)


def _shards(plan: RankingPlan, kind: str) -> list[float]:
    from submissions.reports.shards import compute  # noqa: PLC0415 - Django is started first

    shards = list(plan.shards.filter(kind=kind).order_by("number").select_related("plan__report__assignment"))
    return [processor_seconds(lambda shard=shard: compute(shard)) for shard in shards]  # type: ignore[misc]


def _check_is_done(report: Report) -> None:
    report.refresh_from_db()
    if report.state != "done":
        raise RuntimeError(f"The ranking ended as {report.state}: {report.message}")


def run(folder: Path, home: Path) -> Steps:
    """Upload a class to a new installation, stop its server, and measure."""
    server = start_server(home)
    try:
        from bench.service_uploads import upload  # noqa: PLC0415 - starts Django, in the home of the server

        batch = upload("class", sorted(folder.iterdir()))
        wait_until_ranked(batch)
    finally:
        server.terminate()
        server.wait(60)
    return measure(batch.assignment)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder with a folder for each submission")
    parser.add_argument("--mixed", type=int, help="number of submissions, each of two folders")
    chosen = parser.parse_args(arguments)
    with class_folder(chosen.folder, chosen.mixed) as folder, tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch) / "home"
        os.environ["MOSS_HOME"] = str(home)
        print(report(run(folder, home)))


def report(steps: Steps) -> str:
    """Return the steps and what they add up to, one a line."""
    lines = [f"prepare {steps.prepare:.1f} s, load {steps.load:.1f} s"]
    for name, shards in (("score", steps.scores), ("align", steps.passages)):
        most = max(shards, default=0.0)
        lines.append(f"{name}: {sum(shards):.1f} s in {len(shards)} shards, the longest {most:.1f} s")
    lines.append(f"list {steps.listing:.1f} s, merge {steps.merge:.1f} s")
    one = steps.seconds(1)
    for workers in (1, 2, 4):
        seconds = steps.seconds(workers)
        lines.append(f"{workers} machines with one core: {seconds:.1f} s, {one / seconds:.2f} times")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
