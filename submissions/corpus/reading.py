"""Read documents and turn them into tokens: words of prose and HTML, tokens of code."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fingerprint.engine import FILE_SECONDS, TooSlow, Unreadable, WordKinds, front_end, identify, time_limit
from submissions.corpus.html import HTML_VERSION, html_text
from submissions.intake.archives.unpack import unpack, walk
from submissions.intake.limits import Limits
from submissions.intake.sandbox.archives import unpack_opened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from fingerprint.engine import FrontEnd
    from submissions.intake.archives.unpack import UnpackedEntry

HTML, PROSE, CODE = "html", "prose", "code"
# The user chose the archive, so only the disk limits its size. Single files have the usual limit.
LIMITS = Limits(entries=5_000_000, total_bytes=10**12, archive_bytes=10**10)


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
        raise Unreadable(f"its front-end broke on it: {type(error).__name__}: {error}") from error
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
        raise Unreadable(f"reading it as {language} took longer than {seconds:g} s") from None
    except ValueError as error:
        raise Unreadable(str(error)) from error
    except Exception as error:  # an error of a lexer fails one document, not the sweep
        raise Unreadable(
            f"its front-end ({language}) broke on it: {type(error).__name__}: {error}"
        ) from error
