"""From the bytes of a document to the tokens that are sketched: words of prose and HTML, tokens of code."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fingerprint.engine import FILE_SECONDS, TooSlow, Unreadable, WordKinds, front_end, identify, time_limit
from submissions.archives.limits import Limits
from submissions.archives.unpack import unpack, walk
from submissions.corpus.html import HTML_VERSION, html_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from fingerprint.engine import FrontEnd
    from submissions.archives.unpack import Unpacked

HTML, PROSE, CODE = "html", "prose", "code"
# Whoever screens an archive chose it: as many documents as a disk holds, each no larger than elsewhere.
LIMITS = Limits(entries=5_000_000, total_bytes=10**12, archive_bytes=10**10)


_words = WordKinds()


class Skipped(NamedTuple):
    name: str
    reason: str


class Opened(NamedTuple):
    """A document decoded, its language told: `kind` is HTML, PROSE or CODE."""

    name: str
    kind: str
    front_end: FrontEnd
    text: str

    @property
    def profile(self) -> str:
        return profile_of(self.kind, self.front_end.name)


def profile_of(kind: str, language: str) -> str:
    """Say what the tokens of such a document depend on: the versions that are installed now."""
    chosen = front_end("text" if kind == HTML else language)
    return f"{kind}{HTML_VERSION if kind == HTML else ''}-{language}.{chosen.version}"


def entries(path: Path) -> Iterator[Unpacked]:
    """Entries of a folder, an archive or a single file; raises BadArchive as those do."""
    if path.is_dir():
        yield from walk(path, LIMITS)
        return
    with path.open("rb") as file:
        yield from unpack(path.name, file, LIMITS)


def open_document(name: str, data: bytes) -> Opened:
    """Decode a document and tell its language; raises Unreadable with the reason."""
    text, chosen = identify(data, name)
    kind = {"html": HTML, "text": PROSE}.get(chosen.name, CODE)
    return Opened(name, kind, chosen, text)


def kinds_of(opened: Opened, seconds: float = FILE_SECONDS) -> npt.NDArray[np.uint64]:
    """Token kinds of a document, within `seconds`; raises Unreadable with the reason."""
    language = opened.front_end.name
    try:
        with time_limit(seconds):
            if opened.kind != CODE:
                return _words.of(html_text(opened.text) if opened.kind == HTML else opened.text)
            return opened.front_end.tokens(opened.text).kinds
    except TooSlow:
        raise Unreadable(f"reading it as {language} took longer than {seconds:g} s") from None
    except ValueError as error:
        raise Unreadable(str(error)) from error
    except Exception as error:  # whatever a lexer does, it costs one document and is named
        raise Unreadable(
            f"its front-end ({language}) broke on it: {type(error).__name__}: {error}"
        ) from error
