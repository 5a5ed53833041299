"""An upload on its page: its states, its files, and the quotas that it counts against."""

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
from submissions.models import Assignment, Batch, Boilerplate, Document, Entry, Membership, Report, Submission
from submissions.reports import progress
from submissions.uploads.change import add_boilerplate, create_batch
from tests.support.html import Page, get_page, page_of
from tests.support.sample_class import CLASS, COPIED, HONEST, STARTER, loose, zipped
from tests.support.uploads import CountQueries, HandIn

HTMX = {"HX-Request": "true"}


# What asks the server for news every second.
POLLING = '.now[hx-trigger="every 1s"]'


REPLACED = "replaced by a later upload"


def get_batch(client: Client, batch: Batch, **query: str) -> Page:
    return get_page(client, batch.get_absolute_url(), **query)


def set_running(batch: Batch, state: str = "fingerprinting", total: int = 8, done: int = 3) -> None:
    Batch.objects.filter(pk=batch.pk).update(state=state, documents_total=total, documents_done=done)


def test_every_entry_is_listed_and_a_batch_leads_to_its_report(alice_client: Client, batch: Batch) -> None:
    page = get_batch(alice_client, batch)
    assert page.texts("h2") == ["1 skipped", "3 submissions", "3 entries taken"]
    skipped, *taken = page.rows("tbody tr")
    entry = batch.entries.get(accepted=False)
    assert skipped[:2] == [entry.name, entry.reason]
    assert entry.name == "notes/photo.py"
    assert entry.reason
    assert {name for name, _ in taken} == {*CLASS}
    assert batch.entries.count() == 1 + len(CLASS)
    leads = {reverse("submission", args=[batch.assignment_id, one.pk]) for one in batch.submissions.all()}
    assert {*page.values("ul.names a", "href")} == leads
    assert not page.has("[hx-get]")
    assert not page.has("meta[http-equiv]")
    assert page.text(".notice.good a") == "Show the report"
    assert page.values(".notice.good a", "href") == [batch.assignment.get_absolute_url()]


def test_a_running_batch_shows_its_progress_and_polls(alice_client: Client, batch: Batch) -> None:
    set_running(batch)
    address = reverse("batch_progress", args=[batch.pk])
    for page in (get_batch(alice_client, batch), get_page(alice_client, address)):
        assert page.text(".now .meta").startswith("3 of 8 files read.")
        assert page.text(".now .meta [aria-hidden=true]") == "3 of 8"
        assert page.has(f'{POLLING}[hx-get^="{address}?was="]')
    page = get_batch(alice_client, batch)
    assert page.has("noscript > meta[http-equiv=refresh]")
    assert page.text(".steps li.now[aria-current=step]") == "Reading"
    assert page.has(f'form[method=post][action="{reverse("cancel_batch", args=[batch.pk])}"]')
    assert "Delete" not in page.html
    [polled] = page.values(POLLING, "hx-get")
    assert alice_client.get(polled, headers=HTMX).status_code == 204
    set_running(batch, done=4)
    fragment = page_of(alice_client.get(polled, headers=HTMX))
    assert fragment.text(".now .meta").startswith("4 of 8 files read.")


def test_a_batch_that_has_ended_leads_to_its_report(alice_client: Client, batch: Batch) -> None:
    address = reverse("batch_progress", args=[batch.pk])
    response = alice_client.get(address, headers=HTMX)
    assert "HX-Refresh" not in response.headers
    leads = page_of(response).values("[data-leads-to]", "data-leads-to")
    assert leads == [batch.assignment.get_absolute_url()]
    Batch.objects.filter(pk=batch.pk).update(message="One file could not be read.")
    assert alice_client.get(address, headers=HTMX).headers["HX-Refresh"] == "true"
    Batch.objects.filter(pk=batch.pk).update(message="")
    batch.assignment.reports.all().delete()
    assert alice_client.get(address, headers=HTMX).headers["HX-Refresh"] == "true"
    Batch.objects.filter(pk=batch.pk).update(state="failed", message="class.zip is truncated.")
    notice = get_batch(alice_client, batch).text(".notice.bad")
    assert notice == "Failed. class.zip is truncated. Upload again"
    empty = Batch.objects.create(assignment=batch.assignment, name="empty.zip", state=Batch.State.FAILED)
    heading = get_batch(alice_client, empty).text(".empty strong")
    assert heading == "Nothing could be taken from this upload."


def test_a_batch_shows_the_progress_of_its_ranking(alice_client: Client, report: Report) -> None:
    batch = report.assignment.batches.get()
    set_running(batch, state="ranking")
    newer = Report.objects.create(assignment=report.assignment, state="running")
    assert get_batch(alice_client, batch).text(".now .meta").startswith("Waiting for a worker.")
    progress.publish(newer.pk, "Aligning pairs", 1_500, 5_000)
    page = get_batch(alice_client, batch)
    assert page.has('progress[aria-label="Ranking"][max="5000"][value="1500"]')
    assert page.text(".now .meta").startswith("Aligning pairs 1,500 of 5,000.")
    assert page.text(".now .meta [aria-hidden=true]") == "1,500 of 5,000"


def test_a_fragment_asked_for_after_signing_out_opens_the_sign_in_page(client: Client, batch: Batch) -> None:
    current_url = f"http://testserver{batch.get_absolute_url()}"
    address = reverse("batch_progress", args=[batch.pk])
    response = client.get(address, headers={**HTMX, "HX-Current-URL": current_url})
    assert response.headers["HX-Redirect"] == f"{reverse('login')}?next={batch.get_absolute_url()}"
    assert client.get(address).status_code == 302


def test_cancelling_stops_a_running_batch_and_no_finished(alice_client: Client, batch: Batch) -> None:
    address = reverse("cancel_batch", args=[batch.pk])
    alice_client.post(address)
    batch.refresh_from_db()
    assert batch.state == Batch.State.DONE
    set_running(batch)
    response = alice_client.post(address)
    batch.refresh_from_db()
    assert batch.state == Batch.State.CANCELLED
    assert response.headers["Location"] == batch.get_absolute_url()
    assert get_batch(alice_client, batch).text("#progress .notice strong") == "Cancelled."


def test_deleting_asks_and_takes_everything_that_came_of_it(alice_client: Client, report: Report) -> None:
    batch = report.assignment.batches.get()
    address = reverse("delete_batch", args=[batch.pk])
    assert "3 submissions with their sources" in get_page(alice_client, address).texts(".lost li")
    assert Batch.objects.exists()
    page = page_of(alice_client.post(address, follow=True))
    assert page.text(".notices").startswith("class.zip was deleted")
    assert page.text("#upload-heading") == "Upload the submissions"
    assert not Batch.objects.exists()
    assert not Submission.objects.exists()


def test_a_deleted_batch_is_gone_for_its_owner_and_unknown_to_others(
    alice_client: Client, charlie_client: Client, colleague_client: Client, batch: Batch
) -> None:
    address = batch.get_absolute_url()
    deletion = reverse("delete_batch", args=[batch.pk])
    alice_client.post(deletion)
    for client, status in ((alice_client, 410), (colleague_client, 410), (charlie_client, 404)):
        for deleted in (address, deletion, reverse("batch_progress", args=[batch.pk])):
            assert client.get(deleted).status_code == status
    assert page_of(alice_client.get(address)).text("h1 + p").startswith("This upload was deleted")
    assert alice_client.post(deletion).status_code == 410


@pytest.mark.long
def test_what_was_handed_in_again_or_could_not_be_read_is_marked_and_names_are_shown_as_text(
    alice_client: Client, batch: Batch, hand_in: HandIn
) -> None:
    later = hand_in(zipped({"ada/main.py": CLASS["cleo/main.py"] + "\n"}))
    reason = "reading it took longer than 20 s"
    Document.objects.filter(files__submission__name="cleo").update(state="failed", reason=reason)
    Entry.objects.create(batch=batch, name="<img src=x>\u202e.py", accepted=False, reason="<b>no</b>")
    page = get_batch(alice_client, batch)
    submissions = page.texts("ul.names li")
    assert [text for text in submissions if REPLACED in text] == [f"ada 1 file · {REPLACED}"]
    assert REPLACED not in get_batch(alice_client, later).html
    assert page.text("#uncompared") == "1 not compared"
    assert page.rows("[aria-labelledby=uncompared] tbody tr") == [["main.py", reason, "cleo"]]
    skipped = [(name, reason) for name, reason, _ in page.rows("[aria-labelledby=skipped] tbody tr")]
    assert ("<img src=x>‹U+202E›.py", "<b>no</b>") in skipped
    assert page.text("[aria-labelledby=skipped] .unseen") == "‹U+202E›"
    assert not page.has("main img, main b")


def test_every_list_of_a_batch_has_pages_of_its_own_in_as_many_queries_as_for_few_entries(
    alice_client: Client, batch: Batch, django_assert_num_queries: CountQueries
) -> None:
    Entry.objects.bulk_create(Entry(batch=batch, name=f"{n:03}.py", accepted=n % 2 == 0, reason="") for n in range(500))
    # session, user, batch, counts of four lists, rows of those that have any, what was read of files
    with django_assert_num_queries(12):
        page = get_batch(alice_client, batch)
    assert page.text("#skipped ~ nav.pages span:not(.off)") == "1\u2013200 of 251"
    page = get_batch(alice_client, batch, skipped_page="2")
    assert page.text("#skipped ~ nav.pages span:not(.off)") == "201\u2013251 of 251"
    assert page.text("#taken ~ nav.pages span:not(.off)") == "1\u2013200 of 253"
    assert page.values("#taken ~ nav.pages [rel=next]", "href") == ["?skipped_page=2&taken_page=2"]


BLACKBOARD = {
    "Lab 1_abyron_attempt_2026-02-27-09-00-00_main.py": HONEST,
    "Lab 1_abyron_attempt_2026-03-01-14-05-09_main.py": STARTER + COPIED,
    "Lab 1_abyron_attempt_2026-03-01-14-05-09.txt": "Name: Ada Byron (abyron)\n",
    "Lab 1_bnovak_attempt_2026-03-01-10-00-00_main.py": STARTER + HONEST + "\n# written by bnovak\n",
    "Lab 1_bnovak_attempt_2026-03-01-10-00-00.txt": "Name: Ben Novak (bnovak)\n",
}


def test_the_identifier_is_beside_the_name_unless_hidden(hand_in: HandIn, alice_client: Client) -> None:
    batch = hand_in(zipped(BLACKBOARD))
    page = get_batch(alice_client, batch)
    assert page.texts("ul.names li") == ["Ada Byron abyron · 1 file", "Ben Novak bnovak · 1 file"]
    ada, ben = (
        reverse("submission", args=[batch.assignment_id, one.pk])
        for one in Submission.objects.filter(batch=batch).order_by("name")
    )
    assert get_page(alice_client, ada).text("p.lead").startswith("abyron · Uploaded")
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    page = get_batch(alice_client, batch)
    assert page.texts("h2") == ["3 skipped", "2 submissions", "2 entries taken"]
    for address in (batch.get_absolute_url(), ada, ben, batch.assignment.get_absolute_url()):
        html = get_page(alice_client, address).html.casefold()
        for personal in ("byron", "novak", "14-05-09", "09-00-00", "10-00-00"):
            assert personal not in html


SIZES = {name: len(source) for name, source in CLASS.items()}


def send(client: Client, assignment: Assignment, name: str = "upload", size: int = 100) -> HttpResponse:
    address = reverse(name, args=[assignment.pk])
    return client.post(address, {"files": loose("a.py", b"x" * size)})  # type: ignore[return-value]


def error(response: HttpResponse) -> str:
    assert response.status_code == 422
    return page_of(response).text(".errors .error")


@pytest.mark.long
def test_files_of_all_courses_count_and_so_do_uploads_that_wait_and_handed_out_files(
    alice: User, bob: User, assignment: Assignment, hand_in: HandIn
) -> None:
    hand_in(zipped(CLASS))
    assert usage_of(alice).stored == sum(SIZES.values())
    create_batch(assignment, alice, [loose("late.py", b"x" * 1234)])
    assert usage_of(alice) == Usage(sum(SIZES.values()) + 1234, 2)
    add_boilerplate(assignment, [loose("given.py", "given = 1\n")])
    assert usage_of(alice).stored == sum(SIZES.values()) + 1234 + len("given = 1\n")
    assert usage_of(bob) == Usage(0, 0)


def test_an_upload_beyond_the_storage_is_refused_until_something_is_deleted(
    alice_client: Client, assignment: Assignment, hand_in: HandIn, settings: Settings
) -> None:
    batch = hand_in(zipped(CLASS))
    settings.STORAGE_BYTES = sum(SIZES.values()) + 99
    for name, kind in (("upload", Batch), ("add_boilerplate", Boilerplate)):
        before = kind.objects.count()
        text = error(send(alice_client, assignment, name))
        assert text.startswith("The courses of alice hold ")
        assert "Delete old assignments or uploads" in text
        assert kind.objects.count() == before
    settings.STORAGE_BYTES += 1
    assert send(alice_client, assignment).status_code == 302
    assert send(alice_client, assignment).status_code == 422
    delete_batch(batch)
    assert send(alice_client, assignment).status_code == 302


def test_too_many_uploads_in_an_hour_are_refused_although_some_are_deleted(
    alice_client: Client, assignment: Assignment, settings: Settings
) -> None:
    settings.UPLOADS_AN_HOUR = 2
    assert [send(alice_client, assignment).status_code for _ in range(2)] == [302, 302]
    text = error(send(alice_client, assignment))
    assert text.startswith("You made 2 uploads in the last hour; 2 are allowed.")
    assert "send many submissions as one archive" in text
    delete_batch(Batch.objects.earliest("pk"))
    assert send(alice_client, assignment).status_code == 422
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


@pytest.mark.django_db(transaction=True)
def test_an_upload_waits_for_its_turn(alice_client: Client, assignment: Assignment, alice: User) -> None:
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


def test_instructors_upload_to_the_account_of_the_owner(
    bob: User, bob_client: Client, assignment: Assignment, settings: Settings
) -> None:
    Membership.objects.create(course=assignment.course, user=bob, role=Membership.Role.INSTRUCTOR)
    settings.STORAGE_BYTES = 50
    assert "The courses of alice hold" in error(send(bob_client, assignment))


@pytest.mark.django_db(transaction=True)
def test_uploads_at_once_are_counted_in_turn(alice: User, assignment: Assignment, settings: Settings) -> None:
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
