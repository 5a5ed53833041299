"""The words of names and texts, in the form in which they are compared, and which of them mean a student."""

from __future__ import annotations

import re
import unicodedata

from submissions.pseudonyms.stopwords import PROGRAM_WORDS, SUBMISSION_WORDS

# Lengths of the shortest words and numbers that identify a student by themselves.
MIN_WORD, MIN_ID = 3, 5
# That of an id that stands in a comment: one character means nobody.
MIN_ID_IN_COMMENT = 2
_MARK = r"\u0300-\u036f"
RUN = re.compile(rf"[^\W_](?:[^\W_]|[{_MARK}])*")
PIECE = re.compile(r"\d+|[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|[A-Z]+")
# Letters that Unicode does not decompose into a plain letter and an accent.
LETTERS = str.maketrans(
    {"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "\u0131": "i"}
)
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})


def normalise_word(word: str) -> str:
    """Return a word in lower case and without accents."""
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", word.casefold().translate(LETTERS))
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def normalised_spellings(word: str) -> set[str]:
    """Return the normalised spellings of a word: muller and mueller for `Müller`."""
    composed = unicodedata.normalize("NFC", word.casefold())
    return {normalise_word(word), normalise_word(composed.translate(UMLAUTS))}


def is_distinctive(word: str) -> bool:
    """Return whether a normalised word identifies a student by itself: an unusual word, or an id."""
    letters = re.sub(r"\d+", "", word)
    digits = len(word) - len(letters)
    if letters in SUBMISSION_WORDS or letters in PROGRAM_WORDS:
        return False
    if not digits:
        return len(word) >= MIN_WORD
    if not letters:
        return digits >= MIN_ID and not word.endswith("000") and int(word).bit_count() > 1
    return digits > 1 and len(word) > MIN_WORD


def normalised_words(name: str) -> set[str]:
    """Return the normalised spellings of the words of a name: of its runs and their pieces."""
    words = set()
    for run in RUN.findall(name):
        for word in (run, *PIECE.findall(run)):
            words |= normalised_spellings(word)
    return words


def normalised_runs(name: str) -> set[str]:
    """Return the normalised runs of letters and digits of a name."""
    return {normalise_word(run) for run in RUN.findall(name)}
