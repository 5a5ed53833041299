"""Made-up names: how they are drawn, and the switch between them and the real ones."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse

from submissions.core.names import FIRST_WORDS, SECOND_WORDS, anonymous_names, draw_alias, ensure_aliases
from submissions.models import Alias, Assignment, Submission
from tests.support.html import get_page
from tests.support.uploads import CountQueries


def test_made_up_names_say_nothing_of_order_or_spelling() -> None:
    names = [f"student-{number:03}" for number in range(200)]
    aliases = [draw_alias(1, name, ()) for name in names]
    assert aliases != sorted(aliases)
    assert aliases == [draw_alias(1, name, ()) for name in names]
    assert aliases != [draw_alias(2, name, ()) for name in names]


def test_made_up_names_are_made_of_distinct_words() -> None:
    assert len(set(FIRST_WORDS)) == len(FIRST_WORDS) > 90
    assert len(set(SECOND_WORDS)) == len(SECOND_WORDS) > 90
    first, second = draw_alias(1, "ada", ()).split()
    assert first in FIRST_WORDS
    assert second in SECOND_WORDS
    real_names = {first.casefold()}
    assert first not in draw_alias(1, "ada", (), real_names)


def test_thousands_of_names_are_all_different(assignment: Assignment) -> None:
    batch = assignment.batches.create(name="class.zip", state="done")
    Submission.objects.bulk_create(Submission(batch=batch, name=f"student-{n}") for n in range(2_000))
    aliases = ensure_aliases(assignment)
    assert len(set(aliases.values())) == len(aliases) == 2_000
    assert sum(len(alias.split()) == 2 for alias in aliases.values()) > 1_900
    assert ensure_aliases(assignment) == aliases


def test_names_of_decided_and_deleted_submissions_stay_covered(assignment: Assignment, alice: User) -> None:
    assignment.decisions.create(left="deleted-ada", right="deleted-ben")
    assert anonymous_names(assignment).display_name("deleted-ada") != "deleted-ada"
    assert set(ensure_aliases(assignment)) == {"deleted-ada", "deleted-ben"}


def test_made_up_names_cost_two_queries(
    assignment: Assignment, django_assert_num_queries: CountQueries
) -> None:
    batch = assignment.batches.create(name="class.zip", state="done")
    Submission.objects.bulk_create(Submission(batch=batch, name=f"student-{n}") for n in range(300))
    ensure_aliases(assignment)
    with django_assert_num_queries(2):
        ensure_aliases(assignment)


def test_two_readers_at_once_get_the_same_names(transactional_db: None, alice: User) -> None:
    course = alice.courses.create(name="Programming 1")
    assignment = course.assignments.create(name="Statistics")
    batch = assignment.batches.create(name="class.zip", state="done")
    Submission.objects.bulk_create(Submission(batch=batch, name=f"student-{n}") for n in range(200))

    def read(_: int) -> dict[str, str]:
        try:
            return ensure_aliases(assignment)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as readers:
        first, *others = readers.map(read, range(4))
    assert all(other == first for other in others)
    assert Alias.objects.count() == 200


def test_the_switch_is_kept_and_leads_back(alice_client: Client, assignment: Assignment) -> None:
    address = f"{assignment.get_absolute_url()}?q=x"
    switch = reverse("switch_names")
    assert alice_client.post(switch, {"names": "made-up", "next": address}).headers["Location"] == address
    assert get_page(alice_client, address).texts(".names-switch button") == ["Show real names"]
    alice_client.post(switch, {"names": "real", "next": address})
    assert get_page(alice_client, address).texts(".names-switch button") == ["Hide names"]


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
        "made-up",
        "login",
        "",
    ],
)
def test_the_switch_leads_to_no_other_site_and_to_nothing_but_a_path(
    elsewhere: str, alice_client: Client
) -> None:
    response = alice_client.post(reverse("switch_names"), {"names": "real", "next": elsewhere})
    assert response.headers["Location"] == "/"


def test_nobody_switches_without_an_account(client: Client) -> None:
    response = client.post(reverse("switch_names"), {"names": "made-up"})
    assert response.headers["Location"].startswith("/accounts/login/")
