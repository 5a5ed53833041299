"""mkdocs.yml: the site of the documents has all of them. `make site` checks their links."""

from __future__ import annotations

from typing import Any

import yaml

from tests.support.paths import ROOT

DOCS = ROOT / "docs"
SITE = yaml.safe_load((ROOT / "mkdocs.yml").read_text())


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
