"""A student's statement on file: added, shown beside decisions, downloaded, printed, and deleted."""

import hashlib

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from submissions.cases.case_list import cases
from submissions.cases.change import MAX_PDF_BYTES, MAX_STATEMENTS, MAX_TEXT_BYTES, add_statement
from submissions.core.names import ANONYMOUS
from submissions.models import AuditEntry, Report, Statement
from tests.support.checking.findings import contradictions
from tests.support.html import get_page, page_of
from tests.support.kept_classes import stored
from tests.support.sample_class import CLASS, zipped
from tests.support.shares import link_to, shared_report
from tests.support.uploads import HandIn

SAID = "I wrote it alone. ben saw my screen.\n<script>alert(1)</script>\n"
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\nnot read"


@pytest.fixture
def report(hand_in: HandIn) -> Report:
    """Return a report in which Ada and Ben are a case."""
    stored("a class with statements", lambda: hand_in(zipped(CLASS)))
    return Report.objects.get()


@pytest.fixture
def statement(report: Report, alice: User) -> Statement:
    return add_statement(report.assignment, "ada", alice, "said.txt", SAID.encode())


def page_address(report: Report, name: str = "ada") -> str:
    return reverse("submission", args=[report.assignment_id, report.submissions.get(name=name).pk])


def file_address(report: Report, statement: Statement) -> str:
    submission = report.submissions.get(name=statement.name)
    return reverse("statement", args=[report.assignment_id, submission.pk, statement.pk])


def send(client: Client, report: Report, data: bytes, name: str = "said.txt") -> str:
    """Add a file on the page of Ada's submission; return the messages of the page that follows."""
    form = get_page(client, page_address(report)).one('form[enctype="multipart/form-data"]')
    file = SimpleUploadedFile(name, data)
    response = client.post(str(form.attributes["action"]), {"file": file}, follow=True)
    return page_of(response).text(".notices")


@pytest.mark.parametrize("data", [SAID.encode(), PDF])
def test_a_text_or_a_pdf_is_put_on_file_with_its_digest_and_downloaded_as_a_file(
    alice_client: Client, report: Report, data: bytes
) -> None:
    assert "The statement is on file." in send(alice_client, report, data, "what ada said.x")
    stored_one = Statement.objects.get()
    assert (stored_one.name, stored_one.added_by, stored_one.size) == ("ada", "alice", len(data))
    assert stored_one.sha256 == hashlib.sha256(data).hexdigest()
    response = alice_client.get(file_address(report, stored_one))
    assert response.content == data
    assert response.headers["Content-Disposition"] == 'attachment; filename="what ada said.x"'
    assert response.headers["Content-Type"] == "application/octet-stream"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert AuditEntry.objects.filter(page="add_statement", subject="ada").count() == 1
    assert AuditEntry.objects.filter(page="statement", subject="ada").count() == 1


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xff\xfe\x00", "neither a PDF nor a text in UTF-8"),
        (b"MZ\x00\x01", "There is no text in it."),
        (b"  \n", "There is no text in it."),
        (b"a" * (MAX_TEXT_BYTES + 1), "larger than 100 kB"),
        (PDF + b" " * MAX_PDF_BYTES, "larger than 5000 kB"),
    ],
)
def test_anything_else_is_refused(alice_client: Client, report: Report, data: bytes, reason: str) -> None:
    said = send(alice_client, report, data)
    assert "Nothing was put on file" in said
    assert reason in said
    assert not Statement.objects.exists()


def test_a_submission_has_only_so_many_statements(alice_client: Client, report: Report, alice: User) -> None:
    for number in range(MAX_STATEMENTS):
        add_statement(report.assignment, "ada", alice, f"{number}.txt", b"x")
    assert "delete one first" in send(alice_client, report, b"x")
    assert Statement.objects.count() == MAX_STATEMENTS


def test_it_stands_beside_the_decisions(alice_client: Client, report: Report, statement: Statement) -> None:
    pair = report.pairs.get(left__name="ada", right__name="ben")
    ids = [report.assignment_id, pair.left_id]
    for address in (
        reverse("case", args=[report.assignment_id, cases(report)[0].key]),
        reverse("pair", args=[*ids, pair.right_id]),
        reverse("lines", args=[*ids, pair.right_id]),
    ):
        page = get_page(alice_client, address)
        assert page.values("#decision-panel .statements a", "href") == [file_address(report, statement)]
        assert page.text("#decision-panel summary") == "Notes and history · 1 statement"
        assert "added by alice" in page.text("#decision-panel .statements")
        assert "ben saw my screen" not in page.text("main")


def test_a_document_prints_a_text_and_of_a_pdf_its_digest(
    alice_client: Client, report: Report, statement: Statement, alice: User
) -> None:
    pdf = add_statement(report.assignment, "ben", alice, "ben.pdf", PDF)
    ada = report.submissions.get(name="ada").pk
    export = reverse("export_case", args=[report.assignment_id, cases(report)[0].key])
    wanted = {"format": "html", "decision": "on"}
    document = page_of(alice_client.get(export, wanted | {"names": "open"}))
    said = document.text("main")
    assert "said.txt" in said
    assert "I wrote it alone. ben saw my screen." in said
    assert f"{len(PDF)} bytes, added by alice" in said
    assert {statement.sha256, pdf.sha256} <= set(document.texts(".hash"))
    assert not document.has("script")
    copy = page_of(alice_client.get(export, wanted | {"names": str(ada)})).text("main")
    assert "I wrote it alone." in copy
    assert "ben saw" not in copy
    assert pdf.sha256 not in copy
    without = page_of(alice_client.get(export, {"format": "html", "names": "open"})).text("main")
    assert "I wrote it alone." not in without


def test_nobody_else_reads_or_adds_one_and_no_share_link_shows_it(
    alice_client: Client, bob_client: Client, client: Client, report: Report, statement: Statement
) -> None:
    address, alice = file_address(report, statement), report.assignment.course.owner
    assert bob_client.get(address).status_code == 404
    assert bob_client.post(address + "delete/").status_code == 404
    assert bob_client.post(reverse("add_statement", args=address.split("/")[2:5:2])).status_code == 404
    assert client.get(address).status_code == 302
    assert "said.txt" not in get_page(client, link_to(shared_report(report, alice))).html
    assert Statement.objects.get() == statement
    other = [report.assignment_id, report.submissions.get(name="ben").pk, statement.pk]
    assert alice_client.get(reverse("statement", args=other)).status_code == 404
    session = alice_client.session
    session[ANONYMOUS] = True
    session.save()
    page = get_page(alice_client, page_address(report))
    assert "show the real names to read it" in page.text(".statements")
    assert "said.txt" not in page.html
    assert alice_client.get(address).status_code == 404


def test_it_is_deleted_on_the_page_of_the_submission_and_with_the_assignment(
    alice_client: Client, report: Report, statement: Statement, alice: User
) -> None:
    add_statement(report.assignment, "ben", alice, "ben.pdf", PDF)
    page = get_page(alice_client, page_address(report))
    form = page.one(".statements form").attributes["action"]
    assert "The statement was deleted." in page_of(alice_client.post(str(form), follow=True)).text(".notices")
    assert [one.name for one in Statement.objects.all()] == ["ben"]
    assert AuditEntry.objects.filter(page="delete_statement", subject="ada").count() == 1
    report.assignment.delete()
    assert not Statement.objects.exists()


def test_the_self_check_finds_a_statement_that_was_changed(report: Report, statement: Statement) -> None:
    assert [*contradictions(report)] == []
    Statement.objects.update(data=b"I copied it.")
    [line] = contradictions(report)
    assert line == f"statement {statement.pk} of ada: its bytes are not those that were added"
