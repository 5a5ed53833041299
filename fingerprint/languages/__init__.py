"""Front-ends: bytes to text, text to tokens, one table row a language."""

from fingerprint.languages.base import Class, FrontEnd, LexerFailed, Scan, Span
from fingerprint.languages.decode import Decoded, NotText, decode
from fingerprint.languages.detect import detect
from fingerprint.languages.registry import choices, front_end, tuned

__all__ = [
    "Class",
    "Decoded",
    "FrontEnd",
    "LexerFailed",
    "NotText",
    "Scan",
    "Span",
    "choices",
    "decode",
    "detect",
    "front_end",
    "tuned",
]
