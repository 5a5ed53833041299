"""Pages as a parser reads them: what a test asks is an element or its text, never a piece of markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser

if TYPE_CHECKING:
    from django.http import HttpResponseBase
    from django.test import Client
    from selectolax.lexbor import LexborNode


class Page:
    """A parsed page. White space in texts is single spaces, as a browser shows it."""

    def __init__(self, html: str) -> None:
        self.html = html
        self._tree = LexborHTMLParser(html)

    def all(self, selector: str) -> list[LexborNode]:
        """Return the elements that a CSS selector matches, in the order of the page."""
        return list(self._tree.css(selector))

    def one(self, selector: str) -> LexborNode:
        """Return the only element that a CSS selector matches; fail where there are none or several."""
        nodes = self.all(selector)
        assert len(nodes) == 1, f"{selector} matches {len(nodes)} elements"
        return nodes[0]

    def has(self, selector: str) -> bool:
        return bool(self.all(selector))

    def texts(self, selector: str) -> list[str]:
        """Return the text of each element that a CSS selector matches."""
        return [text_of(node) for node in self.all(selector)]

    def text(self, selector: str = "body") -> str:
        """Return the text of the only element that a CSS selector matches."""
        return text_of(self.one(selector))

    def values(self, selector: str, attribute: str) -> list[str]:
        """Return an attribute of each element that a CSS selector matches; "" where it has no value."""
        return [node.attributes.get(attribute) or "" for node in self.all(selector)]

    def links(self) -> list[str]:
        return self.values("a[href]", "href")


def text_of(node: LexborNode) -> str:
    """Return the text of an element, in which runs of white space are one space."""
    return " ".join(node.text(deep=True, separator="").split())


def page_of(response: HttpResponseBase) -> Page:
    """Return the page of a response, whatever its status."""
    return Page(response.content.decode())  # type: ignore[attr-defined]


def get_page(client: Client, address: str, **query: str | int) -> Page:
    """Return the page at an address that must answer 200."""
    response = client.get(address, query)
    assert response.status_code == 200, (address, response.status_code)
    return page_of(response)
