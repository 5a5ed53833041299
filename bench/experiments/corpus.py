"""Real text: the HTML, prose and code that the packages of a machine hold."""

from __future__ import annotations

import random
import sysconfig
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from selectolax.lexbor import LexborHTMLParser

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy.typing as npt

    Bytes = npt.NDArray[np.uint8]

HTML, PROSE, CODE = "HTML", "prose", "code"
KINDS = {
    **dict.fromkeys((".html", ".htm"), HTML),
    **dict.fromkeys((".txt", ".md", ".rst"), PROSE),
    **dict.fromkeys((".py", ".pyi", ".c", ".h", ".hpp", ".js", ".pl", ".pm", ".sh", ".css"), CODE),
}
NAMED = {"copyright": PROSE, "LICENSE": PROSE}
SMALLEST, LARGEST = 256, 4 << 20  # bytes of a file
PIECE = 8_000_000
SEED = 2003


class Document(NamedTuple):
    kind: str
    text: str


class Count(NamedTuple):
    documents: int
    file_bytes: int
    text_bytes: int


def default_folders() -> list[Path]:
    """Python's own library and packages, and what Debian's packages share, where they exist."""
    python = [sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")]
    folders = (Path(folder) for folder in [*python, "/usr/share", "/usr/lib/python3"])
    return [folder for folder in folders if folder.is_dir()]


def kind_of(name: str) -> str | None:
    return NAMED.get(name) or KINDS.get(Path(name).suffix.lower())


def files(folders: Iterable[Path]) -> list[tuple[Path, str]]:
    """(path, kind) of every file that holds text, each once, in an order that mixes the packages."""
    found = {}
    for folder in folders:
        for path in folder.rglob("*"):  # which follows no link to a folder
            if (kind := kind_of(path.name)) and path.is_file() and not path.is_symlink():
                found[path] = kind
    paths = sorted(found.items())
    random.Random(SEED).shuffle(paths)
    return paths


def symbols(text: str) -> bytes:
    """Drop white space: what is left is fingerprinted (winnowing, section 5.1)."""
    return "".join(text.split()).encode()


def read(path: Path, kind: str) -> str | None:
    """Text of a file without its tags; None when it is not UTF-8, or too small or too large."""
    data = path.read_bytes() if SMALLEST <= path.stat().st_size <= LARGEST else b""
    if not data or b"\0" in data:
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return LexborHTMLParser(text).text(separator=" ") if kind == HTML else text


def collect(folders: Sequence[Path], text_bytes: int) -> tuple[list[Document], dict[str, Count]]:
    """Read until there are `text_bytes` bytes without white space; documents, and their number by kind."""
    documents: list[Document] = []
    numbers: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    texts: Counter[str] = Counter()
    for path, kind in files(folders):
        if texts.total() >= text_bytes:
            break
        text = read(path, kind)
        if text:
            documents.append(Document(kind, text))
            numbers[kind] += 1
            sizes[kind] += path.stat().st_size
            texts[kind] += len(symbols(text))
    return documents, {kind: Count(numbers[kind], sizes[kind], texts[kind]) for kind in (HTML, PROSE, CODE)}


def pieces(texts: Iterable[str], size: int = PIECE) -> Iterator[Bytes]:
    """Documents one after the other without a break, as in the paper, cut between documents near `size`."""
    held: list[bytes] = []
    total = 0
    for text in texts:
        held.append(symbols(text))
        total += len(held[-1])
        if total >= size:
            yield np.frombuffer(b"".join(held), dtype=np.uint8)
            held, total = [], 0
    if total:
        yield np.frombuffer(b"".join(held), dtype=np.uint8)
