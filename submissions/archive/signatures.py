"""Read documents, compute their signatures by the recipe, and write them; each transaction stores a few.

Documents are words of prose and HTML, and tokens of code. The recipe has the parameters of the signatures.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b, sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
from django.db import connection, transaction
from selectolax.lexbor import LexborHTMLParser, LexborNode

from fingerprint import Records, SharedValues, Sketches, features, kgram_hashes, mod_sketch, pack, shingles
from fingerprint.engine import (
    ENGINE_VERSION,
    FILE_SECONDS,
    FrontEnd,
    TooSlow,
    Unreadable,
    WordKinds,
    distinct_values,
    front_end,
    identify,
    time_limit,
)
from fingerprint.kernels.types import Documents, Hashes
from fingerprint.sketches.simhash import simhash
from submissions.archive.models import Corpus, CorpusDocument, CorpusSweep, CorpusText
from submissions.core.database import insert
from submissions.intake.limits import Limits
from submissions.intake.sandbox.archives import unpack_opened
from submissions.intake.unpacking import unpack, walk

if TYPE_CHECKING:
    from submissions.intake.entries import Entry

    TextKey = tuple[str, str]  # SHA-256 and profile

EMPTY = np.empty(0, dtype=np.uint64)

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

# Documents that were read are written after this many seconds.
WRITE_SECONDS = 2.0

HEADER_BYTES = 8
WORDS, NUMBERS = np.dtype("<u8"), np.dtype("<i8")


@dataclass(frozen=True, slots=True)
class Recipe:
    """The parameters of the signatures.

    w : number of tokens in a shingle (10 words in syntactic-clustering)
    m : a sketch has the shingles that are 0 mod m, about one in m
    k, s, r : number of features, of minima in each, and of shared features that make a near-copy
        (near-duplicate-features, section 3)
    gram : number of tokens in a k-gram of the SimHash. Each distinct k-gram counts once; otherwise the
        k-grams that all programs repeat would determine the SimHash.
    """

    w: int = 10
    m: int = 4
    k: int = 6
    s: int = 14
    r: int = 2
    gram: int = 3

    @property
    def key(self) -> str:
        """Text form of the recipe, stored with a corpus; without `r`, which applies only to queries."""
        return f"w{self.w}m{self.m}-f{self.k}x{self.s}-d{self.gram}-e{ENGINE_VERSION}"


RECIPE = Recipe()


class Signatures(NamedTuple):
    """The signatures of a document.

    `tokens`: number of tokens; `digest`: hash of the token kinds, 32 hexadecimal digits; `sketch` and `features`:
    uint64 arrays, empty for fewer than w tokens; `simhash`: 64 bits, None for fewer than `gram` tokens.
    """

    tokens: int
    digest: str
    sketch: Hashes
    features: Hashes
    simhash: int | None


def compute_signatures(kinds: npt.NDArray[np.uint64], recipe: Recipe = RECIPE) -> Signatures:
    """Return the signatures of a document from its token kinds, uint64 [n]; n may be 0."""
    digest = blake2b(kinds.astype("<u8").tobytes(), digest_size=16).hexdigest()
    sketch, feature_values = EMPTY, EMPTY
    if len(kinds) >= recipe.w:
        values = shingles(kinds, recipe.w)
        sketch, feature_values = mod_sketch(values, recipe.m), features(values, recipe.k, recipe.s)
    grams = distinct_values(kgram_hashes(kinds, recipe.gram))
    return Signatures(len(kinds), digest, sketch, feature_values, simhash(grams) if len(grams) else None)


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


def read_entries(path: Path) -> Iterator[Entry]:
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

    Raises Unreadable with the reason, when the front-end fails or takes longer than `seconds`.
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
        raise Unreadable(f"its front-end ({language}) broke on it: {type(error).__name__}: {error}") from error


def html_text(markup: str) -> str:
    """Return the visible text of an HTML page: title first, a line per block, no scripts or styles.

    Raises ValueError when elements are nested deeper than 5,000.
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

    `on_entry` is called after each entry. Raises BadArchive when `path` cannot be read.
    """
    documents, skipped = [], []
    for entry in read_entries(path):
        try:
            documents.append(_read(entry))
        except Unreadable as error:
            skipped.append(SkippedDocument(entry.name, str(error)))
        on_entry()
    return documents, skipped


def _read(entry: Entry) -> NewDocument:
    if entry.data is None:
        raise Unreadable(entry.reason)
    signatures = compute_signatures(token_kinds(decode_document(entry.name, entry.data)))
    return NewDocument(entry.name, sha256(entry.data).hexdigest(), signatures)


class Text(NamedTuple):
    profile: str
    kind: str
    language: str
    tokens: int
    digest: str
    sketch: bytes
    features: bytes
    simhash: int | None


class RawDocument(NamedTuple):
    name: str
    data: bytes


def store_documents(sweep: CorpusSweep, documents: Sequence[RawDocument]) -> None:
    """Read documents and write them, with the texts that are new; documents of the same names are replaced.

    A document that cannot be read is written with the reason. Several processes may do this at once.
    """
    digests = [sha256(document.data).hexdigest() for document in documents]
    writer = _Writer(sweep, digests)
    for document, digest in zip(documents, digests, strict=True):
        writer.add(document, digest)
        if time.monotonic() - writer.written > WRITE_SECONDS:
            writer.write()
    if not writer.is_empty:
        writer.write()


class _Writer:
    """Collects what was read and is not written yet."""

    def __init__(self, sweep: CorpusSweep, digests: list[str]) -> None:
        self.sweep = sweep
        self.written = time.monotonic()
        self._texts = _stored_texts(sweep.corpus, digests)
        self._new: dict[TextKey, Text] = {}
        self._documents: list[tuple[str, str, TextKey | None, str]] = []

    def add(self, document: RawDocument, digest: str) -> None:
        key, reason = None, ""
        try:
            key = self._text(decode_document(document.name, document.data), digest)
        except Unreadable as error:
            reason = str(error)
        self._documents.append((document.name, digest, key, reason))

    @property
    def is_empty(self) -> bool:
        return not self._documents

    def _text(self, decoded: DecodedDocument, digest: str) -> TextKey:
        """Return the key of a document's text; compute the text when it is new."""
        key = (digest, decoded.profile)
        if key not in self._texts and key not in self._new:
            self._new[key] = _new_text(decoded)
        return key

    def write(self) -> None:
        """Write what was collected, in one transaction."""
        with transaction.atomic():
            self._texts |= _write_texts(self.sweep.corpus, self._new)
            self._write_documents()
        self._new, self._documents, self.written = {}, [], time.monotonic()

    def _write_documents(self) -> None:
        names, digests, keys, reasons = map(list, zip(*self._documents, strict=True))
        self.sweep.documents.filter(name__in=names).delete()
        columns = {
            "sweep_id": [self.sweep.pk] * len(names),
            "name": names,
            "sha256": digests,
            "text_id": [key and self._texts[key] for key in keys],
            "reason": reasons,
        }
        insert(connection, CorpusDocument, columns)


def _write_texts(corpus: Corpus, new: dict[TextKey, Text]) -> dict[TextKey, int]:
    """Write new texts, unless another process was faster; return their primary keys."""
    if not new:
        return {}
    # In one order, so that processes with the same texts do not wait for each other in a circle.
    keys = sorted(new)
    columns = dict(zip(Text._fields, map(list, zip(*(new[key] for key in keys), strict=True)), strict=True))
    columns |= {"corpus_id": [corpus.pk] * len(keys), "sha256": [digest for digest, _ in keys]}
    rows = insert(connection, CorpusText, columns, ["id", "sha256", "profile"])
    written = {(digest, profile): pk for pk, digest, profile in rows}
    missing = [digest for digest, profile in keys if (digest, profile) not in written]
    return written | _stored_texts(corpus, missing)


def _stored_texts(corpus: Corpus, digests: list[str]) -> dict[TextKey, int]:
    if not digests:
        return {}
    rows = corpus.texts.filter(sha256__in=digests).values_list("pk", "sha256", "profile")
    return {(digest, profile): pk for pk, digest, profile in rows}


def _new_text(decoded: DecodedDocument) -> Text:
    signatures = compute_signatures(token_kinds(decoded))
    return Text(
        profile=decoded.profile,
        kind=decoded.kind,
        language=decoded.front_end.name,
        tokens=signatures.tokens,
        digest=signatures.digest,
        sketch=pack(signatures.sketch),
        features=pack(signatures.features),
        simhash=None if signatures.simhash is None else _as_signed(signatures.simhash),
    )


def _as_signed(value: int) -> int:
    """Return the signed integer with the same 64 bits: Postgres has no unsigned integers."""
    return value - (1 << 64) if value >> 63 else value


def pack_documents(documents: Sequence[RawDocument]) -> bytes:
    """Return names and bytes of documents, as `unpack_documents` reads them."""
    header = json.dumps([[document.name, len(document.data)] for document in documents]).encode()
    size = len(header).to_bytes(HEADER_BYTES, "little")
    return b"".join([size, header, *(document.data for document in documents)])


def unpack_documents(packet: bytes) -> list[RawDocument]:
    start = HEADER_BYTES + int.from_bytes(packet[:HEADER_BYTES], "little")
    documents = []
    for name, size in json.loads(packet[HEADER_BYTES:start]):
        documents.append(RawDocument(name, packet[start : start + size]))
        start += size
    return documents


def pack_sketches(sketches: Sketches, duplicates: Documents) -> bytes:
    """Return sketches and the first duplicate of each document, as `unpack_sketches` reads them."""
    return _pack(sketches.offsets, duplicates, sketches.values)


def unpack_sketches(packet: bytes) -> tuple[Sketches, Documents]:
    offsets, duplicates, values = _unpack(packet, 3)
    return Sketches(values.view(np.uint64), offsets), duplicates


def pack_shared(shared: SharedValues) -> bytes:
    """Return the counts of shared values, as `unpack_shared` reads them."""
    return _pack(shared.ignored, shared.pairs.keys, shared.pairs.payloads)


def unpack_shared(packet: bytes) -> SharedValues:
    ignored, keys, counts = _unpack(packet, 3)
    return SharedValues(Records(keys.view(np.uint64), counts.view(np.uint64)), ignored)


def _pack(*columns: Documents | np.ndarray[tuple[int], np.dtype[np.uint64]]) -> bytes:
    """Return columns of numbers of 64 bits: their lengths, then one column after the other."""
    lengths = np.array([len(column) for column in columns], dtype=NUMBERS)
    parts = (column.astype(WORDS if column.dtype == np.uint64 else NUMBERS) for column in columns)
    return b"".join([lengths.tobytes(), *(part.tobytes() for part in parts)])


def _unpack(packet: bytes, count: int) -> Iterator[Documents]:
    start = count * NUMBERS.itemsize
    for length in np.frombuffer(packet, NUMBERS, count).tolist():
        yield np.frombuffer(packet, NUMBERS, length, start).astype(np.int64, copy=False)
        start += length * NUMBERS.itemsize
