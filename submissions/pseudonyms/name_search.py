"""Searching displayed names by words, whatever the case and the accents: `muller` finds Müller."""

from __future__ import annotations

import re
from typing import NamedTuple

from submissions.pseudonyms.words import normalised_spellings

TERM = re.compile(r"(?:(?=(?:case|decided|assignee|team):)|(?=similarity[:<>]))([a-z]+)(:|[<>]=?)(\S+)")


class SearchWord(NamedTuple):
    """A word of a search, in its normalised spellings."""

    spellings: frozenset[str]

    def is_in(self, name: str) -> bool:
        """Return whether a name contains the word; Müller is also spelt Mueller."""
        names = normalised_spellings(name)
        return any(word in spelling for word in self.spellings for spelling in names)


class SearchTerm(NamedTuple):
    """A term of a search that is no part of a name, such as `similarity>60`; `operator` is ":" for most."""

    name: str
    operator: str
    value: str


def search_words(text: str) -> list[SearchWord]:
    """Return the words of a search without its terms; a name is found if each of them is in it."""
    return [
        SearchWord(frozenset(normalised_spellings(word))) for word in text.split() if not TERM.fullmatch(word)
    ]


def search_terms(text: str) -> list[SearchTerm]:
    """Return the terms of a search, in its order."""
    return [SearchTerm(*match.groups()) for word in text.split() if (match := TERM.fullmatch(word))]


def follows_decisions(text: str) -> bool:
    """Return whether what a search finds depends on decisions."""
    return any(term.name in {"decided", "assignee"} for term in search_terms(text))


def asks_of_people(text: str) -> bool:
    """Return whether a search asks what was decided, who is to decide, or who is in which team."""
    return any(term.name in {"decided", "assignee", "team"} for term in search_terms(text))
