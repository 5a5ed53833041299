"""Names that resemble a student's: another order of words, initials, logins."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from typing import TYPE_CHECKING

from submissions.core.redaction import (
    MIN_WORD,
    RUN,
    SUBMISSION_WORDS,
    normalised_runs,
    normalised_spellings,
    normalised_words,
)
from submissions.intake.rosters import id_key, name_key

if TYPE_CHECKING:
    from submissions.students.finding import Words

# A shorter word or id says nothing beside the other words of a name.
SHORTEST_WORD, SHORTEST_ID = 2, 3
# More words have too many orders.
MOST_JOINED = 4
DIGITS = re.compile(r"\d+")
# A name as people write it; others are those of files and folders.
PLAIN = re.compile(r"[^\W\d_]+(?:[ ,.'’-]+[^\W\d_]+)*")


@dataclass(frozen=True)
class Likeness:
    """The names and ids of one student, to compare those of submissions and rosters with."""

    names: frozenset[str]
    ids: frozenset[str]

    def is_same_words(self, name: str) -> bool:
        """Return whether a name is the student's but for order, case, accents, separators and numbers."""
        return bool(self._joined & _letters(DIGITS.sub("", name)))

    def is_near(self, name: str, identifier: str) -> bool:
        """Return whether a submission of this name and id may be the student's."""
        if self._ids & {bare_id(one) for one in (name, identifier, *RUN.findall(name))}:
            return True
        if any(joined in letters for letters in _letters(name) for joined in self._joined):
            return True
        words, is_plain = normalised_words(name), bool(PLAIN.fullmatch(name))
        # A run of one letter only: pieces have the M of Müller, too.
        initials = {run for run in normalised_runs(name) if len(run) == 1}
        return any(_is_near(name_words, words, initials, is_plain=is_plain) for name_words in self._words)

    @cached_property
    def fragments(self) -> frozenset[str]:
        """Texts of which a near name without accents has at least one, whatever its case."""
        return self._ids.union(*(spellings for name_words in self._words for spellings in name_words))

    @cached_property
    def _ids(self) -> frozenset[str]:
        keys = {bare_id(one) for text in self.ids for one in (text, text.partition("@")[0])}
        return frozenset(key for key in keys if len(key) >= SHORTEST_ID)

    @cached_property
    def _words(self) -> tuple[Words, ...]:
        """The words of each name in all their spellings, the family name last."""
        return tuple(words for name in sorted(self.names) if (words := _words_of(name_key(name))))

    @cached_property
    def _joined(self) -> frozenset[str]:
        """The letters of each name of several words, in every order of the words."""
        several = (name_words for name_words in self._words if 1 < len(name_words) <= MOST_JOINED)
        spelled = (one for name_words in several for one in product(*name_words))
        return frozenset("".join(order) for one in spelled for order in permutations(one))


def _is_near(name_words: Words, words: set[str], initials: set[str], *, is_plain: bool) -> bool:
    """Return whether words mean the student: all of the name, initials of it, or a part with nothing else.

    In names of files the family name is enough: the other words are those of the task.
    """
    known = [bool(one & words) for one in name_words]
    if not any(known):
        return bool(_logins(name_words) & words)
    if known[-1] and not is_plain:
        return True
    if all(has or _first(one) & initials for has, one in zip(known, name_words, strict=True)):
        return True
    return {word for word in words if _is_telling(word)} <= frozenset().union(*name_words)


def _logins(name_words: Words) -> set[str]:
    """Return logins of the usual kinds, as `zquartz` of Z. Quartz."""
    pairs = ((first, other) for first in name_words for other in name_words if first is not other)
    parts = ((letter, word) for first, other in pairs for letter in _first(first) for word in other)
    return {login for letter, word in parts for login in (letter + word, word + letter)}


def _first(spellings: frozenset[str]) -> frozenset[str]:
    return frozenset(one[0] for one in spellings)


def _is_telling(word: str) -> bool:
    letters = DIGITS.sub("", word)
    return len(letters) >= MIN_WORD and letters not in SUBMISSION_WORDS


def _words_of(name: str) -> Words:
    """Return the words of a name without its particles; all of them where it has no others."""
    runs = [frozenset(normalised_spellings(run)) for run in RUN.findall(name)]
    telling = [run for run in runs if not run & SUBMISSION_WORDS and len(min(run, key=len)) >= SHORTEST_WORD]
    return tuple(telling or runs)


def _letters(text: str) -> set[str]:
    """Return a text without accents and separators, in both spellings of umlauts."""
    spelled = [sorted(normalised_spellings(run)) for run in RUN.findall(text)]
    return {"".join(one[0] for one in spelled), "".join(one[-1] for one in spelled)}


def bare_id(identifier: str) -> str:
    """Return an id as it is compared: in lower case, without leading zeros."""
    key = id_key(identifier)
    return key.lstrip("0") if key.isdecimal() else key
