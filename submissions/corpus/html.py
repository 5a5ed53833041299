"""The text that a reader of an HTML page sees."""

from __future__ import annotations

import re
from collections import Counter

from selectolax.lexbor import LexborHTMLParser, LexborNode

# Rises whenever the same page would give another text.
HTML_VERSION = 1
UNSEEN = ["script", "style", "template", "noscript"]
# Elements that may stand in the middle of a word; every other one parts words.
INLINE = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i",
    "ins", "kbd", "label", "mark", "nobr", "output", "q", "rp", "rt", "ruby", "s", "samp", "small", "span",
    "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr", "-text", "-comment",
})  # fmt: skip

# Parsing takes the square of the depth and cannot be interrupted; at this depth it takes 0.1 s.
DEEPEST = 5000
OPEN_OR_CLOSE = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
# Elements that never nest or that the next one of their kind closes.
FLAT = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr", "p", "li", "dt", "dd", "option", "tr", "td", "th",
})  # fmt: skip


def html_text(markup: str) -> str:
    """Give the text of a page, its title first, a line for each block; scripts and styles are left out.

    Raises
    ------
    ValueError
        When elements are nested deeper than 5,000.
    """
    _check_depth(markup)
    page = LexborHTMLParser(markup)
    page.strip_tags(UNSEEN)
    root = page.root
    if root is None:
        return ""
    pieces: list[str] = []
    block = -1
    for node in root.traverse(include_text=True):
        if node.tag == "-text":
            here = _block(node)
            pieces.append(node.text_content or "" if here == block else f"\n{node.text_content or ''}")
            block = here
        elif node.tag not in INLINE:
            block = -1
    return "".join(pieces).strip()


def _block(node: LexborNode) -> int:
    """Tell the block apart that a text stands in."""
    around = node.parent
    while around is not None and around.tag in INLINE:
        around = around.parent
    return around.mem_id if around is not None else 0


def _check_depth(markup: str) -> None:
    """Count the elements that are open at once; closing tags that close nothing do not hide any."""
    still_open: Counter[str] = Counter()
    depth = 0
    for closing, written in OPEN_OR_CLOSE.findall(markup):
        name = written.lower()
        if name in FLAT or (closing and not still_open[name]):
            continue
        step = -1 if closing else 1
        still_open[name] += step
        depth += step
        if depth > DEEPEST:
            raise ValueError(f"its elements are nested more than {DEEPEST:,} deep, which is the limit")
