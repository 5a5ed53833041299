"""Disguises of Python that keep its functions: rename, reformat, reorder, dead statements, other loops."""

from __future__ import annotations

import ast
import io
import keyword
import tokenize
from typing import TYPE_CHECKING

from bench.disguises import python_scopes as scopes

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

PURE = (ast.Constant, ast.Name, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.expr_context)
BLANK_LINES = 0.2  # share of the statements that get a blank line before them
DEAD_STATEMENTS = 0.4  # share of the possible positions that get a dead statement
# Functions and methods that return finite iterables.
FINITE_CALLS = frozenset({"range", "sorted", "enumerate", "zip", "list", "items", "values", "keys", "splitlines"})


def rename(source: str, random: Random) -> str:
    """Rename every name that the program defines and that can be renamed safely."""
    tree = ast.parse(source)
    taken = scopes.used_names([tree]) | scopes.BUILTIN_NAMES | set(keyword.kwlist)
    names = {name: scopes.fresh_name(taken, random) for name in sorted(scopes.renamable_names(tree))}
    return ast.unparse(_Renamer(names, tree).visit(tree)) + "\n"


class _Renamer(ast.NodeTransformer):
    def __init__(self, names: dict[str, str], tree: ast.Module) -> None:
        self.names = names
        self.local_calls = {id(call) for call in scopes.local_calls(tree)}

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for field in ("id", "name", "arg", "attr"):
            value = getattr(node, field, None)
            if isinstance(value, str) and not isinstance(node, ast.keyword | ast.alias):
                setattr(node, field, self.names.get(value, value))
        if isinstance(node, ast.Global | ast.Nonlocal):
            node.names = [self.names.get(name, name) for name in node.names]
        if isinstance(node, ast.Call) and id(node) in self.local_calls:
            for word in node.keywords:
                word.arg = self.names.get(word.arg, word.arg) if word.arg else None
        return super().generic_visit(node)


def reformat(source: str, random: Random) -> str:
    """Remove the comments and change the layout: another indentation, and random blank lines."""
    text = ast.unparse(ast.parse(source)) + "\n"
    width = random.choice((2, 3, 8))
    lines = text.splitlines(keepends=True)
    for number in sorted(_statement_lines(text)):
        line = lines[number]
        depth = (len(line) - len(line.lstrip(" "))) // 4
        blank = "\n" if random.random() < BLANK_LINES else ""
        lines[number] = blank + " " * (depth * width) + line.lstrip(" ")
    return "".join(lines)


def _statement_lines(text: str) -> set[int]:
    """Return the numbers of the lines, from 0, on which a statement begins.

    Lines inside a multi-line string are not among them.
    """
    layout = {tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    numbers, starts_statement = set(), True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NEWLINE:
            starts_statement = True
        elif starts_statement and token.type not in layout:
            numbers.add(token.start[0] - 1)
            starts_statement = False
    return numbers


def reorder(source: str, random: Random) -> str:
    """Shuffle functions and methods, and swap neighbouring assignments that are independent."""
    tree = ast.parse(source)
    available = scopes.BUILTIN_NAMES | scopes.imported_names(tree.body)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            _shuffle_definitions(node.body, available, random)
        for block in [] if isinstance(node, ast.ClassDef) else _blocks(node):
            _swap_neighbours(block)
    return ast.unparse(tree) + "\n"


def _shuffle_definitions(body: list[ast.stmt], available: set[str] | frozenset[str], random: Random) -> None:
    """Shuffle, in place, the functions whose header reads only names that are available from the start."""
    movable = [item for item in body if _is_movable(item, available)]
    if not movable:
        return
    rest = [item for item in body if item not in movable]
    head = next((i for i, item in enumerate(rest) if not _is_prologue(item)), len(rest))
    random.shuffle(movable)
    body[:] = [*rest[:head], *movable, *rest[head:]]


def _is_movable(item: ast.stmt, available: set[str] | frozenset[str]) -> bool:
    if not isinstance(item, ast.FunctionDef) or item.decorator_list:
        return False
    header: list[ast.AST] = [item.args, *([item.returns] if item.returns else [])]
    return scopes.loaded_names(header) <= available


def _is_prologue(item: ast.stmt) -> bool:
    """Return whether a statement stays before the functions: a docstring, an import, an annotated field."""
    if isinstance(item, ast.Expr):
        return isinstance(item.value, ast.Constant)
    return isinstance(item, ast.Import | ast.ImportFrom | ast.AnnAssign)


def _blocks(node: ast.AST) -> list[list[ast.stmt]]:
    if isinstance(node, ast.Lambda | ast.IfExp):
        return []
    blocks = (getattr(node, name, None) for name in ("body", "orelse", "finalbody"))
    return [block for block in blocks if isinstance(block, list) and block]


def _swap_neighbours(block: list[ast.stmt]) -> None:
    for i in range(len(block) - 1):
        first, second = block[i], block[i + 1]
        if _is_pure(first) and _is_pure(second) and _independent(first, second):
            block[i], block[i + 1] = second, first


def _is_pure(item: ast.stmt) -> bool:
    if not isinstance(item, ast.Assign):
        return False
    return all(isinstance(node, PURE) for part in (item.value, *item.targets) for node in ast.walk(part))


def _independent(first: ast.stmt, second: ast.stmt) -> bool:
    first_bound, second_bound = scopes.bound_names([first]), scopes.bound_names([second])
    if first_bound & (second_bound | scopes.loaded_names([second])):
        return False
    return not second_bound & scopes.loaded_names([first])


def insert(source: str, random: Random) -> str:
    """Insert dead statements between the statements of every function."""
    tree = ast.parse(source)
    taken = scopes.used_names([tree]) | set(keyword.kwlist)
    functions = [node for node in ast.walk(tree) if isinstance(node, scopes.FUNCTIONS)]
    inner = [block for function in functions for block in _inner_blocks(function)]
    for block in inner:
        first = 1 if ast.get_docstring(ast.Module(block, [])) is not None else 0
        for position in range(len(block), first - 1, -1):
            if random.random() < DEAD_STATEMENTS:
                block[position:position] = _dead_statement(scopes.fresh_name(taken, random), random)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _inner_blocks(function: ast.AST) -> list[list[ast.stmt]]:
    """Return the blocks of a function and its compound statements, without nested functions and classes."""
    blocks = _blocks(function)
    handlers = list(getattr(function, "handlers", []))
    nested = [item for block in blocks for item in block if not isinstance(item, (*scopes.FUNCTIONS, ast.ClassDef))]
    return blocks + [block for item in [*handlers, *nested] for block in _inner_blocks(item)]


def _dead_statement(name: str, random: Random) -> list[ast.stmt]:
    number, other = random.randint(2, 99), random.randint(2, 99)
    text = random.choice(
        (
            f"{name} = {number} * {other}",
            f"{name} = [{number}, {other}]",
            f"{name} = '{name} {number}'",
            f"{name} = {number}\nif {name} < 0:\n    print({name})",
            f"for {name} in range(0):\n    print({name} + {number})",
            f"{name} = {number}\n{name} += {other}",
            f"assert {number} != -{other}",
        )
    )
    return ast.parse(text).body


def loops(source: str, random: Random) -> str:
    """Change every `for` loop to a `while` loop and every `while` loop to a `for` loop."""
    tree = ast.parse(source)
    taken = scopes.used_names([tree]) | set(keyword.kwlist)
    swapped = _LoopSwapper(lambda: scopes.fresh_name(taken, random)).visit(tree)
    return ast.unparse(ast.fix_missing_locations(swapped)) + "\n"


class _LoopSwapper(ast.NodeTransformer):
    def __init__(self, fresh: Callable[[], str]) -> None:
        self.fresh = fresh

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        if node.orelse:
            return node
        return self._while_with_index(node) if _is_finite_call(node.iter) else self._while_with_next(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        if node.orelse:
            return node
        head = f"for {self.fresh()} in iter(int, 1):\n if not ({ast.unparse(node.test)}):\n  break"
        return _with_body(head, node.body)[0]

    def _while_with_index(self, node: ast.For) -> list[ast.stmt]:
        items, index, target = self.fresh(), self.fresh(), ast.unparse(node.target)
        head = f"{items} = list({ast.unparse(node.iter)})\n{index} = 0\n"
        head += f"while {index} < len({items}):\n {target} = {items}[{index}]\n {index} += 1"
        return _with_body(head, node.body)

    def _while_with_next(self, node: ast.For) -> list[ast.stmt]:
        items, target = self.fresh(), ast.unparse(node.target)
        head = f"{items} = iter({ast.unparse(node.iter)})\nwhile True:\n try:\n  {target} = next({items})\n"
        return _with_body(head + " except StopIteration:\n  break", node.body)


def _with_body(head: str, body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of `head`, the last of which is a loop, with `body` appended to that loop."""
    statements = ast.parse(head).body
    loop = statements[-1]
    assert isinstance(loop, ast.For | ast.While)
    loop.body += body
    return statements


def _is_finite_call(iterable: ast.expr) -> bool:
    """Return whether all items can be put into a list first: the iterable is a call of FINITE_CALLS."""
    if not isinstance(iterable, ast.Call):
        return False
    target = iterable.func
    name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
    return name in FINITE_CALLS
