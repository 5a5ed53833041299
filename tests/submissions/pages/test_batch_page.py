from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.urls import reverse

from submissions.models import Batch, Entry, Report, Submission
from submissions.ranking import progress
from tests.support.sample_class import CLASS, zipped

if TYPE_CHECKING:
    from django.test import Client

    from submissions.models import Assignment
    from tests.support.uploads import CountQueries, HandIn


HTMX = {"HX-Request": "true"}


def running(batch: Batch, state: str = "fingerprinting", total: int = 8, done: int = 3) -> None:
    Batch.objects.filter(pk=batch.pk).update(state=state, documents_total=total, documents_done=done)


def test_every_entry_is_listed_the_skipped_ones_first_with_their_reason(
    alice_client: Client, batch: Batch
) -> None:
    page = alice_client.get(batch.get_absolute_url()).content.decode()
    for entry in batch.entries.all():
        assert entry.name in page
    skipped = batch.entries.get(accepted=False)
    assert skipped.name == "notes/photo.py"
    assert skipped.reason in page
    assert page.index(skipped.name) < page.index("ada/main.py")
    assert "1 skipped" in page
    assert "3 submissions" in page


def test_a_running_batch_shows_how_far_it_is_and_asks_again(alice_client: Client, batch: Batch) -> None:
    running(batch)
    address = reverse("batch_progress", args=[batch.pk])
    for answer in (alice_client.get(batch.get_absolute_url()), alice_client.get(address)):
        assert "3 of 8</span> files read" in answer.content.decode()
        assert f'hx-get="{address}?was=' in answer.content.decode()
    page = alice_client.get(batch.get_absolute_url()).content.decode()
    assert '<noscript><meta http-equiv="refresh"' in page
    assert '<li class="now" aria-current="step">Reading</li>' in page
    assert reverse("cancel_batch", args=[batch.pk]) in page
    assert "Delete" not in page


def test_only_what_is_new_is_sent_again(alice_client: Client, batch: Batch) -> None:
    running(batch)
    page = alice_client.get(batch.get_absolute_url()).content.decode()
    asked = re.findall(r'hx-get="(.*?)" hx-trigger="every 1s"', page)[0]
    assert alice_client.get(asked, headers=HTMX).status_code == 204
    running(batch, done=4)
    assert b"4 of 8" in alice_client.get(asked, headers=HTMX).content


def test_a_batch_that_has_ended_shows_its_whole_page_anew(alice_client: Client, batch: Batch) -> None:
    answer = alice_client.get(reverse("batch_progress", args=[batch.pk]), headers=HTMX)
    assert answer.headers["HX-Refresh"] == "true"


def test_a_batch_that_is_ranked_shows_how_far_that_is(alice_client: Client, report: Report) -> None:
    batch = report.assignment.batches.get()
    running(batch, state="ranking")
    newer = Report.objects.create(assignment=report.assignment, state="running")
    page = alice_client.get(batch.get_absolute_url()).content.decode()
    assert "Waiting for a worker" in page
    progress.publish(newer.pk, "Aligning pairs", 1_500, 5_000)
    page = alice_client.get(batch.get_absolute_url()).content.decode()
    assert 'max="5000" value="1500"' in page
    assert 'Aligning pairs <span aria-hidden="true">1,500 of 5,000</span>' in page


def test_a_fragment_asked_for_after_signing_out_opens_the_sign_in_page(client: Client, batch: Batch) -> None:
    address = f"http://testserver{batch.get_absolute_url()}"
    asked = reverse("batch_progress", args=[batch.pk])
    answer = client.get(asked, headers={**HTMX, "HX-Current-URL": address})
    assert answer.headers["HX-Redirect"] == f"{reverse('login')}?next={batch.get_absolute_url()}"
    assert client.get(asked).status_code == 302


def test_a_finished_batch_asks_no_more_and_leads_to_the_report(alice_client: Client, batch: Batch) -> None:
    page = alice_client.get(batch.get_absolute_url()).content.decode()
    assert "hx-get" not in page
    assert "http-equiv" not in page
    assert f'<a href="{batch.assignment.get_absolute_url()}">Show the report</a>' in page


def test_a_failed_batch_says_why(alice_client: Client, batch: Batch) -> None:
    Batch.objects.filter(pk=batch.pk).update(state="failed", message="class.zip is truncated.")
    page = alice_client.get(batch.get_absolute_url()).content.decode()
    assert "Failed." in page
    assert "class.zip is truncated." in page


def test_cancelling_stops_a_running_batch_and_leaves_a_finished_one(
    alice_client: Client, batch: Batch
) -> None:
    address = reverse("cancel_batch", args=[batch.pk])
    alice_client.post(address)
    batch.refresh_from_db()
    assert batch.state == Batch.State.DONE
    running(batch)
    answer = alice_client.post(address)
    batch.refresh_from_db()
    assert batch.state == Batch.State.CANCELLED
    assert answer.headers["Location"] == batch.get_absolute_url()
    assert b"Cancelled" in alice_client.get(batch.get_absolute_url()).content


def test_deleting_asks_first_and_then_takes_everything_that_came_from_it(
    alice_client: Client, report: Report
) -> None:
    batch = report.assignment.batches.get()
    address = reverse("delete_batch", args=[batch.pk])
    assert b"3 submissions with their sources" in alice_client.get(address).content
    assert Batch.objects.exists()
    answer = alice_client.post(address, follow=True)
    assert b"class.zip was deleted" in answer.content
    assert b"Upload what was handed in" in answer.content
    assert not Batch.objects.exists()
    assert not Submission.objects.exists()


def test_a_deleted_batch_is_gone_for_its_owner_and_unknown_to_others(
    alice_client: Client, charlie_client: Client, admin_client: Client, batch: Batch
) -> None:
    address = batch.get_absolute_url()
    deleting = reverse("delete_batch", args=[batch.pk])
    alice_client.post(deleting)
    for client, status in ((alice_client, 410), (admin_client, 410), (charlie_client, 404)):
        for asked in (address, deleting, reverse("batch_progress", args=[batch.pk])):
            assert client.get(asked).status_code == status
    assert b"This upload was deleted" in alice_client.get(address).content
    assert alice_client.post(deleting).status_code == 410


def test_a_submission_that_was_handed_in_again_is_marked(
    alice_client: Client, batch: Batch, hand_in: HandIn
) -> None:
    later = hand_in(zipped({"ada/main.py": CLASS["cleo/main.py"]}))
    old = alice_client.get(batch.get_absolute_url()).content.decode()
    assert old.count("replaced by a later upload") == 1
    assert b"replaced by a later upload" not in alice_client.get(later.get_absolute_url()).content


def test_a_file_that_could_not_be_read_is_named_with_its_reason(alice_client: Client, batch: Batch) -> None:
    document = batch.submissions.get(name="cleo").files.get().document
    document.state, document.reason = "failed", "reading it took longer than 20 s"
    document.save()
    page = alice_client.get(batch.get_absolute_url()).content.decode()
    assert "1 could not be read" in page
    assert "reading it took longer than 20 s" in page


def test_names_from_an_archive_are_shown_as_text(alice_client: Client, batch: Batch) -> None:
    Entry.objects.create(batch=batch, name="<img src=x>\u202e.py", accepted=False, reason="<b>no</b>")
    page = alice_client.get(batch.get_absolute_url()).content.decode()
    assert "&lt;img src=x&gt;<span" in page
    assert "⟨U+202E⟩" in page
    assert "<b>no</b>" not in page


def test_a_batch_with_nothing_in_it_says_what_to_do(alice_client: Client, assignment: Assignment) -> None:
    batch = Batch.objects.create(assignment=assignment, name="empty.zip", state=Batch.State.FAILED)
    page = alice_client.get(batch.get_absolute_url()).content.decode()
    assert "Nothing could be taken from this upload" in page


def test_a_batch_takes_as_many_queries_for_many_entries_as_for_few(
    alice_client: Client, batch: Batch, django_assert_num_queries: CountQueries
) -> None:
    Entry.objects.bulk_create(
        Entry(batch=batch, name=f"{n}.py", accepted=n % 2 == 0, reason="") for n in range(500)
    )
    # session, user, batch, counts of four lists, rows of those three that have any
    with django_assert_num_queries(10):
        page = alice_client.get(batch.get_absolute_url()).content.decode()
    assert "1\u2013200 of 253" in page
    assert "1\u2013200 of 251" in page


def test_every_list_of_a_batch_has_pages_of_its_own(alice_client: Client, batch: Batch) -> None:
    Entry.objects.bulk_create(
        Entry(batch=batch, name=f"{n:03}.py", accepted=n % 2 == 0, reason="") for n in range(500)
    )
    page = alice_client.get(batch.get_absolute_url(), {"skipped_page": "2"}).content.decode()
    assert "201\u2013251 of 251" in page
    assert "1\u2013200 of 253" in page
    assert 'href="?skipped_page=2&amp;taken_page=2"' in page


def test_the_submissions_of_a_batch_lead_to_their_pages(alice_client: Client, batch: Batch) -> None:
    page = alice_client.get(batch.get_absolute_url()).content.decode()
    for submission in batch.submissions.all():
        assert reverse("submission", args=[batch.assignment_id, submission.pk]) in page
