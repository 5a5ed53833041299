"""The documents: mkdocs.yml has all of them, and the paths and links in them lead somewhere."""

import re
from pathlib import Path
from typing import Any

import yaml

from tests.support.paths import ROOT

DOCS = ROOT / "docs"
SITE = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
FOLDERS = "moss|submissions|fingerprint|templates|static|tests|bench|docs|deploy"
# Between backticks: a path from the root, or the last part of that of a file of code.
PATH = re.compile(rf"`((?:{FOLDERS})/[\w./-]*\w|(?:[\w-]+/)*[\w-]+\.(?:py|html|css|js))/?(?:::\w+)?`")


def pages(part: Any) -> list[str]:
    """Return the files of a part of the navigation, in order."""
    if isinstance(part, str):
        return [part]
    nested = part.values() if isinstance(part, dict) else part
    return [page for inner in nested for page in pages(inner)]


def test_the_navigation_has_every_document_once() -> None:
    files = sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))
    assert sorted(pages(SITE["nav"])) == files


def test_the_site_fetches_nothing_from_other_hosts() -> None:
    assert SITE["theme"]["font"] is False
    assert not {"extra_javascript", "extra_css"} & SITE.keys()


def test_its_packages_are_pinned_apart_from_those_of_the_service() -> None:
    assert "mkdocs-material==" in (ROOT / "requirements-docs.lock").read_text()
    assert "mkdocs" not in (ROOT / "requirements-dev.lock").read_text()


def test_every_path_that_a_document_names_exists() -> None:
    inner = [path for folder in FOLDERS.split("|") for path in (ROOT / folder).rglob("*")]
    paths = [f"/{path.relative_to(ROOT)}" for path in (*ROOT.iterdir(), *inner)]
    named = {
        (str(page.relative_to(ROOT)), match[1])
        for page in (ROOT / "CONTRIBUTING.md", ROOT / "README.md", *DOCS.rglob("*.md"))
        for match in PATH.finditer(page.read_text())
    }
    assert len(named) > 200
    missing = [(page, name) for page, name in named if not any(path.endswith(f"/{name}") for path in paths)]
    assert missing == []


def test_the_list_of_decisions_has_each_file_and_names_the_next_number() -> None:
    folder = DOCS / "work" / "decisions"
    files = sorted(path.name for path in folder.glob("[0-9]*.md"))
    text = (folder / "index.md").read_text()
    assert re.findall(r"^\d+\. \[.*\]\((.*)\)$", text, re.MULTILINE) == files
    assert [int(name[:2]) for name in files] == list(range(1, len(files) + 1))
    assert f"with the next number, {len(files) + 1}," in text


def test_the_documents_without_decisions_stay_short_enough_to_be_read() -> None:
    pages = [page for page in DOCS.rglob("*.md") if page.parent.name != "decisions"]
    words = [word for page in pages for word in page.read_text().split() if re.search(r"\w", word)]
    assert len(words) <= 26_000
    assert len(list((DOCS / "work" / "decisions").glob("[0-9]*.md"))) <= 15


def headings(page: Path) -> set[str]:
    """Return the addresses of the headings of a document, as mkdocs makes them."""
    lines = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", line).strip().lower()) for line in lines}


def test_every_link_leads_to_a_file_and_a_heading() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *DOCS.rglob("*.md")]
    links = [
        (page, link[1], link[2])
        for page in pages
        for link in re.finditer(r"\]\((?!\w+:)([^)#\s]*)#?([^)\s]*)\)", page.read_text())
    ]
    targets = [(page, page.parent / path if path else page, heading) for page, path, heading in links]
    assert len(targets) > 150
    assert [(page, target) for page, target, _ in targets if not target.exists()] == []
    named = [(page, target, heading) for page, target, heading in targets if heading]
    assert [one for one in named if one[2] not in headings(one[1])] == []


def test_the_site_is_built_so_that_warnings_count() -> None:
    assert re.search(r"mkdocs build --strict$", (ROOT / "Makefile").read_text(), re.MULTILINE)
