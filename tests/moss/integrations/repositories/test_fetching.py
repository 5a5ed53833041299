"""Lists of repositories: read, fetched by the real job, and shown on pages and by the API."""

import json
import logging
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from moss.integrations.repositories import change as actions, fetching
from moss.integrations.repositories.change import cancel, retry_failed, start_due, start_fetch, take_off
from moss.integrations.repositories.git import BadList, GitMissing, Listed, parse
from moss.integrations.repositories.models import RepositoryFetch
from submissions.core.models import Commits
from submissions.models import Assignment, Batch, Job, Report
from submissions.work import jobs
from tests.moss.integrations.repositories.test_snapshots import CODE, at
from tests.support.git_server import HOUR, START, GitServer, hand_in
from tests.support.html import get_page
from tests.support.jobs import carry_out

KIND = "fetch_repositories"


State = RepositoryFetch.State


@pytest.fixture
def two(git_server: GitServer) -> str:
    """Return a list of two repositories, and one that there is not."""
    for name in ("anna", "ben"):
        hand_in(git_server.repository(name), {"main.py": CODE + f"# {name}\n".encode()})
    return f"Anna Berg,{git_server.url('anna')}\nBen Ito,{git_server.url('ben')}\nEve,{git_server.url('eve')}\n"


def begin(assignment: Assignment, text: str, **options: object) -> RepositoryFetch:
    return start_fetch(assignment, assignment.course.owner, parse(text), **options)  # type: ignore[arg-type]


def end(fetch: RepositoryFetch) -> RepositoryFetch:
    carry_out(KIND, fetch.pk)
    fetch.refresh_from_db()
    return fetch


def test_each_repository_becomes_a_submission_and_a_failed_one_is_named(
    assignment: Assignment, two: str, eager_tasks: None, django_capture_on_commit_callbacks: object
) -> None:
    fetch = begin(assignment, two)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        end(fetch)
    assert (fetch.state, fetch.token) == ("done", "")
    batch = Batch.objects.get()
    assert fetch.batch == batch
    assert sorted(batch.submissions.values_list("name", flat=True)) == ["Anna Berg", "Ben Ito"]
    assert set(batch.submissions.values_list("handed_in", flat=True)) == {at(0)}
    assert Report.objects.get().state == "done"
    failed = fetch.repositories.get(state="failed")
    assert (failed.student, failed.reason) == (
        "Eve",
        "There is no such repository, or the token may not read it.",
    )
    assert not fetch.repositories.exclude(data=None).exists()


def test_a_template_becomes_boilerplate_in_one_step(
    assignment: Assignment,
    git_server: GitServer,
    alice_client: Client,
    eager_tasks: None,
    django_capture_on_commit_callbacks: object,
) -> None:
    hand_in(git_server.repository("template"), {"main.py": CODE, "README.md": b"Do it.\n"})
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        fetch = end(begin(assignment, git_server.url("template"), role="starter"))
    assert (fetch.state, Batch.objects.count()) == ("done", 0)
    names = assignment.boilerplate.order_by("name").values_list("name", flat=True)
    assert [name.rpartition("/")[2] for name in names] == ["README.md", "main.py"]
    page = get_page(alice_client, reverse("repository_fetch", args=[assignment.pk, fetch.pk]))
    assert "The files of the repositories were uploaded as boilerplate." in page.text("main")


@pytest.mark.parametrize("time", ["-86400", "yesterday", "99999999999999999999", "253402300799"])
def test_a_commit_of_an_impossible_time_fails_alone(
    assignment: Assignment, two: str, git_server: GitServer, time: str
) -> None:
    hand_in(git_server.repository("eve"), {"main.py": CODE}, time=time)
    fetch = end(begin(assignment, two))
    assert (fetch.state, Batch.objects.count()) == ("done", 1)
    failed = fetch.repositories.get(state="failed")
    assert (failed.student, failed.reason) == ("Eve", "The time of its commit is not valid.")


def test_the_due_date_of_the_assignment_decides_which_commit_counts(
    assignment: Assignment, git_server: GitServer
) -> None:
    repository = git_server.repository("anna")
    first = hand_in(repository, {"main.py": CODE})
    hand_in(repository, {"main.py": b"late\n"}, first, hours=2)
    assignment.due = at(1)
    assignment.save()
    fetch = end(begin(assignment, git_server.url("anna")))
    assert fetch.repositories.get().fetched_commit == first


@pytest.mark.parametrize("due", [None, 1.5])
def test_the_commits_that_led_to_the_fetched_one_are_known(
    assignment: Assignment,
    git_server: GitServer,
    due: float | None,
    eager_tasks: None,
    django_capture_on_commit_callbacks: object,
) -> None:
    repository, last = git_server.repository("anna"), list[str]()
    for hours in range(3):
        last = [hand_in(repository, {"main.py": CODE * (hours + 1)}, *last, hours=hours)]
    assignment.due = at(due) if due else None
    assignment.save()
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        end(begin(assignment, git_server.url("anna")))
    number = 2 if due else 3
    commits = Batch.objects.get().submissions.get().commits
    assert commits == Commits(first=START, last=START + (number - 1) * HOUR, number=number)


def test_a_token_is_sealed_sent_to_its_host_and_forgotten(
    assignment: Assignment, git_server: GitServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    hand_in(git_server.repository("private/anna"), {"main.py": CODE})
    fetch = begin(assignment, git_server.url("private/anna"), token=git_server.token)
    with connection.cursor() as cursor:
        cursor.execute("SELECT token FROM repositories_repositoryfetch")
        (stored,) = cursor.fetchone()
    assert stored
    assert git_server.token not in stored
    assert end(fetch).state == "done"
    assert fetch.token == ""
    assert git_server.token not in caplog.text


def test_a_student_cannot_rename_others_by_a_file_of_their_own(
    assignment: Assignment,
    git_server: GitServer,
    eager_tasks: None,
    django_capture_on_commit_callbacks: object,
) -> None:
    hand_in(git_server.repository("anna"), {"main.py": CODE})
    fetch = begin(assignment, f"Anna,{git_server.url('anna')}\nEve,{git_server.url('eve')}")
    keys = list(fetch.repositories.values_list("pk", flat=True))
    record = f'{{"pushed-{keys[0]}": {{"name": "Somebody else", "identifier": "x"}}}}'.encode()
    hand_in(git_server.repository("eve"), {"main.py": CODE, "pushed-submissions.json": record})
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        end(fetch)
    assert set(Batch.objects.get().submissions.values_list("name", flat=True)) == {"Anna", "Eve"}


def test_nothing_fetched_is_a_failure_with_a_sentence(assignment: Assignment, git_server: GitServer) -> None:
    fetch = end(begin(assignment, git_server.url("nobody")))
    assert fetch.state == "failed"
    assert "No repository could be fetched" in fetch.message
    assert not Batch.objects.exists()


def test_a_cancelled_list_is_not_fetched(assignment: Assignment, two: str, git_server: GitServer) -> None:
    fetch = begin(assignment, two)
    assert cancel(fetch)
    assert end(fetch).state == "cancelled"
    assert not git_server.asked
    assert not Job.objects.filter(kind=KIND).exists()
    assert not cancel(fetch)


def test_what_failed_is_fetched_again_alone(
    assignment: Assignment, two: str, git_server: GitServer, alice: User
) -> None:
    fetch = end(begin(assignment, two))
    hand_in(git_server.repository("eve"), {"main.py": CODE})
    again = retry_failed(fetch, alice)
    assert again is not None
    assert end(again).state == "done"
    assert [row.student for row in again.repositories.all()] == ["Eve"]
    assert retry_failed(again, alice) is None


def test_a_silent_host_is_tried_again_later_and_holds_up_no_other(
    assignment: Assignment, git_server: GitServer, two: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A port at which nobody listens.
    text = f"Zoe,http://127.0.0.1:9/zoe\n{two}"
    fetch = begin(assignment, text)
    for attempt in range(fetching.ATTEMPTS):
        fetch.repositories.filter(tried__isnull=False).update(tried=timezone.now() - timedelta(hours=1))
        if attempt < fetching.ATTEMPTS - 1:
            with pytest.raises(jobs.Later):
                fetching.fetch_repositories(Job.objects.get(kind=KIND))
            assert fetch.repositories.filter(state="fetched").count() == 2
    assert end(fetch).state == "done"
    assert fetch.repositories.get(student="Zoe").reason == "Its host does not answer."


def test_a_job_goes_on_where_a_lost_one_ended(assignment: Assignment, two: str, git_server: GitServer) -> None:
    fetch = begin(assignment, two)
    fetching._fetch_one(fetch, fetch.repositories.all()[0])
    asked = len(git_server.asked)
    assert asked
    assert end(fetch).state == "done"
    assert not any("anna" in path for path, _credentials in git_server.asked[asked:])


def test_a_long_list_lets_others_work(assignment: Assignment, two: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "SLICE_SECONDS", 0)
    begin(assignment, two)
    with pytest.raises(jobs.Again):
        fetching.fetch_repositories(Job.objects.get(kind=KIND))


def test_without_git_the_list_fails_with_what_to_do(
    assignment: Assignment, two: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(assignment, two)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(jobs.Refused, match="apt install git") as refused:
        fetching.fetch_repositories(Job.objects.get(kind=KIND))
    assert isinstance(refused.value.__cause__, GitMissing)


def plan(assignment: Assignment, text: str, hours: float, later: int = 0) -> RepositoryFetch:
    """Have a list fetched that is fetched again `later` hours after the due date, `hours` from now."""
    assignment.due = timezone.now() + timedelta(hours=hours)
    assignment.save()
    return end(begin(assignment, text, again_after_due=True, hours_after_due=later, token="secret"))


def pass_due(assignment: Assignment) -> None:
    assignment.due = timezone.now() - timedelta(seconds=1)
    assignment.save()


def test_a_planned_list_is_fetched_again_once_when_the_due_date_has_passed(
    assignment: Assignment, two: str, git_server: GitServer
) -> None:
    fetch = plan(assignment, two, hours=1)
    start_due()
    assert RepositoryFetch.objects.count() == 1
    hand_in(git_server.repository("eve"), {"main.py": CODE})
    pass_due(assignment)
    start_due()
    start_due()
    again = RepositoryFetch.objects.exclude(pk=fetch.pk).get()
    assert (again.again_after_due, again.token) == (False, "secret")
    fetch.refresh_from_db()
    assert (fetch.again_after_due, fetch.token) == (False, "")
    assert end(again).state == "done"
    assert again.repositories.filter(state="fetched").count() == 3
    assert again.token == ""


def test_it_is_fetched_again_the_hours_after_the_due_date_that_were_asked_for(
    assignment: Assignment, two: str, git_server: GitServer
) -> None:
    plan(assignment, two, hours=1, later=48)
    hand_in(git_server.repository("eve"), {"main.py": CODE})
    for passed, count in ((47.9, 1), (48.1, 2), (100, 2)):
        assignment.due = timezone.now() - timedelta(hours=passed)
        assignment.save()
        start_due()
        assert RepositoryFetch.objects.count() == count, passed


def test_a_list_without_a_due_date_any_more_is_not_fetched_again(assignment: Assignment, two: str) -> None:
    fetch = plan(assignment, two, hours=1, later=1)
    assignment.due = None
    assignment.save()
    start_due()
    assert RepositoryFetch.objects.count() == 1
    assert RepositoryFetch.objects.get(pk=fetch.pk).fetched_again is None


def test_what_was_planned_can_be_taken_off(assignment: Assignment, two: str) -> None:
    fetch = plan(assignment, two, hours=1)
    assert take_off(assignment)
    fetch.refresh_from_db()
    assert (fetch.again_after_due, fetch.token) == (False, "")
    pass_due(assignment)
    start_due()
    assert RepositoryFetch.objects.count() == 1
    assert not take_off(assignment)


def test_a_start_that_is_interrupted_is_made_up_for(
    assignment: Assignment, two: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan(assignment, two, hours=1)
    pass_due(assignment)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(actions, "_copy", stop)
        with pytest.raises(KeyboardInterrupt):
            start_due()
    assert RepositoryFetch.objects.filter(again_after_due=True).count() == RepositoryFetch.objects.count() == 1
    start_due()
    assert RepositoryFetch.objects.count() == 2


HOST = "https://git.example.org"


COMMIT = "0123456789abcdef" * 2 + "01234567"


def test_a_line_has_student_address_branch_and_commit() -> None:
    first = f'"Berg, Anna",{HOST}/a/lab.git/,main,{COMMIT.upper()}'
    text = f"\ufeffStudent,Address,Branch,Commit\n{first}\n\nBen,{HOST}/b\n"
    assert parse(text) == [
        Listed("Berg, Anna", f"{HOST}/a/lab.git", "main", COMMIT),
        Listed("Ben", f"{HOST}/b"),
    ]


def test_a_repository_without_a_student_has_its_own_name_or_that_of_its_owner_too() -> None:
    text = f"{HOST}/anna/lab\n{HOST}/ben/lab.git,main\n{HOST}/course/zoe-lab"
    assert [one.student for one in parse(text)] == ["anna lab", "ben lab", "zoe-lab"]


CLASSROOM = (
    "assignment_name,assignment_url,starter_code_url,github_username,roster_identifier,student_repository_name,"
    "student_repository_url,submission_timestamp,points_awarded,points_available"
)


def test_the_grades_of_github_classroom_are_a_list() -> None:
    lab, of_lab = f"lab,{HOST}/c,{HOST}/start", "2026-11-02 10:00:00 UTC,10,10"
    students = ('anna7,"Berg, Anna"', "anna"), ("ben,", "ben"), ("cleo,Cleo", "team"), ("dan,Dan", "team")
    rows = [f"{lab},{one},lab-{name},{HOST}/c/lab-{name},{of_lab}\n" for one, name in students]
    assert parse(f"{CLASSROOM}\n{''.join(rows)}{lab},eve,Eve,,,,,\n\u00a0\n") == [
        Listed("Berg, Anna", f"{HOST}/c/lab-anna"),
        Listed("ben", f"{HOST}/c/lab-ben"),
        Listed("Cleo, Dan", f"{HOST}/c/lab-team"),
    ]


def test_with_a_header_of_other_words_branch_and_commit_count_by_their_place() -> None:
    text = f"Student,Address,Branch name,Commit id\nAnna,{HOST}/a,dev,{COMMIT}\n"
    assert parse(text) == [Listed("Anna", f"{HOST}/a", "dev", COMMIT)]


def test_answers_of_github_classroom_and_of_gitlab_groups_are_lists() -> None:
    logins = ["anna", "ben"], ["zoe"]
    accepted = [
        {
            "id": number,
            "students": [{"id": 7, "login": login, "html_url": f"{HOST}/{login}"} for login in team],
            "repository": {
                "full_name": f"c/lab-{number}",
                "html_url": f"{HOST}/c/lab-{number}",
                "default_branch": "main",
            },
            "assignment": {"title": "Lab"},
        }
        for number, team in enumerate(logins)
    ]
    assert parse(json.dumps(accepted)) == [Listed("anna, ben", f"{HOST}/c/lab-0"), Listed("zoe", f"{HOST}/c/lab-1")]
    projects = [{"name": "Lab", "http_url_to_repo": f"{HOST}/{name}/lab.git", "ssh_url_to_repo": "x"} for name in "ab"]
    assert parse(json.dumps(projects)) == [Listed("a lab", f"{HOST}/a/lab.git"), Listed("b lab", f"{HOST}/b/lab.git")]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 100_000, "The list is no JSON"),
        ("[{]", "The list is no JSON"),
        ("[]", "List 1 to 2000"),
        ('{"message": "Bad credentials"}', "Repository 1: the address must"),
        ('[3, {"html_url": 4, "students": 5}]', "Repository 1: the address must"),
        (f'[{{"html_url": "{HOST}/a/b", "students": [6, {{"login": 7}}]}}, null]', "Repository 2: the address must"),
    ],
)
def test_what_is_no_answer_with_repositories_is_refused_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(BadList, match=problem):
        parse(text)


@pytest.mark.parametrize("separator", [";", "\t"])
def test_other_separators_of_spreadsheets_are_taken(separator: str) -> None:
    assert parse(f"Anna{separator}{HOST}/a{separator}main") == [Listed("Anna", f"{HOST}/a", "main")]


@pytest.mark.parametrize(
    ("text", "entries", "problem"),
    [
        (
            f"Ben,{HOST}/b\nAnna,{{}}",
            [
                "file:///etc/passwd", "ssh://git@example.org/a", "git://example.org/a", "ext::sh -c id",
                "git@example.org:a", "--upload-pack=id", "https://anna:secret@example.org/a", "https://example.org",
                "https://example.org/a?b=c", "https://example.org/a b", "https://exämple.org/a",
                "https://example.org/" + "a" * 500,
            ],
            "Line 2: the address must",
        ),
        (f"Anna,{HOST}/a,{{}}", ["-x", "a..b", "a b", "a~1", "a:b", "a*"], "Line 1: that is no name of a branch"),
        (f"Anna,{HOST}/a,main,{{}}", ["HEAD", "abc", "--all", "g" * 40], "Line 1: a commit is 40 or 64"),
        (f"Anna,{HOST}/a\nBen,{HOST}/b\n{{}}", [f"Anna,{HOST}/c"], "Line 1 and Line 3 are of the same student"),
        ("{}", ["", "\n\n", "student,address\n"], "List 1 to 2000 repositories"),
    ],
    ids=["addresses", "branches", "commits", "a student twice", "nothing"],
)  # fmt: skip
def test_what_git_could_misread_and_what_is_no_list_is_refused_with_its_line(
    text: str, entries: list[str], problem: str
) -> None:
    for entry in entries:
        with pytest.raises(BadList, match=problem):
            parse(text.format(entry))
