"""A class whose ranking is planned in shards."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from submissions.models import Assignment, Batch, Job, Pair, RankingPlan, RankingShard, Report
from submissions.reports.change import compare_with
from submissions.uploads import change as uploads
from submissions.uploads.change import create_batch
from submissions.work import jobs
from submissions.work.jobs import TASKS
from submissions.work.kinds import HEAVY
from tests.support.jobs import carry_out
from tests.support.judge import judge
from tests.support.kept_classes import stored
from tests.support.paths import ROOT
from tests.support.sample_class import CLASS, COPIED, HONEST, RENAMED, STARTER, zipped
from tests.support.uploads import Committing, HandIn

# One pair takes longer, by the estimate.
ONE_PAIR = 6e-6
# A dozen shards for `varied`, each of which is loaded by itself.
SOME_PAIRS = 6e-4
SOURCES = ROOT / "bench/translations/tuned/files/class"
MIXED = {
    "hal/Bank.java": "bank_original.java",
    "ida/bank.py": "bank_translated.py",
    "jon/bank.js": "bank_honest_b.js",
    "kim/bank.py": "bank_honest_a.py",
}
TEAM_OF_TWO = {"dan/m.py": COPIED + HONEST, "eve/m.py": HONEST + RENAMED}
FIGURES = [field.name for field in Pair._meta.concrete_fields if field.name not in {"id", "report", "left", "right"}]


def content(report: Report) -> dict[str, object]:
    """Return everything that a report says, to the digit."""
    report.refresh_from_db()
    assert report.state == "done"
    assert report.findings
    return {
        "pairs": list(report.pairs.order_by("pk").values_list("left__name", "right__name", *FIGURES)),
        "ignored": sorted(report.ignored.values_list("document", "spans")),
        "submissions": sorted(report.submissions.values_list("name", flat=True)),
        "duplicates": report.duplicates,
        "findings": report.findings,
        "parameters": report.parameters,
    }


@pytest.fixture
def rerank(
    assignment: Assignment, eager_tasks: None, django_capture_on_commit_callbacks: Committing
) -> Callable[[], Report]:
    """Return a function that ranks the assignment again, with all tasks in this process."""

    def rank() -> Report:
        with django_capture_on_commit_callbacks(execute=True):
            report = uploads.rerank(assignment)
        judge(assignment)
        return report

    return rank


@pytest.fixture
def varied(
    hand_in: HandIn, assignment: Assignment, alice: User, starter: Callable[[], None],
    django_capture_on_commit_callbacks: Committing,
) -> Assignment:  # fmt: skip
    """Return an assignment with boilerplate, a team, earlier and old work, and three languages."""

    def store() -> None:
        old = assignment.course.assignments.create(name="Lab")
        assignment.teams = "dan, eve"
        assignment.save()
        with django_capture_on_commit_callbacks(execute=True):
            create_batch(old, alice, [zipped({"gus/m.py": COPIED, "lea/m.py": STARTER + HONEST})])
            create_batch(assignment, alice, [zipped({"ada/m.py": RENAMED}, "lab.zip")], role="earlier")
            compare_with(assignment, [old], course=False)
        starter()
        mixed = {path: (SOURCES / name).read_text() for path, name in MIXED.items()}
        hand_in(zipped(CLASS | TEAM_OF_TWO | mixed))

    stored("a class of every kind", store)
    assignment.refresh_from_db()
    return assignment


@pytest.fixture
def plan(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Committing
) -> Callable[..., RankingPlan]:
    """Return a function that has a ranking planned whose messages to the shards are lost."""

    def start(assignment: Assignment, seconds: float = ONE_PAIR) -> RankingPlan:
        settings.SHARD_SECONDS = seconds
        with monkeypatch.context() as patch, django_capture_on_commit_callbacks(execute=True):
            patch.setattr(TASKS["score_shard"], "apply_async", lambda *_, **__: None)
            report = uploads.rerank(assignment)
        return RankingPlan.objects.get(report=report)

    return start


@pytest.fixture
def planned(batch: Batch, starter: Callable[[], None], plan: Callable[[Assignment], RankingPlan]) -> RankingPlan:
    """Return the plan of a ranking of three submissions with boilerplate, scored by nobody yet."""
    stored("three submissions with boilerplate", starter)
    return plan(batch.assignment)


def score(shard: RankingShard) -> None:
    """Have a shard computed, as a worker does, and what follows after the last one."""
    Job.objects.exclude(state="queued").filter(kind="score_shard", subject=shard.pk).delete()
    jobs.enqueue("score_shard", shard.pk, shard.plan.report.assignment_id, queue=HEAVY)
    carry_out("score_shard", shard.pk)


def score_all(plan: RankingPlan, committing: Committing) -> None:
    """Have all scores computed, from the last shard to the first; with eager tasks the rest follows."""
    with committing(execute=True):
        for shard in plan.shards.order_by("-number"):
            score(shard)
