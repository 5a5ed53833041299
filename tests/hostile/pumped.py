"""Texts in which one word is repeated: those that lead round a loop of an expression, and usual ones."""

from functools import cache

from tests.support.product_regexes import listed
from tests.support.regex_ambiguity import Pumped, pumped_texts

# Beginnings and ends of lines, values, lists and comments in the formats of platforms and rosters.
USUAL = (
    "\n", "\r\n", "\r", " ", "\t", "\n ", " \n", "(", ")", "[", "{", "<", '"', "'", '""', "''", "\\", "\\x",
    ",", ";", ":", ": ", "- ", "_", "a_", "a,", '"a",', '"\n', "Name:", "Name: a (", "Name:\n", "\nName: a",
    "Original filename: a\n", "Filename: a\n", "&nbsp;", "\0", "\ufeff", "é", "\u2028",
)  # fmt: skip


@cache
def pumped(folder: str) -> tuple[Pumped, ...]:
    """Return the usual words, and those of each expression in the files of a folder of the product."""
    words = {
        text
        for one in listed().written
        if one.place.file.startswith(folder) and isinstance(one.pattern.pattern, str)
        for method in one.methods
        for text in pumped_texts(one.pattern, method)
    }
    return (*(Pumped("", word) for word in USUAL), *sorted(words))


def repeated(text: Pumped, characters: int, end: str = "\x01") -> str:
    """Return a text of about so many characters, and of its beginning once at least."""
    return text.before + text.word * max(1, (characters - len(text.before)) // len(text.word)) + end
