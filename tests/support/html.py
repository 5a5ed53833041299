"""Pages as a parser reads them: what a test asks is an element or its text, never a piece of markup."""

import re

from django.http import HttpResponseBase
from django.test import Client
from selectolax.lexbor import LexborHTMLParser, LexborNode

# What a browser shows as one space; a non-breaking space is none of it.
SPACES = re.compile(r"[ \t\n\f\r]+")
# What the security policy forbids; data for a chart is in scripts that no browser runs.
INLINE = 'script:not([src]):not([type="application/json"]), style, [style]'


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

    def rows(self, selector: str) -> list[list[str]]:
        """Return the texts of the cells of each table row that a CSS selector matches."""
        return [[text_of(cell) for cell in row.css("th, td")] for row in self.all(selector)]

    def terms(self, selector: str) -> dict[str, str]:
        """Return the terms of a definition list with their values."""
        return dict(zip(self.texts(f"{selector} dt"), self.texts(f"{selector} dd"), strict=True))

    def attributes(self) -> list[tuple[str, str]]:
        """Return the name and value of every attribute on the page."""
        return [(name, value or "") for node in self.all("*") for name, value in node.attributes.items()]

    def inline_code(self) -> list[str]:
        """Return what a browser would run or apply that stands in the page itself."""
        handlers = [
            f"{name}={value}"
            for name, value in self.attributes()
            if name.startswith("on") or "javascript:" in value.casefold()
        ]
        return handlers + [str(node.html) for node in self.all(INLINE)]


def text_of(node: LexborNode) -> str:
    """Return the text of an element, in which runs of white space are one space."""
    return SPACES.sub(" ", node.text(deep=True, separator="")).strip(" ")


def page_of(response: HttpResponseBase) -> Page:
    """Return the page of a response, whatever its status."""
    return Page(response.content.decode())  # type: ignore[attr-defined]


def get_page(client: Client, address: str, **query: str | int) -> Page:
    """Return the page at an address that must answer 200."""
    response = client.get(address, query)
    assert response.status_code == 200, (address, response.status_code)
    return page_of(response)
