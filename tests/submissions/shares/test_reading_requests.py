"""The owner of another course is asked for a pair, and agrees to it, refuses or withdraws with one click."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from submissions.models import AuditEntry, Course, Membership, ReadingRequest
from submissions.shares import links as shares
from submissions.uploads.change import rerank
from tests.submissions.courses.test_roles import client_of
from tests.support.every_page import address_of
from tests.support.html import get_page
from tests.support.tabs import tab
from tests.support.uploads import Committing
from tests.support.withheld import Sealed, secrets_in

pytestmark = pytest.mark.services


@pytest.fixture
def assistant(sealed: Sealed) -> Client:
    """Return a client of somebody who decides on the pairs of the class, and has none in the old course."""
    return client_of("assistant", sealed.world)


@pytest.fixture
def keeper(sealed: Sealed) -> Client:
    """Return a client of an instructor of the old course, who has no role in the new one."""
    user = User.objects.create_user("kim", "kim@example.org")
    Membership.objects.create(course=sealed.old.course, user=user, role=Membership.Role.INSTRUCTOR)
    client = Client()
    client.force_login(user)
    return client


def ask(client: Client, sealed: Sealed) -> ReadingRequest:
    pair = sealed.withheld
    client.post(reverse("ask_to_read", args=[sealed.world.assignment.pk, pair.left_id, pair.right_id]))
    return ReadingRequest.objects.get()


def answer(client: Client, request: ReadingRequest, state: str) -> int:
    return client.post(reverse("answer_request", args=[request.pk]), {"state": state}).status_code


def opens(client: Client, sealed: Sealed) -> bool:
    return client.get(address_of(sealed.world, "pair"), follow=True).status_code == 200


def test_a_request_names_who_asks_and_the_own_student_and_nothing_of_the_new_one(
    sealed: Sealed, assistant: Client, keeper: Client
) -> None:
    ask(assistant, sealed)
    assert "asked" in get_page(assistant, tab(sealed.world.assignment, "pairs")).text("#withheld")
    course = get_page(keeper, sealed.old.course.get_absolute_url())
    assert "1 request to read a pair waits for an answer" in course.text()
    page = get_page(keeper, reverse("people", args=[sealed.old.course.pk]))
    text = page.text("#requests")
    new = sealed.withheld.left if sealed.withheld.right.origin_id else sealed.withheld.right
    world = sealed.world.assignment
    for name in ("zacharias", "a-assistant", world.name, world.course.name):
        assert name in text, name
    assert f"{int(100 * sealed.withheld.similarity)}" in text
    assert new.name not in page.html


@pytest.mark.long
def test_the_pair_opens_when_they_agree_and_closes_when_they_withdraw(
    sealed: Sealed, assistant: Client, keeper: Client
) -> None:
    request = ask(assistant, sealed)
    assert not opens(assistant, sealed)
    answer(keeper, request, "agreed")
    page = get_page(assistant, address_of(sealed.world, "pair"))
    assert "planted_marker" in page.html
    assert "zacharias" in get_page(assistant, tab(sealed.world.assignment, "pairs")).text("table.pairs")
    answer(keeper, request, "withdrawn")
    assert not opens(assistant, sealed)
    assert secrets_in(assistant.get(tab(sealed.world.assignment, "pairs"))) == []  # type: ignore[arg-type]
    changes = request.changes.order_by("pk").values_list("who", "before", "after")
    assert list(changes) == [
        ("a-assistant", "", "asked"),
        ("kim", "asked", "agreed"),
        ("kim", "agreed", "withdrawn"),
    ]
    pages = AuditEntry.objects.filter(page__in=["ask_to_read", "answer_request"]).order_by("pk")
    assert list(pages.values_list("who", "action")) == [
        ("a-assistant", "asked"),
        ("kim", "shared"),
        ("kim", "shared"),
    ]


def test_an_agreement_opens_one_pair_and_no_other(sealed: Sealed, assistant: Client, keeper: Client) -> None:
    answer(keeper, ask(assistant, sealed), "agreed")
    text = get_page(assistant, tab(sealed.world.assignment, "pairs")).html
    assert "zacharias" in text
    assert "yvonne" not in text
    copy = sealed.withheld.left if sealed.withheld.left.origin_id else sealed.withheld.right
    pairs = sealed.report.pairs.exclude(pk=sealed.withheld.pk)
    others = [*pairs.filter(left=copy), *pairs.filter(right=copy)]
    assert others
    for pair in others:
        closed = reverse("pair", args=[sealed.world.assignment.pk, pair.left_id, pair.right_id])
        assert assistant.get(closed, follow=True).status_code == 404


def test_an_agreement_survives_a_new_ranking_of_the_same_submissions(
    sealed: Sealed, assistant: Client, keeper: Client, django_capture_on_commit_callbacks: Committing
) -> None:
    answer(keeper, ask(assistant, sealed), "agreed")
    with django_capture_on_commit_callbacks(execute=True):
        rerank(sealed.world.assignment)
    assert sealed.world.assignment.reports.latest("pk") != sealed.report
    assert opens(assistant, sealed)


def test_a_refused_pair_stays_closed_and_is_not_asked_for_again(
    sealed: Sealed, assistant: Client, keeper: Client
) -> None:
    request = ask(assistant, sealed)
    answer(keeper, request, "refused")
    assert not opens(assistant, sealed)
    page = get_page(assistant, tab(sealed.world.assignment, "pairs"))
    assert "refused" in page.text("#withheld")
    assert ask(assistant, sealed).changes.count() == 2


def test_only_who_may_share_the_old_course_answers(sealed: Sealed, assistant: Client) -> None:
    request = ask(assistant, sealed)
    assert answer(assistant, request, "agreed") == 404
    tess = User.objects.create_user("tim")
    Membership.objects.create(course=sealed.old.course, user=tess, role=Membership.Role.ASSISTANT)
    client = Client()
    client.force_login(tess)
    assert answer(client, request, "agreed") == 403
    people = reverse("people", args=[sealed.old.course.pk])
    assert not get_page(client, people).has("#requests")
    assert not opens(assistant, sealed)


def test_only_a_pair_that_is_withheld_can_be_asked_for(sealed: Sealed, assistant: Client) -> None:
    of_class = sealed.report.pairs.filter(left__origin=None, right__origin=None)[0]
    address = reverse("ask_to_read", args=[sealed.world.assignment.pk, of_class.left_id, of_class.right_id])
    assert assistant.post(address).status_code == 302
    unknown = reverse("ask_to_read", args=[sealed.world.assignment.pk, of_class.left_id, of_class.left_id])
    assert assistant.post(unknown).status_code == 404
    assert not ReadingRequest.objects.exists()
    assert client_of("observer", sealed.world).post(address).status_code == 403


def test_what_was_agreed_to_is_not_shown_behind_a_link(
    sealed: Sealed, assistant: Client, keeper: Client
) -> None:
    answer(keeper, ask(assistant, sealed), "agreed")
    client_of("instructor", sealed.world)
    creator = User.objects.get(username="a-instructor")
    share = shares.create_share(
        sealed.world.assignment, creator, timezone.now() + timedelta(days=1), anonymous=False
    )
    pages = reverse("shared_pairs", args=[shares.share_token(share)])
    assert secrets_in(Client().get(pages)) == []  # type: ignore[arg-type]


def test_the_owner_and_who_asked_get_a_mail_where_mail_is_set(
    sealed: Sealed, assistant: Client, keeper: Client, settings: Settings
) -> None:
    settings.MAIL = True
    User.objects.filter(pk=sealed.world.owner.pk).update(email="alice@example.org")
    User.objects.filter(username="a-assistant").update(email="tess@example.org")
    answer(keeper, ask(assistant, sealed), "agreed")
    asked, answered = mail.outbox
    assert (asked.to, answered.to) == (["alice@example.org"], ["tess@example.org"])
    assert reverse("people", args=[sealed.old.course.pk]) in asked.body
    assert "agreed" in answered.body
    assert not [secret for secret in ("zacharias", "sealed") if secret in answered.body.casefold()]


def test_a_request_goes_with_its_submissions(sealed: Sealed, assistant: Client) -> None:
    ask(assistant, sealed)
    Course.objects.get(pk=sealed.old.course.pk).delete()
    assert not ReadingRequest.objects.exists()
