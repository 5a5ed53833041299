"""Searching displayed names by words, whatever the case and the accents: `muller` finds Müller."""

from __future__ import annotations

from typing import NamedTuple

from submissions.pseudonyms.words import normalised_spellings


class SearchWord(NamedTuple):
    """A word of a search, in its normalised spellings."""

    spellings: frozenset[str]

    def is_in(self, name: str) -> bool:
        """Return whether a name contains the word; Müller is also spelt Mueller."""
        names = normalised_spellings(name)
        return any(word in spelling for word in self.spellings for spelling in names)


def search_words(text: str) -> list[SearchWord]:
    """Return the words of a search; a name is found if each of them is in it."""
    return [SearchWord(frozenset(normalised_spellings(word))) for word in text.split()]
