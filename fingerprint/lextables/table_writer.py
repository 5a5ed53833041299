"""Make the tables of a lexer of its rules: write the instructions of their regular expressions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from re import Match, Pattern
from typing import Any, NamedTuple

import numpy as np
from pygments.lexer import bygroups, this, using
from pygments.token import Error, Whitespace, _TokenType

from fingerprint.lextables import tables as op
from fingerprint.lextables.characters import CharacterClass, Sets, partition
from fingerprint.lextables.expressions import (
    NEWLINE,
    Atomic,
    Branch,
    Failure,
    Group,
    Look,
    Node,
    One,
    Place,
    Reference,
    Repeat,
    Sequence,
    Untranslatable,
    inner_nodes,
    parse,
    pattern_of,
)
from fingerprint.lextables.loop import AGAIN, CALL, FIRST_LIST, MOST_STATES, NOTHING, POP, STAY
from fingerprint.lextables.machine import COUNTERS, GROUPS
from fingerprint.lextables.tables import LAST_GROUP, Program

# As `RegexLexer._tokens` has them: the method that matches, the action, and the transition.
Matcher = Callable[[str, int], Match[str] | None]
Rule = tuple[Any, Any, Any]

# Copies of a body that is repeated at least so often; with more a counter is used.
MOST_COPIES = 3
# Whether an empty text has a place between no words depends on the version of Python.
EMPTY_HAS_NO_BOUNDARY = int(re.match(r"\B", "") is not None)
_PLACES = {"line start": op.LINE_START, "line end": op.LINE_END, "last line end": op.LAST_LINE_END}

# The share of the rules that may need Python, which takes longer when it is asked in between.
MOST_ASKING = 0.1
# The code of the actions that tables can say.
_BY_GROUPS = bygroups(Whitespace).__code__  # type: ignore[no-untyped-call]
_USING_THIS = using(this).__code__  # type: ignore[no-untyped-call]


class First(NamedTuple):
    """The kinds that a match begins with, and whether it can be empty."""

    kinds: int
    empty: bool


class Firsts:
    """Returns what the nodes of some expressions begin with, and remembers it."""

    def __init__(self, sets: Sets) -> None:
        self._sets = sets
        self._known: dict[int, tuple[Node, First]] = {}  # by identity; the node is kept, so that it stays one

    def of(self, node: Node) -> First:
        if id(node) not in self._known:
            self._known[id(node)] = node, self._first(node)
        return self._known[id(node)][1]

    def _first(self, node: Node) -> First:
        if isinstance(node, One):
            return First(self._sets.kinds_of(node.chars), empty=False)
        if isinstance(node, Sequence):
            return self._sequence(node.items)
        if isinstance(node, Reference):
            return First(self._sets.every, empty=True)
        if isinstance(node, Place | Look):
            return First(0, empty=True)
        firsts = [self.of(one) for one in inner_nodes(node)]
        empty = any(one.empty for one in firsts) or (isinstance(node, Repeat) and node.least == 0)
        return First(self._sets.union(one.kinds for one in firsts), empty)

    def _sequence(self, items: Iterable[Node]) -> First:
        kinds = 0
        for item in items:
            first = self.of(item)
            kinds |= first.kinds
            if not first.empty:
                return First(kinds, empty=False)
        return First(kinds, empty=True)

    def never_fails(self, node: Node) -> bool:
        """Return whether a node matches at every place."""
        if isinstance(node, Repeat):
            return node.least == 0
        if isinstance(node, Sequence):
            return all(map(self.never_fails, node.items))
        if isinstance(node, Branch):
            return any(map(self.never_fails, node.alternatives))
        return isinstance(node, Group | Atomic) and self.never_fails(node.inner)


def single(node: Node) -> One | None:
    """Return the one character that a node consists of, or None."""
    while isinstance(node, Sequence) and len(node.items) == 1:
        node = node.items[0]
    return node if isinstance(node, One) else None


class Follow(NamedTuple):
    """The text after a part: the kinds with which it can begin, and whether it always matches."""

    kinds: int
    sure: bool


class ProgramWriter:
    """Writes expressions one after another; `code`, `choices` and `registers` are for all of them.

    The first rows of `choices` are left for the states of a lexer.
    """

    def __init__(self, sets: Sets, states: int) -> None:
        self.sets, self.firsts = sets, Firsts(sets)
        # The empty list is at address 0.
        self.code: list[int] = [-1]
        self.choices: list[list[int]] = [[] for _ in range(states)]
        self.registers = COUNTERS
        self._used: frozenset[int] = frozenset()

    def write(self, expression: Sequence, used: frozenset[int]) -> int:
        """Write an expression of which some groups are used; return its address."""
        start = len(self.code)
        self._used = used
        if used:
            self._add(op.CLEAR, GROUPS + 2 * max(used) + 2)
        self._node(expression, Follow(self.sets.every, sure=True))
        self._add(op.MATCHED)
        return start

    def _add(self, *numbers: int) -> int:
        """Add an instruction; return the address of its first operand."""
        self.code += numbers
        return len(self.code) - len(numbers) + 1

    def add(self, *numbers: int) -> int:
        """Add numbers that are no instruction; return the address of the first one."""
        return self._add(*numbers) - 1

    def _node(self, node: Node, follow: Follow) -> None:
        if isinstance(node, One | Place | Reference | Failure):
            self._one_place(node)
        elif isinstance(node, Sequence):
            self._sequence(node, follow)
        elif isinstance(node, Branch):
            self._branch(node, follow)
        elif isinstance(node, Repeat):
            self._repeat(node, follow)
        elif isinstance(node, Group):
            self._group(node, follow)
        elif isinstance(node, Look):
            self._part(op.NO_LOOK if node.negated else op.LOOK, node.inner, node.behind)
        else:
            self._part(op.ATOMIC, node.inner)

    def _one_place(self, node: One | Place | Reference | Failure) -> None:
        if isinstance(node, One):
            self._one(node)
        elif isinstance(node, Place):
            self._place(node)
        elif isinstance(node, Reference):
            self._add(op.REFERENCE, GROUPS + 2 * node.number, int(node.ignores_case))
        else:
            self._add(op.FAIL)

    def _sequence(self, node: Sequence, follow: Follow) -> None:
        follows = [follow]
        for item in reversed(node.items[1:]):
            follows.append(self._before(item, follows[-1]))
        word: list[int] = []
        for item in node.items:
            after = follows.pop()
            kind = self._only_kind(item)
            if kind >= 0:
                word.append(kind)
                continue
            self._word(word)
            self._node(item, after)
        self._word(word)

    def _before(self, item: Node, follow: Follow) -> Follow:
        first = self.firsts.of(item)
        kinds = first.kinds | (follow.kinds if first.empty else 0)
        return Follow(kinds, follow.sure and self.firsts.never_fails(item))

    def _only_kind(self, node: Node) -> int:
        """Return the kind that a node matches one character of; -1 for another node."""
        if not isinstance(node, One):
            return -1
        kinds = self.sets.kinds_of(node.chars)
        return kinds.bit_length() - 1 if kinds.bit_count() == 1 else -1

    def _word(self, kinds: list[int]) -> None:
        if len(kinds) == 1:
            self._add(op.CHARACTER, kinds[0])
        elif kinds:
            self._add(op.WORD, len(kinds), *kinds)
        kinds.clear()

    def _one(self, node: One) -> None:
        kind = self._only_kind(node)
        if kind >= 0:
            self._add(op.CHARACTER, kind)
        else:
            self._add(op.ONE, self.sets.row(self.sets.kinds_of(node.chars)))

    def _group(self, node: Group, follow: Follow) -> None:
        if node.number not in self._used:
            return self._node(node.inner, follow)
        self._add(op.SAVE, GROUPS + 2 * node.number)
        self._node(node.inner, follow)
        self._add(op.SAVE, GROUPS + 2 * node.number + 1)
        return None

    def _place(self, node: Place) -> None:
        row = self.sets.row(self.sets.kinds_of(node.chars))
        if node.name.endswith("boundary"):
            wanted = int(node.name == "boundary")
            self._add(op.BOUNDARY, row, wanted, 0 if wanted else EMPTY_HAS_NO_BOUNDARY)
        elif node.name in _PLACES:
            self._add(_PLACES[node.name], row)
        else:
            self._add(op.TEXT_START if node.name == "text start" else op.TEXT_END)

    def _part(self, operation: int, inner: Node, *operands: int) -> None:
        """Write a part that is matched for itself."""
        exit_at = self._add(operation, 0, *operands)
        self._node(inner, Follow(self.sets.every, sure=True))
        self._add(op.DONE)
        self.code[exit_at] = len(self.code)

    def _branch(self, node: Branch, follow: Follow) -> None:
        if len(node.alternatives) == 1:
            return self._node(node.alternatives[0], follow)
        begins = [self._before(one, follow).kinds for one in node.alternatives]
        row = len(self.choices)
        self.choices.append([])
        self._add(op.BRANCH, row)
        addresses, jumps = [], []
        for alternative in node.alternatives:
            addresses.append(len(self.code))
            self._node(alternative, follow)
            jumps.append(self._add(op.JUMP, 0))
        self.choices[row] = self.lists_by_kind(begins, addresses)
        for jump in jumps:
            self.code[jump] = len(self.code)
        return None

    def lists_by_kind(self, begins: list[int], addresses: list[int]) -> list[int]:
        """Add lists of the addresses to try at a kind; return where they are, by kind."""
        row, known = [0] * self.sets.width, dict[int, int]()
        for kind in self.sets.bits(self.sets.union(begins)):
            chosen = sum(1 << index for index, kinds in enumerate(begins) if kinds >> kind & 1)
            if chosen not in known:
                known[chosen] = len(self.code)
                self.code += [addresses[index] for index in self.sets.bits(chosen)]
                self.code.append(-1)
            row[kind] = known[chosen]
        return row

    def _repeat(self, node: Repeat, follow: Follow) -> None:
        first = self.firsts.of(node.inner)
        one = single(node.inner)
        if one is not None:
            self._repeat_one(node, self.sets.kinds_of(one.chars), follow)
        elif node.mode == "possessive":
            self._possessive(node, first.kinds if not first.empty else self.sets.every)
        elif (node.least, node.most) == (0, 1):
            self._optional(node, follow)
        elif node.least <= MOST_COPIES and node.most in (-1, node.least) and not first.empty:
            self._copies(node, follow)
        else:
            self._counted(node, follow)

    def _repeat_one(self, node: Repeat, kinds: int, follow: Follow) -> None:
        row, mode = self.sets.row(kinds), node.mode
        if mode == "lazy" and follow.sure:
            self._add(op.SPAN, row, node.least, node.least)
        elif mode == "possessive" or (mode == "greedy" and (follow.sure or not kinds & follow.kinds)):
            self._add(op.SPAN, row, node.least, node.most)
        else:
            operation = op.GREEDY if mode == "greedy" else op.LAZY
            self._add(operation, row, node.least, node.most, self.sets.row(follow.kinds))

    def _copies(self, node: Repeat, follow: Follow) -> None:
        """Write a body so often as it is needed at least, and a loop for more."""
        kinds = self.firsts.of(node.inner).kinds
        after = Follow(kinds | follow.kinds, sure=False)
        for _ in range(node.least):
            self._node(node.inner, after)
        if node.most < 0:
            loop = len(self.code)
            self._optional(node, follow, after)
            # The body returns to its start; what skips it goes behind the jump.
            self._add(op.JUMP, loop)
            self.code[loop + 3 + (node.mode == "greedy")] = len(self.code)

    def _optional(self, node: Repeat, follow: Follow, after: Follow | None = None) -> None:
        kinds = self._before(node.inner, follow).kinds
        rows = [self.sets.row(kinds), self.sets.row(follow.kinds)]
        is_lazy = node.mode == "lazy"
        addresses = self._add(op.SPLIT, *(reversed(rows) if is_lazy else rows), 0, 0) + 2
        self.code[addresses + is_lazy] = len(self.code)
        self._node(node.inner, after or follow)
        self.code[addresses + (not is_lazy)] = len(self.code)

    def _counter(self) -> int:
        self.registers += 2
        return self.registers - 2

    def _counted(self, node: Repeat, follow: Follow) -> None:
        counter, is_lazy = self._counter(), node.mode == "lazy"
        begin = self._before(node.inner, follow).kinds
        rows = [self.sets.row(begin), self.sets.row(follow.kinds)]
        self._add(op.REPEAT, counter)
        until = len(self.code)
        operands = self._add(op.UNTIL, counter, node.least, node.most, 0, 0, *rows)
        if is_lazy:
            self.code[until] = op.UNTIL_LAZY
            self._add(len(self.code) + 1)
            more = self._add(op.MORE, counter, node.most, 0)
            self.code[more + 2] = len(self.code)
        self.code[operands + 3] = len(self.code)
        self._node(node.inner, Follow(begin | follow.kinds, sure=False))
        self._add(op.JUMP, until)
        self.code[operands + 4] = len(self.code)

    def _possessive(self, node: Repeat, begin: int) -> None:
        counter = self._counter()
        self._add(op.REPEAT, counter)
        row = self.sets.row(begin)
        exit_at = self._add(op.POSSESSIVE, counter, node.least, node.most, 0, row) + 3
        self._node(node.inner, Follow(self.sets.every, sure=True))
        self._add(op.DONE)
        self.code[exit_at] = len(self.code)


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

    def __init__(self, rules: dict[str, list[Rule]], *, reads_itself: bool, most_asking: float = MOST_ASKING) -> None:
        self.states = numbered_states(rules)
        self._reads_itself, self._most_asking = reads_itself, most_asking
        self._rules = numbered_rules(rules, self.states)
        self._types: dict[_TokenType, int] = {Whitespace: 0, Error: 1}
        self._trees = {pattern: _tree(pattern) for pattern in {_pattern(rule) for _, rule in self._rules}}
        self._addresses: dict[tuple[Pattern[str], frozenset[int]], int] = {}
        self._folds, self._asking = False, 0

    def tables(self) -> LexerTables:
        """Return the tables.

        Raises Untranslatable when a rule is none that Pygments documents, or too many rules need Python.
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
