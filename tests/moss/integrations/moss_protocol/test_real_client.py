"""`mosspy` as instructors use it, against the real servers and worker; pages as clients parse them."""

import re
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import mosspy
import pytest
from bs4 import BeautifulSoup
from django.contrib.auth.models import User

from moss.integrations.moss_protocol.models import renew_user_id
from moss.integrations.moss_protocol.uploads import ARCHIVE
from submissions.models import Assignment, AuditEntry, Course
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
    assert [link for link in soup.find_all("a") if "match" in link["href"]] == [
        cell.a for cell in rows[0][:2]
    ]


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
def test_the_table_has_no_more_rows_than_were_asked_for(
    server: Listening, alice: User, tmp_path: Path
) -> None:
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
