"""Times of commits on pages, in documents and tables and by the API; the planted times are known."""

import csv
import io
import json
from datetime import UTC, datetime
from zipfile import ZipFile
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from submissions.cases.case_list import cases
from submissions.cases.change import DecisionInput, decide
from submissions.cases.read import PairNames
from submissions.core.models import Commits
from submissions.models import Membership, Report, Submission
from submissions.pages.filters import days_between
from submissions.pages.rendered import RENDERED
from submissions.reports.change import choose_threshold
from submissions.students.exporting import write_export
from submissions.students.scope import scope
from tests.submissions.intake.test_commit_log import line
from tests.support.api import api_client, send
from tests.support.archives import zipped
from tests.support.checking.findings import contradictions
from tests.support.html import get_page, page_of
from tests.support.sample_class import CLASS
from tests.support.uploads import HandIn

COMMITTED = {
    "ada": [datetime(2026, 5, day, 12, tzinfo=UTC) for day in (3, 5, 5, 9)],
    "ben": [datetime(2026, 5, 11, 9, 30, tzinfo=UTC)],
}
SENTENCE = "Commits of ada: 3 to 9 May 2026 (4); of ben: 11 May 2026 (1). Anybody can set the times of commits."


@pytest.fixture
def report(hand_in: HandIn) -> Report:
    """Return the report on a class of which two handed in their `.git`, with a log and a secret message."""
    logs = {
        f"{name}/.git/logs/HEAD": b"".join(
            line(int(one.timestamp()), "commit: secret words", "Secret <s@p>") for one in times
        )
        for name, times in COMMITTED.items()
    }
    work = {path: source.encode() for path, source in CLASS.items()}
    batch = hand_in(SimpleUploadedFile("class.zip", zipped(work | logs)))
    return Report.objects.get(assignment=batch.assignment)


def ids(report: Report, *names: str) -> list[int]:
    return [report.submissions.get(name=name).pk for name in names]


def test_a_pair_and_a_case_say_when_the_commits_were_made_unless_there_are_none(
    alice: User, alice_client: Client, report: Report
) -> None:
    choose_threshold(report.assignment, alice, 20)
    case = next(one for one in cases(report) if {"ada", "ben"} <= set(one.names))
    pair = ids(report, "ada", "ben")
    for page in ("pair", "lines", "export_pair", "case", "export_case"):
        keys = [case.key] if "case" in page else pair
        query = {"format": "html", "names": "open"} if "export" in page else {}
        answer = alice_client.get(reverse(page, args=[report.assignment_id, *keys]), query)
        assert page_of(answer).text("body").count(SENTENCE) == 1, page
    Submission.objects.update(commits=None)
    RENDERED.clear()
    page_without = get_page(alice_client, reverse("pair", args=[report.assignment_id, *pair]))
    assert "ommits" not in page_without.text("body")


def test_a_suspicion_by_hand_and_a_submission_say_when_the_known_commits_were_made(
    alice: User, alice_client: Client, report: Report
) -> None:
    alone = "Commits of ada: 3 to 9 May 2026 (4). Anybody can set the times of commits."
    ada, cleo = ids(report, "ada", "cleo")
    page = get_page(alice_client, reverse("submission", args=[report.assignment_id, ada]))
    assert alone in page.text("body")
    report.pairs.filter(left=ada, right=cleo).delete()
    decide(report.assignment, PairNames("ada", "cleo", ada, cleo), alice, DecisionInput("suspicious", None, None))
    address = reverse("export_pair", args=[report.assignment_id, ada, cleo])
    printed = page_of(alice_client.get(address, {"format": "html", "names": "open"})).text("body")
    assert "entered by hand" in printed
    assert printed.count(alone) == 1


def test_the_copy_of_a_student_hides_commits_of_others(alice_client: Client, report: Report) -> None:
    ada, ben = ids(report, "ada", "ben")
    address = reverse("export_pair", args=[report.assignment_id, ada, ben])
    text = page_of(alice_client.get(address, {"format": "html", "names": str(ben)})).text("body")
    assert "Copy for ben" in text
    assert "ommits" not in text


def test_the_table_the_api_and_the_export_of_a_student_have_the_times(
    alice: User, bob: User, alice_client: Client, report: Report
) -> None:
    answer = alice_client.get(reverse("table", args=[report.assignment_id, "submissions", "csv"]))
    table = csv.DictReader(io.StringIO(answer.getvalue().decode("utf-8-sig")))
    rows = {row["submission"]: row for row in table}
    for name, times in COMMITTED.items():
        cells = tuple(rows[name][column] for column in ("first_commit", "last_commit", "commits"))
        assert cells == (min(times).isoformat(), max(times).isoformat(), str(len(times)))
    assert rows["cleo"]["commits"] == ""
    Membership.objects.create(course=report.assignment.course, user=bob, role="observer")
    path = f"/assignments/{report.assignment_id}/submissions"
    items = {one["name"]: one["commits"] for one in send(api_client(alice), "get", path).json()["items"]}
    assert items["ada"] == {"first": "2026-05-03T12:00:00Z", "last": "2026-05-09T12:00:00Z", "number": 4}
    assert items["cleo"] is None
    hidden = send(api_client(bob), "get", path).json()["items"]
    assert [one["commits"] for one in hidden] == [None] * 3
    out = io.BytesIO()
    write_export(scope("ada"), out)
    with ZipFile(out) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    [row] = json.loads(texts["data.json"])["submissions.Submission"]
    first, last = (int(COMMITTED["ada"][at].timestamp()) for at in (0, -1))
    assert row["commits"] == Commits(first=first, last=last, number=4).model_dump()
    assert "ecret" not in "".join(texts.values())


@pytest.mark.parametrize("wrong", [{"first": 9, "last": 1, "number": 2}, {"first": 1, "last": 9, "number": 0}])
def test_the_self_check_finds_times_that_cannot_be(report: Report, wrong: dict[str, int]) -> None:
    assert not list(contradictions(report))
    Submission.objects.filter(name="ada").update(commits=Commits(**wrong))
    assert len(list(contradictions(report))) == 1


@pytest.mark.parametrize(
    ("last", "english", "german", "spanish"),
    [
        ((2026, 5, 3), "3 May 2026", "3. Mai 2026", "3 de mayo de 2026"),
        ((2026, 5, 9), "3 to 9 May 2026", "3. bis 9. Mai 2026", "3 a 9 de mayo de 2026"),
        (
            (2026, 6, 9), "3 May to 9 June 2026", "3. Mai bis 9. Juni 2026",
            "3 de mayo a 9 de junio de 2026",
        ),
        (
            (2027, 1, 1), "3 May 2026 to 1 January 2027", "3. Mai 2026 bis 1. Januar 2027",
            "3 de mayo de 2026 a 1 de enero de 2027",
        ),
    ],
)  # fmt: skip
def test_days_are_written_once(last: tuple[int, int, int], english: str, german: str, spanish: str) -> None:
    for language, expected in (("en", english), ("de", german), ("es", spanish)):
        with translation.override(language):
            days = days_between(datetime(2026, 5, 3, tzinfo=UTC), datetime(*last, 23, tzinfo=UTC))
            assert days == expected


def test_days_are_those_of_the_zone_of_the_server() -> None:
    late = [datetime(2026, 5, day, 23, tzinfo=UTC) for day in (3, 4)]
    with timezone.override(ZoneInfo("Europe/Berlin")):
        assert [days_between(one, one) for one in late] == ["4 May 2026", "5 May 2026"]
