"""Front-ends: bytes to text, text to tokens, one table row for each language."""

from fingerprint.languages.base import FrontEnd, LexerFailed, LexicalClass, Scan, Span
from fingerprint.languages.decoding import Decoded, NotText, decode, storable
from fingerprint.languages.detection import detect, leaves_doubt, possible_languages
from fingerprint.languages.front_ends import choices, coarse_family, expect, front_end, punctuation_of_families, salts

__all__ = [
    "Decoded", "FrontEnd", "LexerFailed", "LexicalClass", "NotText", "Scan", "Span", "choices",
    "coarse_family", "decode", "detect", "expect", "front_end", "leaves_doubt", "possible_languages",
    "punctuation_of_families", "salts", "storable",
]  # fmt: skip
