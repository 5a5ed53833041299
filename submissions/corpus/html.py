"""The visible text of HTML pages."""

from __future__ import annotations

import re
from collections import Counter

from selectolax.lexbor import LexborHTMLParser, LexborNode

# Increase this when the same page would give another text.
HTML_VERSION = 1
INVISIBLE = ["script", "style", "template", "noscript"]
# Elements that can occur within a word; all others separate words.
INLINE = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i",
    "ins", "kbd", "label", "mark", "nobr", "output", "q", "rp", "rt", "ruby", "s", "samp", "small", "span",
    "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr", "-text", "-comment",
})  # fmt: skip

# Parsing takes time proportional to the square of the depth and cannot be interrupted; 0.1 s at this depth.
MAX_DEPTH = 5000
TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
# Elements that have no content, or that the next one of the same name closes.
NEVER_NESTED = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr", "p", "li", "dt", "dd", "option", "tr", "td", "th",
})  # fmt: skip


def html_text(markup: str) -> str:
    """Return the visible text of an HTML page: title first, a line per block, no scripts or styles.

    Raises
    ------
    ValueError
        When elements are nested deeper than 5,000.
    """
    _check_depth(markup)
    page = LexborHTMLParser(markup)
    page.strip_tags(INVISIBLE)
    root = page.root
    if root is None:
        return ""
    pieces: list[str] = []
    block = -1
    for node in root.traverse(include_text=True):
        if node.tag == "-text":
            own_block = _block_id(node)
            text = node.text_content or ""
            pieces.append(text if own_block == block else f"\n{text}")
            block = own_block
        elif node.tag not in INLINE:
            block = -1
    return "".join(pieces).strip()


def _block_id(node: LexborNode) -> int:
    """Return an identifier of the block element that contains a text node."""
    parent = node.parent
    while parent is not None and parent.tag in INLINE:
        parent = parent.parent
    return parent.mem_id if parent is not None else 0


def _check_depth(markup: str) -> None:
    """Raise ValueError when too many elements are open at once. Unmatched closing tags do not count."""
    open_elements: Counter[str] = Counter()
    depth = 0
    for slash, tag_name in TAG.findall(markup):
        name = tag_name.lower()
        if name in NEVER_NESTED or (slash and not open_elements[name]):
            continue
        step = -1 if slash else 1
        open_elements[name] += step
        depth += step
        if depth > MAX_DEPTH:
            raise ValueError(f"its elements are nested more than {MAX_DEPTH:,} deep, which is the limit")
