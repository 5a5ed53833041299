"""Texts that make the rules of a lexer slow, from the proof that tells which expressions are linear.

A lexer tries its rules at one character after another. So a rule is slow for a text if a search for its
expression is: where it fails, having read far, it is tried again a little later.

`python -m tests.hostile.rules [NAME ...]` lists slow rules, and adds the slowest of each front-end
to `slow_texts.json`.
"""

import argparse
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from fingerprint.languages.front_ends import front_end
from fingerprint.languages.language_table import LANGUAGES, Language
from fingerprint.lextables.dispatch import apply_transition
from tests.hostile.search import Candidate, matches_of, measured, seconds_for, states_of, suffix_of
from tests.hostile.slow_texts import FOUND, SlowText, slowest_texts
from tests.support.regex_ambiguity import Pumped, slow_texts
from tests.support.regex_automaton import Automaton, parser

States = dict[str, list[Any]]

CHARACTERS = 50_000
# A rule is listed as slow if the lexer takes longer for a text of so many characters.
SLOW_SECONDS = 0.5
# The lexer is stopped after so many seconds, of which other programs may use most.
MOST = 4.0
# Alternatives of a list of words that are read; the others take as long.
ALTERNATIVES = 4
# Words that are repeated for each rule; further ones differ little.
WORDS = 4
# A character that few rules read.
UNUSUAL = "\x01"
# Stands for what a reference to a group reads, so that it is rarely there.
REFERENCE = "Ж"


class RuleText(NamedTuple):
    """A text, and the expression of the rule that it is to make slow."""

    rule: str
    text: Candidate


class RuleAutomaton(Automaton):
    """The automaton of a rule: references to groups read REFERENCE, and of many words some are read."""

    def _item(self, item: Any, then: int) -> int:
        match str(item[0]), item[1]:
            case "GROUPREF", _:
                return super()._item((parser.LITERAL, ord(REFERENCE)), then)
            case "GROUPREF_EXISTS", (_, yes, no):
                return super()._item((parser.BRANCH, (None, [list(yes), list(no or [])])), then)
            case "BRANCH", (_, alternatives):
                some = [one for n, one in enumerate(alternatives) if n < ALTERNATIVES or _has_loop(one)]
                return super()._item((item[0], (None, some)), then)
        return super()._item(item, then)


def rule_texts(row: Language) -> list[RuleText]:
    """Return texts that make the rules of the lexer of a front-end slow; each rule is tried in one state."""
    states = states_of(row)
    rules: dict[re.Pattern[str], str] = {}
    for state, before in beginnings(states).items():
        for rule in states[state]:
            rules.setdefault(rule[0].__self__, before)
    texts = {
        RuleText(pattern.pattern, text): None
        for pattern, before in rules.items()
        for word in slow_words(pattern)
        for text in _candidates(before, word)
    }
    return list(texts)


def _candidates(before: str, slow: Pumped) -> Iterator[Candidate]:
    """Yield a text that repeats a word in one visit to a state, and one that comes to the state each time."""
    start = before + slow.before
    yield Candidate(start, slow.word, UNUSUAL)
    if start:
        yield Candidate("", start + slow.word, f"\n{UNUSUAL}")


def slow_words(pattern: re.Pattern[str]) -> list[Pumped]:
    """Return some words whose repetition takes a search for an expression more than linear time."""
    if not _has_loop(parser.parse(pattern.pattern, pattern.flags)):
        return []
    words = dict.fromkeys(slow_texts(RuleAutomaton(pattern, "search")))
    return sorted(words, key=lambda one: (len(one.before + one.word), one))[:WORDS]


def _has_loop(tree: Any) -> bool:
    if isinstance(tree, tuple) and len(tree) == 3 and tree[1] == parser.MAXREPEAT:
        return True
    return isinstance(tree, list | tuple | parser.SubPattern) and any(map(_has_loop, tree))


def beginnings(states: States) -> dict[str, str]:
    """Return for each state of a lexer a text that leads to it; "" for those that none is found for."""
    texts = {"root": ""} if states else {}
    waiting = list(texts)
    for state in waiting:
        for text in _transitions(states[state]):
            for reached in states_after(states, texts[state] + text):
                if reached not in texts:
                    texts[reached] = texts[state] + text
                    waiting.append(reached)
    return texts | {state: "" for state in states if state not in texts}


def _transitions(rules: list[Any]) -> Iterator[str]:
    for match_at, _, transition in rules:
        if transition is not None:
            yield from matches_of(match_at.__self__)


def states_after(states: States, text: str) -> Iterator[str]:
    """Yield the states in which a lexer is at the end of a text, before a character that few rules read."""
    names, at, followed = ["root"], 0, text + UNUSUAL
    while at <= len(text):
        if at == len(text):
            yield names[-1]
        rules = ((match_at(followed, at), transition) for match_at, _, transition in states[names[-1]])
        match, transition = next((rule for rule in rules if rule[0]), (None, None))
        at = match.end() if match else at + 1
        if transition is not None:
            apply_transition(names, transition)


def slow_texts_of(row: Language) -> list[SlowText]:
    """Return a text for each rule for which the lexer takes longer than SLOW_SECONDS."""
    reader = front_end(row.name).tokens
    reader("x")
    slow: dict[str, Candidate] = {}
    for rule, text in rule_texts(row):
        if rule not in slow and seconds_for(reader, text.text(CHARACTERS), MOST) > SLOW_SECONDS:
            slow[rule] = text
    return [measured(f"{row.name} by {rule}", suffix_of(row), reader, text) for rule, text in slow.items()]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("names", nargs="*", help="front-ends; default: all")
    names = arguments.parse_args().names
    rows = {row.target: row for row in slowest_texts()}
    for row in LANGUAGES:
        if row.name in names or not names:
            slow = sorted(slow_texts_of(row), key=lambda one: one.seconds)
            print(f"{row.name}: {', '.join(one.target for one in slow) or 'none'}", flush=True)  # noqa: T201 - a command
            rows |= {one.target: one for one in slow[-1:]}
            FOUND.write_text(json.dumps([one._asdict() for one in rows.values()], indent=1) + "\n")


if __name__ == "__main__":
    main()
