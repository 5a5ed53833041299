"""Real text for the experiments: HTML, prose and code of the packages installed on this machine."""

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
MIN_FILE_BYTES, MAX_FILE_BYTES = 256, 4 << 20
PIECE_BYTES = 8_000_000
SEED = 2003


class TextDocument(NamedTuple):
    """A text, and its kind: HTML, PROSE or CODE."""

    kind: str
    text: str


class KindCounts(NamedTuple):
    """Number of documents of one kind, bytes of their files, bytes of their text without white space."""

    documents: int
    file_bytes: int
    text_bytes: int


def default_folders() -> list[Path]:
    """Return the existing folders of Python's library and packages and of Debian's shared files."""
    python = [sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")]
    folders = (Path(folder) for folder in [*python, "/usr/share", "/usr/lib/python3"])
    return [folder for folder in folders if folder.is_dir()]


def kind_of(name: str) -> str | None:
    return NAMED.get(name) or KINDS.get(Path(name).suffix.lower())


def files(folders: Iterable[Path]) -> list[tuple[Path, str]]:
    """Return (path, kind) of each text file, without links and repetitions, in a random order.

    The order is the same for the same files, and mixes the packages.
    """
    kinds = {}
    for folder in folders:
        for path in folder.rglob("*"):  # does not follow links to folders
            if (kind := kind_of(path.name)) and path.is_file() and not path.is_symlink():
                kinds[path] = kind
    paths = sorted(kinds.items())
    random.Random(SEED).shuffle(paths)
    return paths


def symbols(text: str) -> bytes:
    """Return the text without white space, as UTF-8: the input of fingerprinting (winnowing, section 5.1)."""
    return "".join(text.split()).encode()


def read(path: Path, kind: str) -> str | None:
    """Return the text of a file, of HTML without tags; None if it is not UTF-8, too small or too large."""
    data = path.read_bytes() if MIN_FILE_BYTES <= path.stat().st_size <= MAX_FILE_BYTES else b""
    if not data or b"\0" in data:
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return LexborHTMLParser(text).text(separator=" ") if kind == HTML else text


def collect(folders: Sequence[Path], text_bytes: int) -> tuple[list[TextDocument], dict[str, KindCounts]]:
    """Read files until they have `text_bytes` bytes without white space.

    Returns
    -------
    The documents, and the counts of each kind.
    """
    documents: list[TextDocument] = []
    numbers: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    texts: Counter[str] = Counter()
    for path, kind in files(folders):
        if texts.total() >= text_bytes:
            break
        text = read(path, kind)
        if text:
            documents.append(TextDocument(kind, text))
            numbers[kind] += 1
            sizes[kind] += path.stat().st_size
            texts[kind] += len(symbols(text))
    counts = {kind: KindCounts(numbers[kind], sizes[kind], texts[kind]) for kind in (HTML, PROSE, CODE)}
    return documents, counts


def pieces(texts: Iterable[str], size: int = PIECE_BYTES) -> Iterator[Bytes]:
    """Yield the texts without white space, joined to uint8 arrays of at least `size` bytes.

    Texts are joined without a separator, as in the paper, and never split. The last array may be shorter.
    """
    parts: list[bytes] = []
    total = 0
    for text in texts:
        parts.append(symbols(text))
        total += len(parts[-1])
        if total >= size:
            yield np.frombuffer(b"".join(parts), dtype=np.uint8)
            parts, total = [], 0
    if total:
        yield np.frombuffer(b"".join(parts), dtype=np.uint8)
