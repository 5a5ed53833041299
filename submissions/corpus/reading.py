"""Read documents and turn them into tokens: words of prose and HTML, tokens of code; also of new ones."""

from __future__ import annotations

import re
from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from fingerprint.engine import FILE_SECONDS, TooSlow, Unreadable, WordKinds, front_end, identify, time_limit
from submissions.corpus.recipe import Signatures, compute_signatures
from submissions.intake.archives.unpack import unpack, walk
from submissions.intake.limits import Limits
from submissions.intake.sandbox.archives import unpack_opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from fingerprint.engine import FrontEnd
    from submissions.intake.archives.members import UnpackedEntry

# Increase this when the same page would give another text.
HTML_VERSION = 1
HTML, PROSE, CODE = "html", "prose", "code"
# The user chose the archive, so only the disk limits its size. Single files have the usual limit.
LIMITS = Limits(entries=5_000_000, total_bytes=10**12, archive_bytes=10**10)

# Parsing takes time proportional to the square of the depth and cannot be interrupted; 0.1 s at this depth.
MAX_DEPTH = 5000
TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
INVISIBLE = ["script", "style", "template", "noscript"]
# Elements that can occur within a word; all others separate words.
INLINE = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i",
    "ins", "kbd", "label", "mark", "nobr", "output", "q", "rp", "rt", "ruby", "s", "samp", "small", "span",
    "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr", "-text", "-comment",
})  # fmt: skip
# Elements that have no content, or that the next one of the same name closes.
NEVER_NESTED = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr", "p", "li", "dt", "dd", "option", "tr", "td", "th",
})  # fmt: skip

_words = WordKinds()


class SkippedDocument(NamedTuple):
    name: str
    reason: str


class DecodedDocument(NamedTuple):
    """The text of a document and the front-end of its language; `kind` is HTML, PROSE or CODE."""

    name: str
    kind: str
    front_end: FrontEnd
    text: str

    @property
    def profile(self) -> str:
        return current_profile(self.kind, self.front_end.name)


def current_profile(kind: str, language: str) -> str:
    """Return the profile of such a document: kind, language and the versions of the code that reads it.

    Documents with the same bytes and the same profile have the same tokens.
    """
    reader = front_end("text" if kind == HTML else language)
    return f"{kind}{HTML_VERSION if kind == HTML else ''}-{language}.{reader.version}"


def read_entries(path: Path) -> Iterator[UnpackedEntry]:
    """Yield the entries of a folder, an archive or a single file, or raise BadArchive."""
    if path.is_dir():
        yield from walk(path, LIMITS, in_child=unpack_opened)
        return
    with path.open("rb") as file:
        yield from unpack(path.name, file, LIMITS, in_child=unpack_opened)


def decode_document(name: str, data: bytes) -> DecodedDocument:
    """Decode a document and detect its language, or raise Unreadable with the reason."""
    try:
        text, detected = identify(data, name)
    except (Unreadable, MemoryError):
        raise
    except Exception as error:  # an error of a front-end fails one document, not the sweep
        raise Unreadable.by_error(f"{type(error).__name__}: {error}") from error
    kind = {"html": HTML, "text": PROSE}.get(detected.name, CODE)
    return DecodedDocument(name, kind, detected, text)


def token_kinds(decoded: DecodedDocument, seconds: float = FILE_SECONDS) -> npt.NDArray[np.uint64]:
    """Return the token kinds of a document, uint64 [n].

    Raises
    ------
    Unreadable
        With the reason, when the front-end fails or takes longer than `seconds`.
    """
    language = decoded.front_end.name
    try:
        with time_limit(seconds):
            if decoded.kind != CODE:
                return _words.word_kinds(html_text(decoded.text) if decoded.kind == HTML else decoded.text)
            return decoded.front_end.tokens(decoded.text).kinds
    except TooSlow:
        raise Unreadable.by_time(language, seconds) from None
    except ValueError as error:
        raise Unreadable(str(error)) from error
    except Exception as error:  # an error of a lexer fails one document, not the sweep
        raise Unreadable(
            f"its front-end ({language}) broke on it: {type(error).__name__}: {error}"
        ) from error


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
            text_block = _block_id(node)
            text = node.text_content or ""
            pieces.append(text if text_block == block else f"\n{text}")
            block = text_block
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


class NewDocument(NamedTuple):
    name: str
    sha256: str
    signatures: Signatures


def read_documents(
    path: Path, on_entry: Callable[[], None] = lambda: None
) -> tuple[list[NewDocument], list[SkippedDocument]]:
    """Read all documents of a folder, archive or file.

    `on_entry` is called after each entry.

    Raises
    ------
    BadArchive
        When `path` cannot be read.
    """
    documents, skipped = [], []
    for entry in read_entries(path):
        try:
            documents.append(_read(entry))
        except Unreadable as error:
            skipped.append(SkippedDocument(entry.name, str(error)))
        on_entry()
    return documents, skipped


def _read(entry: UnpackedEntry) -> NewDocument:
    if entry.data is None:
        raise Unreadable(entry.reason)
    signatures = compute_signatures(token_kinds(decode_document(entry.name, entry.data)))
    return NewDocument(entry.name, sha256(entry.data).hexdigest(), signatures)
