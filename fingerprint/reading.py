"""From the bytes of one file to its tokens: decode, tell the language, run its front-end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.languages import decode, detect, front_end
from fingerprint.languages.lexical_terms import Lexical, lexical_of
from fingerprint.params import Params, Profile
from fingerprint.time_limit import TooSlow, time_limit

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.languages.base import FrontEnd
    from fingerprint.tokens import TokenStream
    from fingerprint.types import Lines


LINE_END = re.compile(r"\r\n|\r|\n")
# Seconds that one file may take; 1 MB of source needs about one.
FILE_SECONDS = 20.0


class Unreadable(ValueError):
    """A file of which no tokens can be made; the message says why, for its uploader."""


class Reading(NamedTuple):
    """One file read: `text` as shown, the front-end that read it, its tokens, its names and literals."""

    text: str
    front_end: FrontEnd
    tokens: TokenStream
    lexical: Lexical


def identify(data: bytes, filename: str, language: str = "") -> tuple[str, FrontEnd]:
    """Decode a file and find its front-end: `language` where given, else told by name and content.

    Returns
    -------
    The text as its front-end shows it, and the front-end.

    Raises
    ------
    Unreadable
        When the bytes are no text, or a container such as a notebook is broken.
    ValueError
        When there is no such language.
    """
    chosen = front_end(language) if language else None
    try:
        decoded = decode(data).text
        chosen = chosen or front_end(detect(filename, decoded))
        return chosen.text(decoded), chosen
    except ValueError as error:
        raise Unreadable(str(error)) from error


def read(data: bytes, filename: str, language: str = "", seconds: float = FILE_SECONDS) -> Reading:
    """Read one file whole, within `seconds`; raises as `identify` does."""
    try:
        with time_limit(seconds):
            text, chosen = identify(data, filename, language)
            scan = chosen.scan(text)
            return Reading(text, chosen, scan.tokens, lexical_of(scan))
    except TooSlow:
        raise Unreadable(f"reading it as {language or 'code'} took longer than {seconds:g} s") from None
    except Unreadable:
        raise
    except ValueError as error:
        raise Unreadable(str(error)) from error


def profile_of(chosen: FrontEnd, params: Params) -> Profile:
    """Give the profile under which a front-end's fingerprints are stored."""
    return Profile(chosen.name, chosen.version, params)


def _line_starts(text: str) -> npt.NDArray[np.int64]:
    """Offsets at which the lines of a text begin; LF, CRLF and lone CR end one."""
    chars = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    ends = chars == ord("\n")
    if "\r" in text:
        lone = chars == ord("\r")
        lone[:-1] &= ~ends[1:]
        ends |= lone
    return np.concatenate(([0], np.flatnonzero(ends) + 1))


def token_lines(text: str, tokens: TokenStream) -> Lines:
    """Line, from 1, on which each token begins (int32 [n])."""
    return np.searchsorted(_line_starts(text), tokens.starts, side="right").astype(np.int32)
