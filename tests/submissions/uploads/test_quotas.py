"""Quotas of an instructor's files and uploads: counted, refused in words, and shown."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from submissions.core.accounts import QuotaExceeded, Usage, usage_of
from submissions.courses.retention import delete_batch
from submissions.models import Assignment, Batch, Boilerplate, Membership
from submissions.uploads.change import add_boilerplate, create_batch
from tests.support.html import get_page, page_of
from tests.support.sample_class import CLASS, STARTER, loose, zipped
from tests.support.uploads import HandIn

pytestmark = pytest.mark.services

SIZES = {name: len(source) for name, source in CLASS.items()}


def send(client: Client, assignment: Assignment, name: str = "upload", size: int = 100) -> HttpResponse:
    address = reverse(name, args=[assignment.pk])
    return client.post(address, {"files": loose("a.py", b"x" * size)})  # type: ignore[return-value]


def error(response: HttpResponse) -> str:
    assert response.status_code == 422
    return page_of(response).text(".errors .error")


@pytest.mark.long
def test_files_of_all_courses_count_and_so_do_uploads_that_wait(
    alice: User, bob: User, assignment: Assignment, hand_in: HandIn
) -> None:
    hand_in(zipped(CLASS))
    assert usage_of(alice).stored == sum(SIZES.values())
    create_batch(assignment, alice, [loose("late.py", b"x" * 1234)])
    assert usage_of(alice) == Usage(sum(SIZES.values()) + 1234, 2)
    assert usage_of(bob) == Usage(0, 0)


def test_an_upload_beyond_the_storage_is_refused_with_what_to_do(
    alice_client: Client, assignment: Assignment, hand_in: HandIn, settings: Settings
) -> None:
    hand_in(zipped(CLASS))
    settings.STORAGE_BYTES = sum(SIZES.values()) + 99
    for name, kind in (("upload", Batch), ("add_boilerplate", Boilerplate)):
        before = kind.objects.count()
        text = error(send(alice_client, assignment, name))
        assert text.startswith("The courses of alice hold ")
        assert "Delete old assignments or uploads" in text
        assert kind.objects.count() == before
    settings.STORAGE_BYTES += 1
    assert send(alice_client, assignment).status_code == 302


@pytest.mark.long
def test_deleting_makes_room(
    alice_client: Client, assignment: Assignment, hand_in: HandIn, settings: Settings
) -> None:
    batch = hand_in(zipped(CLASS))
    settings.STORAGE_BYTES = sum(SIZES.values())
    assert send(alice_client, assignment).status_code == 422
    delete_batch(batch)
    assert send(alice_client, assignment).status_code == 302


def test_handed_out_files_count_too(alice: User, assignment: Assignment, hand_in: HandIn) -> None:
    add_boilerplate(assignment, [loose("main.py", STARTER)])
    assert usage_of(alice).stored == len(STARTER)


def test_too_many_uploads_in_an_hour_are_refused_with_what_to_do(
    alice_client: Client, assignment: Assignment, settings: Settings
) -> None:
    settings.UPLOADS_AN_HOUR = 2
    assert [send(alice_client, assignment).status_code for _ in range(2)] == [302, 302]
    text = error(send(alice_client, assignment))
    assert text.startswith("You made 2 uploads in the last hour; 2 are allowed.")
    assert "send many submissions as one archive" in text
    Batch.objects.update(created=timezone.now() - timedelta(minutes=61))
    assert send(alice_client, assignment).status_code == 302


def test_deleting_uploads_does_not_allow_more_of_them(
    alice_client: Client, assignment: Assignment, settings: Settings
) -> None:
    settings.UPLOADS_AN_HOUR = 1
    send(alice_client, assignment)
    delete_batch(Batch.objects.get())
    assert send(alice_client, assignment).status_code == 422


@pytest.mark.django_db(transaction=True)
def test_an_upload_waits_for_others_of_its_account_instead_of_failing(
    alice_client: Client, assignment: Assignment, alice: User
) -> None:
    locked = psycopg.connect(**connection.get_connection_params())
    locked.execute("SELECT 1 FROM auth_user WHERE id = %s FOR UPDATE", [alice.pk])

    def unlock_later() -> None:
        time.sleep(2)
        locked.rollback()

    with connection.cursor() as cursor:  # as a request of the service has it
        cursor.execute("SET lock_timeout = '1s'")
    with ThreadPoolExecutor() as threads:
        threads.submit(unlock_later)
        assert send(alice_client, assignment).status_code == 302
    locked.close()
    connection.close()


def test_deleting_old_uploads_takes_none_of_the_hour(
    alice_client: Client, assignment: Assignment, settings: Settings
) -> None:
    settings.UPLOADS_AN_HOUR = 1
    send(alice_client, assignment)
    Batch.objects.update(created=timezone.now() - timedelta(minutes=61))
    delete_batch(Batch.objects.get())
    assert send(alice_client, assignment).status_code == 302


def test_an_upload_that_another_user_made_and_the_owner_deleted_is_none_of_the_owner(
    alice_client: Client, colleague_client: Client, assignment: Assignment, settings: Settings
) -> None:
    settings.UPLOADS_AN_HOUR = 1
    send(colleague_client, assignment)
    delete_batch(Batch.objects.get())
    assert send(alice_client, assignment).status_code == 302


def test_instructors_upload_to_the_account_of_the_owner(
    bob: User, bob_client: Client, assignment: Assignment, settings: Settings
) -> None:
    Membership.objects.create(course=assignment.course, user=bob, role=Membership.Role.INSTRUCTOR)
    settings.STORAGE_BYTES = 50
    assert "The courses of alice hold" in error(send(bob_client, assignment))


@pytest.mark.django_db(transaction=True)
def test_uploads_at_the_same_time_are_counted_one_after_the_other(
    alice: User, assignment: Assignment, settings: Settings
) -> None:
    settings.UPLOADS_AN_HOUR = 1
    refused: list[str] = []

    def second() -> None:
        try:
            create_batch(assignment, alice, [loose("b.py", b"b")])
        except QuotaExceeded as refusal:
            refused.append(str(refusal))
        finally:
            connection.close()

    other = threading.Thread(target=second)
    with transaction.atomic():
        create_batch(assignment, alice, [loose("a.py", b"a")])
        other.start()
        other.join(1)
        assert other.is_alive()
    other.join(60)
    assert len(refused) == 1
    assert Batch.objects.count() == 1


def test_everybody_sees_their_own_usage_and_staff_that_of_all(
    alice: User, alice_client: Client, admin_client: Client, assignment: Assignment
) -> None:
    send(alice_client, assignment, size=2048)
    text = get_page(alice_client, reverse("account")).text("main")
    assert "Your courses hold 2.05 kB of at most 50 GB." in text
    assert "Uploads in the last hour: 1 of 300" in text
    page = get_page(admin_client, reverse("admin:auth_user_change", args=[alice.pk]))
    assert page.texts(".field-stored .readonly, .field-uploads .readonly") == ["2.05 kB", "1"]
