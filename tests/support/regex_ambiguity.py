"""A proof that a regular expression takes linear time in Python's backtracking engine.

Matching takes more than linear time only if, for some word, a state leads back to itself, and also to another
state that leads back to itself, or if it leads back to itself in two ways (A. Weber and H. Seidl, 1991, "On
the degree of ambiguity of finite automata"). `pumped_word` looks for such a word.

Only ways that fail are tried again. So the ways of the second state do not count where the next character
lets the expression end, or leads to a state that cannot fail. An atomic group is left once: what is inside it
and what follows it are not tried in combination.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set as AbstractSet
from functools import cache
from math import inf
from typing import Any, NamedTuple

from tests.support.regex_automaton import Automaton, Way

# Where `slow_texts` stops: pairs of states, and words of each.
MOST_PAIRS, MOST_WORDS = 100, 300


class Pumped(NamedTuple):
    """Text that leads to a state of a loop, and a word that leads from there back to it."""

    before: str
    word: str


def pumped_word(pattern: re.Pattern[Any], method: str) -> str | None:
    """Return a word whose repetition takes more than linear time; None proves that there is none."""
    search = _Search(Automaton(pattern, method))
    return next((word for _, word in search.words(search.pairs())), None)


def pumped_texts(pattern: re.Pattern[Any], method: str) -> set[Pumped]:
    """Return a text for each loop of an expression."""
    return _Search(Automaton(pattern, method)).texts()


def slow_texts(automaton: Automaton) -> Iterator[Pumped]:
    """Yield texts that take an expression more than linear time.

    No proof that there are no others: of an expression with many loops only some are looked at, and not long.
    """
    return _Search(automaton, MOST_WORDS).slow_texts()


class _Search:
    """Looks at words of each two states, in order of their length, until there are `most` of them."""

    def __init__(self, automaton: Automaton, most: float = inf) -> None:
        self.automaton, self.most = automaton, most
        self.reach = {state: self._reachable(state) for state in automaton.states}
        self.loops = [state for state in automaton.states if state in self.reach[state]]
        self.representatives = cache(self._representatives)
        self.characters = self.representatives(frozenset(self.automaton.ways))
        self.sure = self._cannot_fail()
        # The same steps are taken in thousands of words.
        self.fails, self.targets = cache(self._fails), cache(self._targets)

    def pairs(self) -> list[tuple[int, int]]:
        """Return the states of loops, each with those after it that also are, which can fail."""
        return [
            (first, second)
            for first in self.loops
            for second in self.loops
            if second not in self.sure and self._may_follow(first, second)
        ]

    def words(self, pairs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, str]]:
        """Yield the first state of each ambiguous pair, and the word."""
        for first, second in pairs:
            word = self._twice(first) if first == second else self._word(first, second)
            if word is not None:
                yield first, word

    def slow_texts(self) -> Iterator[Pumped]:
        before = self._words(self.automaton.entries())
        # The last states are at the beginning of the expression.
        pairs = sorted(self.pairs(), reverse=True)[:MOST_PAIRS]
        return (Pumped(before.get(state, ""), word) for state, word in self.words(pairs))

    def texts(self) -> set[Pumped]:
        before = self._words(self.automaton.entries())
        loops = {state: self._words(self.automaton.ways[state])[state] for state in self.loops if state in before}
        return {Pumped(before[state], word) for state, word in loops.items()}

    def _words(self, ways: Iterable[Way]) -> dict[int, str]:
        """Return a shortest word by which `ways` lead to each state, as if nothing but it mattered."""
        words: dict[int, str] = {}
        waiting = [("", way) for way in ways]
        for word, way in waiting:
            chars = self.characters & (way.condition.after or frozenset())
            if chars and way.target not in words:
                words[way.target] = word + chr(min(chars))
                waiting += [(words[way.target], further) for further in self.automaton.ways[way.target]]
        return words

    def _may_follow(self, first: int, second: int) -> bool:
        inside = self.automaton.groups(first) <= self.automaton.groups(second)
        return first == second or (second in self.reach[first] and inside)

    def _reachable(self, state: int) -> set[int]:
        waiting, seen = [state], set[int]()
        while waiting:
            new = {way.target for way in self.automaton.ways[waiting.pop()]} - seen
            seen |= new
            waiting += new
        return seen

    def _together(self, state: int) -> set[int]:
        """Return the states of all loops through a state."""
        return {other for other in self.reach[state] if state in self.reach[other]}

    def _representatives(self, states: AbstractSet[int]) -> frozenset[int]:
        """Return one of all characters that some states cannot tell from each other, a visible one."""
        every = (self.automaton.ways, self.automaton.ends)
        ways = [way for state in states for ways in every for way in ways.get(state, [])]
        parts = {chars for way in ways for chars in way.condition if chars is not None}
        parts |= {chars for state in states if (chars := self.automaton.nodes[state].chars) is not None}
        kinds: dict[tuple[bool, ...], int] = {}
        for char in sorted(self.automaton.alphabet, key=lambda char: (not 33 <= char < 127, char)):
            kinds.setdefault(tuple(char in part for part in parts), char)
        return frozenset(kinds.values())

    def _cannot_fail(self) -> set[int]:
        """Return the states from which the expression always ends well, whatever follows."""
        sure = set(self.automaton.states)
        while failing := {state for state in sure if not self._goes_on(state, sure)}:
            sure -= failing
        return sure

    def _goes_on(self, state: int, sure: AbstractSet[int]) -> bool:
        chars = self.automaton.nodes[state].chars
        ways = self.automaton.ends[state] + [way for way in self.automaton.ways[state] if way.target in sure]
        always = [way.condition.after for way in ways if way.condition.before in {None, chars}]
        return self.automaton.around <= frozenset[int]().union(*(after or () for after in always))

    def _fails(self, state: int, last: int, char: int) -> bool:
        """Return whether the expression may fail in a state that read `last` and is to read `char`."""
        ends = (way for way in self.automaton.ends[state] if _allows(way, last, char))
        well = (way for way in self.automaton.ways[state] if way.target in self.sure)
        return not any(ends) and not any(_allows(way, last, char) for way in well)

    def _targets(self, state: int, last: int, char: int) -> list[int]:
        return [way.target for way in self.automaton.ways[state] if _allows(way, last, char)]

    def _steps(self, state: int, last: int, char: int, among: AbstractSet[int]) -> list[int]:
        return [target for target in self.targets(state, last, char) if target in among]

    def _word(self, first: int, second: int) -> str | None:
        """Return a word from `first` to itself and to `second`, and from `second` to itself, or None."""
        loop, other = self._together(first), self._together(second)
        between = {state for state in self.reach[first] if state == second or second in self.reach[state]}

        def steps(states: tuple[int, ...], last: int, char: int) -> Iterator[tuple[int, ...]]:
            if not self.fails(states[2], last, char):
                return
            for one in self._steps(states[0], last, char, loop):
                for two in self._steps(states[1], last, char, between):
                    for three in self._steps(states[2], last, char, other):
                        yield one, two, three

        chars = self.representatives(frozenset(loop | between | other))
        return self._way_back((first, first, second), (first, second, second), steps, chars)

    def _twice(self, state: int) -> str | None:
        """Return a word from a state to itself in two ways, or None."""
        loop = self._together(state)
        doubled = self.automaton.doubled

        def steps(states: tuple[int, ...], last: int, char: int) -> Iterator[tuple[int, ...]]:
            if not self.fails(states[0], last, char):
                return
            for one in self._steps(states[0], last, char, loop):
                for two in self._steps(states[1], last, char, loop):
                    differ = one != two or (states[0], one) in doubled
                    yield one, two, int(bool(states[2] or differ))

        chars = self.representatives(frozenset(loop))
        return self._way_back((state, state, 0), (state, state, 1), steps, chars)

    def _way_back(
        self, start: tuple[int, ...], goal: tuple[int, ...], steps: Any, characters: frozenset[int]
    ) -> str | None:
        """Return the word of the shortest way from `start` to `goal` whose last characters are the same."""
        chars = [self.automaton.nodes[state].chars or frozenset() for state in start[::2] if state != 0]
        for last in sorted(characters.intersection(*chars)):
            words = {(start, last): ""}
            waiting = [(start, last)]
            for states, before in waiting:
                if (goal, last) in words or len(words) > self.most:
                    break
                for char in characters:
                    for reached in steps(states, before, char):
                        if (reached, char) not in words:
                            words[reached, char] = words[states, before] + chr(char)
                            waiting.append((reached, char))
            if (goal, last) in words:
                return words[goal, last]
        return None


def _allows(way: Way, last: int, char: int) -> bool:
    before, after = way.condition
    return (before is None or last in before) and (after is None or char in after)
