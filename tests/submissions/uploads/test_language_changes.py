"""The language of an assignment is changed later: the files that it affects are read again."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from moss.operations import maintenance
from submissions.models import Assignment, Batch, Document, Job, LanguageChange, Report, SubmissionFile
from submissions.uploads import rereading as comparisons
from submissions.uploads.change import create_batch, rerank
from submissions.work import jobs
from submissions.work.jobs import TASKS
from submissions.work.running import SENDING
from tests.conftest import wait_until
from tests.submissions.work.test_tasks import SLOW, upload, wait_for
from tests.support.jobs import let_time_pass, work_off
from tests.support.processes import kill, pool_children
from tests.support.sample_class import CLASS, COPIED, RENAMED, loose, zipped
from tests.support.uploads import Committing, HandIn, register_boilerplate

ChangeLanguage = Callable[[str], LanguageChange]

pytestmark = pytest.mark.usefixtures("empty_queues")

COUNT = """
class Count {
    int count(int[] all) { int n = 0; for (int x : all) { if (x > 3) { n += x; } } return n; }
}
"""
BOTH = {
    **CLASS,
    "ada/Count.java": COUNT,
    "ben/Count.java": COUNT.replace("all", "list"),
    "ada/README.md": "How to count.\n" * 20,
}


@pytest.fixture
def change_language(assignment: Assignment, alice: User, eager_tasks: None, committing: Committing) -> ChangeLanguage:
    """Return a function that changes the language and returns the change once its tasks have ended."""

    def change(language: str) -> LanguageChange:
        with committing(execute=True):
            changed = comparisons.change_language(assignment, alice, language)
        changed.refresh_from_db()
        return changed

    return change


def readings(assignment: Assignment) -> dict[str, tuple[str, str]]:
    """Return the language and the state of the document of each file."""
    files = SubmissionFile.objects.filter(submission__batch__assignment=assignment)
    rows = files.values_list("submission__name", "path", "document__language", "document__state")
    return {f"{name}/{path}": (language, state) for name, path, language, state in rows}


def wait_for_change(change: LanguageChange) -> LanguageChange:
    def is_over() -> bool:
        change.refresh_from_db()
        waiting = Report.objects.filter(assignment=change.assignment_id, state__in=Report.UNFINISHED)
        return not change.is_running and not waiting.exists()

    wait_until(is_over, what=f"change {change}")
    return change


def matched_files(assignment: Assignment) -> set[str]:
    report = assignment.reports.get(state="done")
    keys = {
        key for pair in report.pairs.all() for passage in pair.passages
        for key in (passage.left_file, passage.right_file)
    }  # fmt: skip
    return set(SubmissionFile.objects.filter(pk__in=keys).values_list("path", flat=True))


@pytest.mark.long
def test_files_of_other_languages_are_no_longer_compared_and_come_back(
    hand_in: HandIn, assignment: Assignment, change_language: ChangeLanguage
) -> None:
    hand_in(zipped(BOTH))
    before = readings(assignment)
    assert before["ada/README.md"] == ("text", "kept")
    SubmissionFile.objects.update(detected="")  # A language that was not stored is found out.
    change = change_language("java")
    assert (change.state, change.before, change.after) == ("done", "", "java")
    assert not SubmissionFile.objects.filter(detected="").exists()
    after, reports = readings(assignment), assignment.reports.count()
    assert after["ada/Count.java"] == after["ben/Count.java"] == ("java", "ready")
    assert after["ada/main.py"] == after["ben/main.py"] == ("python", "kept")
    # Cleo has no file in Java: hers do not tell their language, so all of them are read in it.
    assert after["cleo/main.py"] == ("java", "ready")
    assert matched_files(assignment) == {"Count.java"}
    for kind in ("change_language", "read_again"):
        jobs.enqueue(kind, change.pk)
        work_off(kind)  # a second time
    assert (readings(assignment), assignment.reports.count()) == (after, reports)
    change_language("")
    assert readings(assignment) == before
    assert matched_files(assignment) == {"Count.java", "main.py"}
    assert not Document.objects.filter(files=None, boilerplate=None).exists()
    change_language("java")
    hand_in(zipped({"dan/main.py": RENAMED, "dan/Count.java": COUNT, "eve/Count.java": COUNT}))
    assert readings(assignment)["dan/main.py"] == ("python", "kept")


@pytest.mark.long
def test_only_files_that_are_read_otherwise_are_read_again(
    hand_in: HandIn, assignment: Assignment, change_language: ChangeLanguage
) -> None:
    hand_in(zipped(BOTH))
    stored = dict(SubmissionFile.objects.values_list("path", "document"))
    change = change_language("python")
    assert change.documents_total == 0
    assert SubmissionFile.objects.filter(path="main.py").values("document").distinct().count() == 3
    assert dict(SubmissionFile.objects.values_list("path", "document"))["main.py"] == stored["main.py"]
    assert readings(assignment)["ada/Count.java"] == ("java", "kept")


def test_earlier_work_and_boilerplate_are_read_again(
    hand_in: HandIn, assignment: Assignment, alice: User, change_language: ChangeLanguage,
    committing: Committing,
) -> None:  # fmt: skip
    calls = "".join(f"first({n})\nsecond(third, {n})\n" for n in range(20))  # of no language more than of others
    hand_in(zipped(CLASS))
    with committing(execute=True):
        create_batch(assignment, alice, [zipped({"old/main.py": COPIED})], role="earlier")
    with committing(execute=True):
        register_boilerplate(assignment, loose("a.py", calls), loose("a.js", calls))
    assert assignment.boilerplate.count() == 2
    change_language("ruby")
    assert {language for language, _ in readings(assignment).values()} == {"ruby"}
    assert len(readings(assignment)) == 4
    # Both files have the same bytes, and now also the same language: one is enough.
    assert [row.document.language for row in assignment.boilerplate.all()] == ["ruby"]


def test_the_report_stays_as_it_is_until_all_files_are_read(
    hand_in: HandIn, assignment: Assignment, change_language: ChangeLanguage, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(zipped(BOTH))
    before, report = readings(assignment), assignment.reports.get()
    with monkeypatch.context() as patched:
        patched.setattr(TASKS["read_again"], "apply_async", lambda *_, **__: None)  # the messages are lost
        change = change_language("ruby")
        assert (change.state, change.documents_total, change.documents_done) == ("reading", 6, 0)
        work_off("rank")
        rerank(assignment)  # somebody ranks again meanwhile
        work_off("rank")
    assert readings(assignment) == before
    assert matched_files(assignment) == {"Count.java", "main.py"}
    assert assignment.reports.exclude(pk=report.pk).exists()
    let_time_pass()
    maintenance.sweep()
    work_off("rank")
    change.refresh_from_db()
    assert (change.state, change.documents_done) == ("done", 6)
    assert {reading for path, reading in readings(assignment).items() if path.endswith(".py")} == {("ruby", "ready")}


def test_a_change_back_before_the_files_are_read_leaves_everything_as_it_was(
    hand_in: HandIn, assignment: Assignment, change_language: ChangeLanguage, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(zipped(BOTH))
    before, report = readings(assignment), assignment.reports.get()
    with monkeypatch.context() as patched:
        patched.setattr(TASKS["read_again"], "apply_async", lambda *_, **__: None)
        first = change_language("ruby")
    second = change_language("")
    first.refresh_from_db()
    assert (first.state, second.state) == ("cancelled", "done")
    assert readings(assignment) == before
    assert assignment.reports.get() == report
    assert not Document.objects.filter(language="ruby").exists()


# With a worker in a process of its own


def test_a_second_change_takes_the_place_of_one_that_goes_on(
    assignment: Assignment, alice: User, celery_worker_process: Path
) -> None:
    wait_for(upload(assignment, alice, BOTH | {"zoe/slow.py": SLOW}))
    first = comparisons.change_language(assignment, alice, "ruby")
    wait_until(lambda: Document.objects.filter(language="ruby").exists(), what="the first change")
    second = wait_for_change(comparisons.change_language(assignment, alice, "java"))
    first.refresh_from_db()
    assert (first.state, second.state, second.changed_by) == ("cancelled", "done", alice)
    assert matched_files(assignment) == {"Count.java"}
    assert "ruby" not in {language for language, _ in readings(assignment).values()}
    assert Batch.objects.get().state == "done"


@pytest.mark.long
def test_a_change_whose_worker_is_killed_is_taken_up_again(
    assignment: Assignment, alice: User, celery_worker_process: Path
) -> None:
    files = BOTH | {f"s{n:03}/main.py": CLASS["cleo/main.py"] + f"\nx = {n}\n" for n in range(60)}
    wait_for(upload(assignment, alice, files))
    change = comparisons.change_language(assignment, alice, "ruby")

    def is_reading() -> bool:
        return Document.objects.filter(language="ruby", state="ready").count() > 3

    wait_until(is_reading, what="the first files")
    kill(pool_children(celery_worker_process))
    wait_until(lambda: Document.objects.filter(language="ruby").exists(), what="the database")

    def is_swept() -> bool:
        Job.objects.update(touched=timezone.now() - 2 * SENDING)
        maintenance.sweep()
        change.refresh_from_db()
        return not change.is_running

    wait_until(is_swept, what="the change to be taken up")
    assert wait_for_change(change).state == "done"
    assert set(readings(assignment).values()) == {("ruby", "ready")}
    assert assignment.reports.get(state="done").submissions.count() == 63
