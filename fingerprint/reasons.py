"""Why a file cannot be read: sentences for the uploader, each with the names of what is filled in.

The pages of the service translate them, so a value is filled into a sentence of this module only.
"""

from __future__ import annotations


def gettext_noop(text: str) -> str:
    """Return a text as it is; GNU gettext finds by the name of this function what is to be translated."""
    return text


BAD_ENCODING = gettext_noop("it is marked as {encoding}, but cannot be read as that")
NUL_BYTE = gettext_noop("it holds a NUL byte (at offset {n}), as binary files do and text files do not")
CONTROLS = gettext_noop("it holds control characters ({share} of it), as binary files do")
LANGUAGE_TOO_SLOW = gettext_noop("finding out its language took longer than {n} s")
READING_TOO_SLOW = gettext_noop("reading it as {language} took longer than {n} s")
LEXER_FAILED = gettext_noop("the lexer failed ({error})")
NAMED_LEXER_FAILED = gettext_noop("the {language} lexer failed ({error})")

# The first that fits a text counts.
REASONS = (BAD_ENCODING, NUL_BYTE, CONTROLS, LANGUAGE_TOO_SLOW, READING_TOO_SLOW, LEXER_FAILED, NAMED_LEXER_FAILED)
