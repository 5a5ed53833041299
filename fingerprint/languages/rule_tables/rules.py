"""Make the tables of a lexer of its rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pygments.lexer import bygroups, this, using
from pygments.token import Error, Whitespace, _TokenType

from fingerprint.languages.rule_patterns import pattern_of
from fingerprint.languages.rule_tables.characters import CharacterClass, Sets, partition
from fingerprint.languages.rule_tables.expressions import (
    NEWLINE,
    One,
    Place,
    Reference,
    Sequence,
    Untranslatable,
    inner_nodes,
    parse,
)
from fingerprint.languages.rule_tables.loop import (
    AGAIN,
    CALL,
    FIRST_LIST,
    MOST_STATES,
    NOTHING,
    POP,
    STAY,
)
from fingerprint.languages.rule_tables.parts import GROUPS
from fingerprint.languages.rule_tables.programs import ProgramWriter
from fingerprint.languages.rule_tables.tables import LAST_GROUP, Program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from re import Match, Pattern

    from fingerprint.languages.rule_tables.expressions import Node

    # As `RegexLexer._tokens` has them: the method that matches, the action, and the transition.
    Matcher = Callable[[str, int], Match[str] | None]
    Rule = tuple[Any, Any, Any]

# The share of the rules that may need Python, which takes longer when it is asked in between.
MOST_ASKING = 0.1
# The code of the actions that tables can say.
_BY_GROUPS = bygroups(Whitespace).__code__  # type: ignore[no-untyped-call]
_USING_THIS = using(this).__code__  # type: ignore[no-untyped-call]


class LexerTables(NamedTuple):
    """The tables of a lexer; `matchers` and `actions` are those of its rules, for Python."""

    program: Program
    states: dict[str, int]
    types: list[_TokenType]
    matchers: list[Matcher]
    actions: list[Any]
    registers: int
    folds: bool


def _pattern(rule: Rule) -> Pattern[str]:
    pattern = pattern_of(rule[0])
    if pattern is None:
        raise Untranslatable("a rule without a regular expression")
    return pattern


def numbered_states(rules: Mapping[str, list[Rule]]) -> dict[str, int]:
    """Return the numbers of the states of a lexer; the first is `root`."""
    names = ["root", *(name for name in rules if name != "root")]
    return {name: number for number, name in enumerate(names)}


def numbered_rules(rules: Mapping[str, list[Rule]], states: Mapping[str, int]) -> list[tuple[int, Rule]]:
    """Return the rules of all states in the order of their numbers, each with the number of its state."""
    return [(number, rule) for name, number in states.items() for rule in rules[name]]


class TableWriter:
    """Makes the tables of the rules of some states; `root` is the first state.

    With `reads_itself` a part of the text may be read by the tables where a rule has the lexer read it.
    `most_asking` is the share of the rules that may need Python.
    """

    def __init__(
        self, rules: dict[str, list[Rule]], *, reads_itself: bool, most_asking: float = MOST_ASKING
    ) -> None:
        self.states = numbered_states(rules)
        self._reads_itself, self._most_asking = reads_itself, most_asking
        self._rules = numbered_rules(rules, self.states)
        self._types: dict[_TokenType, int] = {Whitespace: 0, Error: 1}
        self._trees = {pattern: _tree(pattern) for pattern in {_pattern(rule) for _, rule in self._rules}}
        self._addresses: dict[tuple[Pattern[str], frozenset[int]], int] = {}
        self._folds, self._asking = False, 0

    def tables(self) -> LexerTables:
        """Return the tables.

        Raises
        ------
        Untranslatable
            When a rule is none that Pygments documents, or too many rules need Python.
        """
        classes = {NEWLINE: 0}
        for tree in filter(None, self._trees.values()):
            for one in classes_of(tree):
                classes.setdefault(one, len(classes))
        parts = partition(list(classes))
        self._sets = Sets(classes, parts)
        self._writer = ProgramWriter(self._sets, len(self.states))
        self._write_rules()
        code = np.array(self._writer.code, np.int64)
        choices = np.array(self._writer.choices, np.int32)
        program = Program(code, self._sets.member(), choices, parts.pages, parts.kinds)
        matchers, actions = [rule[0] for _, rule in self._rules], [rule[1] for _, rule in self._rules]
        if self._asking > self._most_asking * len(self._rules):
            raise Untranslatable("many of its rules need Python")
        types, registers = [*self._types], self._writer.registers
        return LexerTables(program, self.states, types, matchers, actions, registers, self._folds)

    def _write_rules(self) -> None:
        """Write the rules, and for each state and kind which of them to try."""
        addresses = [self._write_rule(number, rule) for number, (_, rule) in enumerate(self._rules)]
        begins = [self._begins(self._trees[_pattern(rule)]) for _, rule in self._rules]
        for state in self.states.values():
            numbers = [number for number, (of, _) in enumerate(self._rules) if of == state]
            self._writer.choices[state] = self._writer.lists_by_kind(
                [begins[number] for number in numbers], [addresses[number] for number in numbers]
            )

    def _write_rule(self, number: int, rule: Rule) -> int:
        """Write a rule; return its address."""
        pattern, (_, action, transition) = _pattern(rule), rule
        tree, code, used = self._trees[pattern], CALL, frozenset[int]()
        start = -1
        if tree is not None:
            code, used = self._action(action, pattern.groups)
            references = [*references_of(tree)]
            self._folds |= any(one.ignores_case for one in references)
            start = self._expression(pattern, tree, used.union(one.number for one in references))
        # An expression that Python matches is tried at every place where its state is.
        self._asking += len(self._rules) if start < 0 else code == CALL
        return self._writer.add(start, code, self._transition(transition), number)

    def _expression(self, pattern: Pattern[str], tree: Sequence, used: frozenset[int]) -> int:
        """Return the address of an expression, which several rules may have."""
        if (pattern, used) not in self._addresses:
            self._addresses[pattern, used] = self._writer.write(tree, used)
        return self._addresses[pattern, used]

    def _begins(self, tree: Sequence | None) -> int:
        """Return the kinds with which a match of an expression can begin."""
        first = self._writer.firsts.of(tree) if tree is not None else None
        return first.kinds if first and not first.empty else self._sets.every

    def _action(self, action: Any, groups: int) -> tuple[int, frozenset[int]]:
        """Return the code of an action, and the groups that it uses."""
        if action is None:
            return NOTHING, frozenset()
        if isinstance(action, _TokenType):
            return self._type(action), frozenset()
        try:
            pairs = [*self._pairs(action, groups)]
        except Untranslatable:
            return CALL, frozenset()
        numbers = [number for group, what in pairs for number in (GROUPS + 2 * group, what)]
        return FIRST_LIST - self._writer.add(*numbers, -1), frozenset(group for group, _ in pairs)

    def _pairs(self, action: Any, groups: int) -> Iterator[tuple[int, int]]:
        """Yield the groups of an action, and what is done with each."""
        if getattr(action, "__code__", None) is not _BY_GROUPS:
            yield 0, self._read_by_this(action)
            return
        (parts,) = (cell.cell_contents for cell in action.__closure__)
        for group, part in enumerate(parts, start=1):
            if part is None:
                continue
            if group > min(groups, LAST_GROUP):
                raise Untranslatable("a group that the expression has not")
            yield group, self._type(part) if isinstance(part, _TokenType) else self._read_by_this(part)

    def _read_by_this(self, action: Any) -> int:
        """Return the number of an action that reads what matched with this lexer."""
        if getattr(action, "__code__", None) is not _USING_THIS or not self._reads_itself:
            raise Untranslatable("a function of the lexer")
        names = action.__code__.co_freevars
        values = dict(zip(names, (cell.cell_contents for cell in action.__closure__), strict=True))
        stack = values["gt_kwargs"].get("stack", ("root",))
        if values["kwargs"] or not set(stack) <= self.states.keys() or len(stack) > MOST_STATES // 2:
            raise Untranslatable("options of the lexer")
        return POP - self._writer.add(*(self.states[name] for name in stack), STAY)

    def _type(self, token_type: _TokenType) -> int:
        return self._types.setdefault(token_type, len(self._types))

    def _transition(self, transition: Any) -> int:
        """Return the index of the changes of the stack of states; 0 for none."""
        if transition is None:
            return 0
        if isinstance(transition, int):
            changes = [POP - abs(transition)]
        else:
            names = (transition,) if isinstance(transition, str) else transition
            changes = [self._change(name) for name in names]
        if len(changes) > MOST_STATES // 2:
            raise Untranslatable("a long transition")
        return self._writer.add(*changes, STAY)

    def _change(self, name: str) -> int:
        if name == "#pop":
            return POP - 1
        if name != "#push" and name not in self.states:
            raise Untranslatable(f"no state {name!r}")
        return AGAIN if name == "#push" else self.states[name]


def _tree(pattern: Pattern[str]) -> Sequence | None:
    try:
        return parse(pattern)
    except Untranslatable:
        return None


def classes_of(node: Node) -> Iterator[CharacterClass]:
    """Yield the character classes in a tree."""
    if isinstance(node, One | Place):
        yield node.chars
    for inner in inner_nodes(node):
        yield from classes_of(inner)


def references_of(node: Node) -> Iterator[Reference]:
    """Yield the references in a tree."""
    if isinstance(node, Reference):
        yield node
    for inner in inner_nodes(node):
        yield from references_of(inner)
