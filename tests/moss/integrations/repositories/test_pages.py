"""The pages of repositories, and the same by the API."""

import ast
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from moss.integrations import repositories
from moss.integrations.repositories.git import WITH_FIGURES
from moss.integrations.repositories.models import RepositoryFetch
from moss.integrations.repositories.views import reason_text
from submissions.models import Assignment, Batch
from tests.moss.integrations.repositories.test_fetching import end, two
from tests.support.api import api_client, problem_of, send
from tests.support.git_server import GitServer, hand_in
from tests.support.html import get_page
from tests.support.translations import LANGUAGES

__all__ = ["two"]  # a fixture


@pytest.fixture
def address(assignment: Assignment) -> str:
    return reverse("repositories", args=[assignment.pk])


def due_tomorrow(assignment: Assignment) -> None:
    assignment.due = timezone.now() + timedelta(days=1)
    assignment.save()


def test_a_list_is_fetched_from_the_page(alice_client: Client, address: str, two: str) -> None:
    answer = alice_client.post(address, {"repositories": two})
    assert answer.status_code == 302
    list_address = answer.headers["Location"]
    assert "0 of 3 repositories are done" in get_page(alice_client, list_address).text("main")
    fetch = end(RepositoryFetch.objects.get())
    page = get_page(alice_client, list_address)
    assert page.texts("section[aria-labelledby=failed-heading] tbody th") == ["Eve"]
    assert "There is no such repository" in page.text("section[aria-labelledby=failed-heading]")
    assert page.texts("section[aria-labelledby=fetched-heading] tbody th") == ["Anna Berg", "Ben Ito"]
    assert fetch.batch is not None
    assert page.has(f"a[href='{fetch.batch.get_absolute_url()}']")
    assert list_address in alice_client.get(address).content.decode()


def test_what_failed_is_fetched_again_by_a_button(
    alice_client: Client, address: str, two: str, git_server: GitServer
) -> None:
    list_address = alice_client.post(address, {"repositories": two}).headers["Location"]
    end(RepositoryFetch.objects.get())
    hand_in(git_server.repository("eve"), {"main.py": b"x = 1\n"})
    form = get_page(alice_client, list_address).one("section[aria-labelledby=failed-heading] form")
    alice_client.post(str(form.attributes["action"]))
    end(RepositoryFetch.objects.first())  # type: ignore[arg-type]
    assert Batch.objects.count() == 2


def test_a_bad_list_is_shown_again_with_the_line_and_without_the_token(alice_client: Client, address: str) -> None:
    answer = alice_client.post(address, {"repositories": "Anna,ssh://x", "token": "secret-token"})
    assert answer.status_code == 422
    assert "Line 1: the address must" in answer.content.decode()
    assert "secret-token" not in answer.content.decode()
    assert not RepositoryFetch.objects.exists()


def test_a_token_is_for_one_host(alice_client: Client, address: str) -> None:
    text = "https://one.example.org/a\nhttps://two.example.org/b"
    answer = alice_client.post(address, {"repositories": text, "token": "secret"})
    assert "A token is for one host" in answer.content.decode()
    assert not RepositoryFetch.objects.exists()


def test_http_is_refused_where_no_network_is_listed(alice_client: Client, address: str, settings: object) -> None:
    settings.GIT_NETWORKS = []  # type: ignore[attr-defined]
    answer = alice_client.post(address, {"repositories": "http://git.example.org/a"})
    assert "must begin with https://" in answer.content.decode()


def test_without_git_the_page_says_what_to_do(
    alice_client: Client, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    answer = alice_client.post(address, {"repositories": "https://git.example.org/a"})
    assert "apt install git" in answer.content.decode()


def test_fetching_again_needs_a_due_date_is_shown_and_can_be_taken_off(
    alice_client: Client, address: str, assignment: Assignment, two: str
) -> None:
    body = {"repositories": two, "again_after_due": "on"}
    assert "has no due date" in alice_client.post(address, body).content.decode()
    due_tomorrow(assignment)
    alice_client.post(address, body)
    end(RepositoryFetch.objects.get())
    text = "The repositories are fetched again and compared when the due date has passed"
    assert text in get_page(alice_client, assignment.get_absolute_url()).text("main")
    alice_client.post(reverse("repositories_not_again", args=[assignment.pk]))
    assert text not in get_page(alice_client, assignment.get_absolute_url()).text("main")


def test_the_due_date_and_the_hours_after_it_are_shown_and_bounded(
    alice_client: Client, alice: User, address: str, assignment: Assignment, two: str
) -> None:
    assert "Without a due date" in get_page(alice_client, address).text("p.lead")
    assignment.due = datetime(2030, 1, 1, 12, tzinfo=UTC)
    assignment.save()
    assert "Due: 1 Jan 2030, 12:00 UTC." in get_page(alice_client, address).text("p.lead")
    body, path = {"repositories": two, "again_after_due": "on"}, f"/assignments/{assignment.pk}/repositories"
    for hours in ("-1", "721", "x", "1" * 5000):
        assert alice_client.post(address, body | {"hours_after_due": hours}).status_code == 422, hours
    untick = alice_client.post(address, {"repositories": two, "hours_after_due": "5"})
    assert "Tick that, or wait no hours" in untick.content.decode()
    for wrong in (-1, 721, 10**40, 1.5, "5", None):
        answer = send(api_client(alice), "post", path, body | {"again_after_due": True, "hours_after_due": wrong})
        assert "hours_after_due" in problem_of(answer)["errors"][0]["field"], wrong
    assert not RepositoryFetch.objects.exists()
    assert alice_client.post(address, body | {"hours_after_due": "720"}).status_code == 302
    end(RepositoryFetch.objects.get())
    assert "31 Jan 2030, 12:00 UTC" in get_page(alice_client, assignment.get_absolute_url()).text("main")
    assert send(api_client(alice), "get", path).json()["items"][0]["hours_after_due"] == 720


def test_the_api_fetches_a_list_and_names_what_failed(
    alice: User, assignment: Assignment, two: str, git_server: GitServer
) -> None:
    client, path = api_client(alice), f"/assignments/{assignment.pk}/repositories"
    due_tomorrow(assignment)
    body = {"repositories": two, "token": git_server.token, "again_after_due": True}
    begun = send(client, "post", path, body)
    assert begun.status_code == 202
    assert (begun.json()["state"], begun.json()["total"]) == ("fetching", 3)
    fetch = end(RepositoryFetch.objects.get())
    answer = send(client, "get", f"{path}/{fetch.pk}").json()
    assert (answer["state"], answer["done"], answer["upload"]) == ("done", 3, Batch.objects.get().pk)
    assert [one["state"] for one in answer["repositories"]] == ["fetched", "fetched", "failed"]
    assert git_server.token not in str(answer)
    assert send(client, "get", path).json()["items"][0]["again_after_due"] is True
    assert send(client, "patch", path, {"again_after_due": False}).status_code == 204
    assert send(client, "get", path).json()["items"][0]["again_after_due"] is False
    retried = send(client, "post", f"{path}/{fetch.pk}/retry", {})
    assert (retried.status_code, retried.json()["total"]) == (202, 1)
    cancelled = send(client, "post", f"{path}/{retried.json()['id']}/cancel", {})
    assert cancelled.json()["state"] == "cancelled"


def test_the_api_refuses_what_the_page_refuses(alice: User, assignment: Assignment) -> None:
    path = f"/assignments/{assignment.pk}/repositories"
    answer = send(api_client(alice), "post", path, {"repositories": "file:///etc/passwd"})
    assert answer.status_code == 422
    assert "Line 1" in problem_of(answer)["detail"]


def failures() -> Iterator[ast.expr]:
    """Yield what each error of fetching is made with."""
    for path in Path(repositories.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "GitFailed":
                yield node.args[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_with_a_figure_is_in_the_language_of_the_page(language: str) -> None:
    assert not [ast.unparse(one) for one in failures() if isinstance(one, ast.JoinedStr)]
    reasons = [one.format(size="5 MB", n="20,000", status=418) for one in WITH_FIGURES]
    with translation.override(language):
        assert not [one for one in reasons if reason_text(one) == one]
        assert reason_text(reasons[0]).endswith("5 MB.")
        assert reason_text("") == ""
