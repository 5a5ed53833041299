"""`mosspy` as instructors use it, the user id on the page of the account, and the old result pages."""

import re
import urllib.error
import urllib.request
from datetime import timedelta
from pathlib import Path
from typing import Any

import mosspy
import pytest
from bs4 import BeautifulSoup
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from moss.integrations.moss_protocol import views as results
from moss.integrations.moss_protocol.models import (
    ClientResult,
    MossUserId,
    account_of,
    renew_user_id,
    user_id_of,
)
from moss.integrations.moss_protocol.uploads import ARCHIVE, digest
from submissions.models import Assignment, AuditEntry, Course, Membership, Report
from tests.support.html import get_page
from tests.support.moss_clients import Listening
from tests.support.sample_class import COPIED, HONEST, RENAMED, STARTER

pytestmark = pytest.mark.services

SCRIPT = "# <script>alert('&')</script>\n"


CLASS = {
    "ada/main file.py": STARTER + COPIED,
    "ben/main.py": STARTER + RENAMED + SCRIPT,
    "eve/100%.py": STARTER + HONEST,
}


@pytest.fixture
def server(celery_worker_process: Path, listening_server: Listening) -> Listening:
    return listening_server


@pytest.fixture
def sent_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return the files of a class by their paths in the current folder, as a user of a script has them."""
    for name, content in (CLASS | {"starter.py": STARTER}).items():
        path = tmp_path / "hw" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    monkeypatch.chdir(tmp_path / "hw")
    return CLASS


def client(server: Listening, user: User, language: str = "python") -> mosspy.Moss:
    moss = mosspy.Moss(int(renew_user_id(user)), language)
    moss.server, moss.port = "127.0.0.1", server.port
    return moss


def page(url: str) -> Any:  # the types of its parts are those of any page
    with urllib.request.urlopen(url, timeout=60) as answer:
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        return BeautifulSoup(answer.read().decode(), "lxml")


def status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def cells(soup: Any) -> list[list[Any]]:
    table = soup.find("table")
    return [row.find_all("td") for row in table.find_all("tr")[1:]]


@pytest.mark.long
@pytest.mark.slow
def test_a_script_gets_the_address_of_pages_that_it_can_parse(
    server: Listening, alice: User, sent_class: dict[str, str], tmp_path: Path
) -> None:
    moss = client(server, alice)
    for name in sent_class:
        moss.addFile(name)
    moss.addBaseFile("starter.py")
    moss.setCommentString("Homework <1>")
    moss.setIgnoreLimit(100_000)
    url = moss.send()
    assert re.fullmatch(rf"{server.results_at}/results/\d+/\d+", url), url
    assignment = Assignment.objects.get(course__owner=alice, course__name="MOSS")
    assert (assignment.name, assignment.language, assignment.common_limit) == (
        "Homework <1>", "python", 100_000
    )  # fmt: skip
    assert assignment.boilerplate.count() == 1
    assert_index(url)
    assert_match_pages(url)
    assert_unusual_addresses(url)
    assert_download(url, tmp_path)
    assert_logged(url)
    assignment.delete()
    assert status(url) == status(f"{url}/match0.html") == 404


def assert_logged(url: str) -> None:
    """Assert that the audit log names who sent the class and who opened its pages."""
    entries = AuditEntry.objects.filter(assignment="Homework <1>", address="127.0.0.1").order_by("pk")
    assert entries[0].who == "alice"
    logged = {(one.who, one.action, one.subject) for one in entries}
    reader = f"results {url.split('/')[-2]}"
    assert logged == {
        ("alice", "uploaded", ARCHIVE),
        (reader, "saw", ""),
        (reader, "saw", "ada-main_file.py; ben-main.py"),
    }


def assert_index(url: str) -> None:
    for address in (url, f"{url}/", f"{url}//"):
        soup = page(address)
        assert soup.title.text == "Moss Results"
    date, options, comment = (p.find(string=True).strip() for p in soup.find_all("p")[:3])
    assert re.fullmatch(r"\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d UTC \d{4}", date)
    assert options == "Options -l python -m 100000 -n 250"
    assert comment == "Homework <1>"
    rows = cells(soup)
    assert [[cell.text.strip() for cell in row[:2]] for row in rows] == [
        ["ada/main_file.py (100%)", "ben/main.py (100%)"]
    ]
    for row in rows:
        assert len(row) == 3
        assert [cell.a["href"] for cell in row[:2]] == [f"{url}/match0.html"] * 2
        assert row[2]["align"] == "right"
        assert int(row[2].text) > 10
    assert all(link.has_attr("href") for link in soup.find_all("a"))
    assert [link for link in soup.find_all("a") if "match" in link["href"]] == [cell.a for cell in rows[0][:2]]


def assert_match_pages(url: str) -> None:
    raw = urllib.request.urlopen(f"{url}/match0.html", timeout=60)
    frames = re.findall(r'<FRAME SRC="([^"]+)"', raw.read().decode())
    assert [frame.rpartition("/")[2] for frame in frames] == [
        "match0-top.html", "match0-0.html", "match0-1.html"
    ]  # fmt: skip
    assert raw.headers["X-Frame-Options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in raw.headers["Content-Security-Policy"]
    title = page(f"{url}/match0.html").title
    assert "ada/main_file.py" in title.text
    assert "ben/main.py" in title.text
    top = page(frames[0])
    heads = [cell.find(string=True, recursive=False) for cell in top.find_all("th")]
    assert [str(heads[0]).strip(), str(heads[2]).strip()] == [
        "ada/main_file.py (100%)", "ben/main.py (100%)"
    ]  # fmt: skip
    ranges = [link.text.strip() for link in top.find_all("a") if link.text.strip()]
    assert ranges
    assert len(ranges) % 2 == 0
    assert all(re.fullmatch(r"\d+-\d+", text) for text in ranges)
    left, right = (page(frame) for frame in frames[1:])
    anchors = left.find_all("a", attrs={"name": True})
    assert [anchor["name"] for anchor in anchors] == [str(n) for n in range(len(ranges) // 2)]
    for anchor in anchors:
        sibling = anchor.find_next_sibling()
        assert sibling.name == "font"
        assert sibling.a["href"].endswith(f"match0-1.html#{anchor['name']}")
        assert sibling.a["target"] == "1"
    assert "def spread(values):" in left.find("font").text
    assert not right.find("script")
    assert "<script>alert('&')</script>" in right.pre.text


def assert_unusual_addresses(url: str) -> None:
    assert status(f"{url}//match0.html") == 200
    missing = (
        "match1.html",
        "match1-top.html",
        "match0-2.html",
        "match999999999-top.html",
        "match0-top.html/",
    )
    assert {name: status(f"{url}/{name}") for name in missing} == dict.fromkeys(missing, 404)
    assert status(url[:-1] + ("0" if url[-1] != "0" else "1")) == 404


def assert_download(url: str, folder: Path) -> None:
    """Fetch the report as `mosspy` does: every page, with its links changed to local ones."""
    mosspy.download_report(url, str(folder / "report"), connections=1)
    names = {path.name for path in (folder / "report").iterdir()}
    assert {"match0.html", "match0-top.html", "match0-0.html", "match0-1.html"} <= names


@pytest.mark.slow
def test_in_directory_mode_each_directory_is_a_submission(
    server: Listening, alice: User, sent_class: dict[str, str]
) -> None:
    moss = client(server, alice)
    moss.setDirectoryMode(1)
    moss.addFile("ada/main file.py", "../hw/ada/a.py")
    moss.addFile("eve/100%.py", "../hw/ada/b.py")
    moss.addFile("ben/main.py", "../hw/ben/deep/a.py")
    url = moss.send()
    ((left, right, _lines),) = cells(page(url))
    assert re.fullmatch(r"\.\./hw/ada/ \(\d+%\)", left.text.strip())
    assert re.fullmatch(r"\.\./hw/ben/deep/ \(\d+%\)", right.text.strip())
    assert "hw-ada/" not in page(f"{url}/match0-0.html").text
    heads = [cell.text.strip() for cell in page(f"{url}/match0-top.html").find_all("th")]
    assert [head.partition(" ")[0] for head in heads[::2]] == ["../hw/ada/", "../hw/ben/deep/"]


@pytest.mark.long
@pytest.mark.slow
def test_the_table_has_no_more_rows_than_were_asked_for(server: Listening, alice: User, tmp_path: Path) -> None:
    moss = client(server, alice)
    moss.setNumberOfMatchingFiles(2)
    for name in "abcd":
        (tmp_path / f"{name}.py").write_text(f"# {name}\n{COPIED}")
        moss.addFile(str(tmp_path / f"{name}.py"))
    url = moss.send()
    rows = cells(page(url))
    assert len(rows) == 2
    # The path of the user's own disk is what this client sends and looks for.
    assert rows[0][0].text.strip().startswith(f"{tmp_path}/")
    assert status(f"{url}/match2-top.html") == 404
    assert Course.objects.get(owner=alice).name == "MOSS"


KEY = "0123456789" * 3 + "01234567"


PAGES = ("", "/", "/match0.html", "/match0-top.html", "/match0-0.html", "/match0-1.html")


def address_of(assignment: Assignment) -> str:
    row = ClientResult.objects.create(assignment=assignment, key_digest=digest(KEY), options="-l python", shown=10)
    return f"/results/{row.pk}/{KEY}"


def assert_hidden(client: Client, address: str, status: int) -> None:
    response = client.get(address)
    assert response.status_code == status, address
    assert "noindex" in response["X-Robots-Tag"]
    assert response["Referrer-Policy"] == "no-referrer"
    assert response["Cache-Control"] == "no-store, private"


def test_result_pages_are_in_no_search_engine_no_referrer_and_no_cache(client: Client, report: Report) -> None:
    address = address_of(report.assignment)
    for page in PAGES:
        assert_hidden(client, address + page, 200)


def test_so_is_the_page_of_a_report_that_is_not_ready(client: Client, assignment: Assignment) -> None:
    assert_hidden(client, address_of(assignment), 503)


def test_a_result_without_a_pair_says_so_in_the_words_that_scripts_look_for(client: Client, report: Report) -> None:
    said = "No matches were found in your submission."
    address = address_of(report.assignment)
    assert said not in client.get(address).text
    report.pairs.all().delete()
    assert said in client.get(address).text


def test_each_side_of_a_pair_is_named_after_its_submission(client: Client, report: Report) -> None:
    address = address_of(report.assignment)
    sides = [client.get(f"{address}/match0-{side}.html").text for side in (0, 1)]
    assert [re.findall("<TITLE>(.*)</TITLE>", side) for side in sides] == [["ada/main.py"], ["ben/main.py"]]


def test_a_side_that_is_cut_leads_to_the_report(
    client: Client, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"{address_of(report.assignment)}/match0-0.html"
    sentence = "The other files are only in the"
    assert sentence not in client.get(address).text
    monkeypatch.setattr(results, "MAX_CHARACTERS", 1)
    assert sentence in client.get(address).text


def test_the_address_of_a_result_has_digits_only(client: Client, report: Report) -> None:
    address = address_of(report.assignment)
    assert re.fullmatch(r"/results/\d+/\d{38}", address)
    assert client.get(address.replace("0", "a")).status_code == 404


def test_result_pages_end_after_the_days_that_are_set(client: Client, report: Report, settings: Settings) -> None:
    address, settings.RESULTS_DAYS = address_of(report.assignment), 30
    for age, status in ((timedelta(days=29, hours=23), 200), (timedelta(days=30), 410)):
        ClientResult.objects.update(created=timezone.now() - age)
        for page in PAGES:
            assert_hidden(client, address + page, status)
    assert "This page ended 30 days after the upload." in client.get(address).text
    assert client.get(f"{address[:-1]}0").status_code == 404
    settings.RESULTS_DAYS = 0
    assert client.get(address).status_code == 200


def test_result_pages_ask_for_an_account_where_that_is_set(
    client: Client, report: Report, alice_client: Client, settings: Settings
) -> None:
    address, settings.RESULTS_SIGN_IN = address_of(report.assignment), True
    olga, stranger = User.objects.create_user("olga"), User.objects.create_user("sam")
    Membership.objects.create(course=report.assignment.course, user=olga, role="observer")
    for page in PAGES:
        asked = client.get(address + page)
        assert asked.headers["Location"] == f"{reverse('login')}?next={address}{page}"
        assert_hidden(client, address + page, 302)
        assert_hidden(alice_client, address + page, 200)
        for user, status in ((olga, 403), (stranger, 404)):
            other = Client()
            other.force_login(user)
            assert other.get(address + page).status_code == status, page
    assert {entry.who for entry in AuditEntry.objects.all()} == {"alice"}


@pytest.fixture
def _listens(settings: Settings) -> None:
    settings.LISTEN = True


def test_the_page_of_the_account_says_nothing_of_scripts_where_none_are_taken(alice_client: Client) -> None:
    page = get_page(alice_client, reverse("account"))
    assert not page.has("#moss-clients")
    assert not page.has(".script-lines")


@pytest.mark.usefixtures("_listens")
def test_an_instructor_gets_a_user_id_and_the_lines_for_the_script(alice_client: Client, alice: User) -> None:
    page = get_page(alice_client, reverse("account"))
    assert not page.has(".script-lines")
    address = page.one("form[action*=moss-user-id]").attributes["action"]
    assert alice_client.post(str(address)).headers["Location"] == reverse("account")
    page = get_page(alice_client, reverse("account"))
    number = user_id_of(alice)
    assert re.fullmatch(r"[1-9]\d{14}", number)
    assert page.text(".script-lines") == f"$server = 'testserver'; $userid = {number};"
    assert "You have a new MOSS user id" in page.text(".notices")


@pytest.mark.usefixtures("_listens")
def test_another_port_than_the_usual_one_is_a_line_of_its_own(
    alice_client: Client, alice: User, settings: Settings
) -> None:
    settings.LISTEN_PORT = 7691
    renew_user_id(alice)
    assert "$port = '7691';" in get_page(alice_client, reverse("account")).text(".script-lines")


@pytest.mark.usefixtures("_listens")
def test_renewing_ends_the_old_number_and_nobody_elses(
    alice_client: Client, bob_client: Client, alice: User, bob: User
) -> None:
    old, bobs = renew_user_id(alice), renew_user_id(bob)
    alice_client.post(reverse("renew_moss_user_id"))
    assert account_of(old) is None
    assert account_of(user_id_of(alice)) == alice
    assert account_of(bobs) == bob
    assert old not in get_page(alice_client, reverse("account")).html
    assert bobs not in get_page(alice_client, reverse("account")).html


def test_only_signed_in_users_renew_and_only_by_post(client: Client, alice_client: Client, db: None) -> None:
    assert client.post(reverse("renew_moss_user_id")).status_code == 302
    assert alice_client.get(reverse("renew_moss_user_id")).status_code == 405
    assert not MossUserId.objects.exists()


def test_an_administrator_sets_the_number_of_an_old_script(admin_client: Client, alice: User) -> None:
    add = reverse("admin:moss_protocol_mossuserid_add")
    form = {"user": alice.pk, "number": "987654321"}
    assert admin_client.post(add, form | {"number": "007"}).status_code == 200
    assert admin_client.post(add, form).status_code == 302
    assert account_of("987654321") == alice
    listed = reverse("admin:moss_protocol_mossuserid_changelist")
    assert "987654321" not in get_page(admin_client, listed).html
