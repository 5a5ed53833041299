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
BLANK_LINES = 0.2  # of the statements get a blank line in front
DEAD_STATEMENTS = 0.4  # of the places get one
REPEATABLE = frozenset(
    {"range", "sorted", "enumerate", "zip", "list", "items", "values", "keys", "splitlines"}
)


def rename(source: str, random: Random) -> str:
    """Give every name that is the program's own another one."""
    tree = ast.parse(source)
    taken = scopes.used([tree]) | scopes.BUILTIN_NAMES | set(keyword.kwlist)
    names = {name: scopes.fresh_name(taken, random) for name in sorted(scopes.own_names(tree))}
    return ast.unparse(_Renamer(names, tree).visit(tree)) + "\n"


class _Renamer(ast.NodeTransformer):
    def __init__(self, names: dict[str, str], tree: ast.Module) -> None:
        self.names = names
        self.own_calls = {id(call) for call in scopes.own_calls(tree)}

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for field in ("id", "name", "arg", "attr"):
            value = getattr(node, field, None)
            if isinstance(value, str) and not isinstance(node, ast.keyword | ast.alias):
                setattr(node, field, self.names.get(value, value))
        if isinstance(node, ast.Global | ast.Nonlocal):
            node.names = [self.names.get(name, name) for name in node.names]
        if isinstance(node, ast.Call) and id(node) in self.own_calls:
            for word in node.keywords:
                word.arg = self.names.get(word.arg, word.arg) if word.arg else None
        return super().generic_visit(node)


def reformat(source: str, random: Random) -> str:
    """Drop the comments, lay the code out anew, indent by another width, spread blank lines."""
    text = ast.unparse(ast.parse(source)) + "\n"
    width = random.choice((2, 3, 8))
    lines = text.splitlines(keepends=True)
    starts = _statement_lines(text)
    for number in sorted(starts):
        line = lines[number]
        depth = (len(line) - len(line.lstrip(" "))) // 4
        blank = "\n" if random.random() < BLANK_LINES else ""
        lines[number] = blank + " " * (depth * width) + line.lstrip(" ")
    return "".join(lines)


def _statement_lines(text: str) -> set[int]:
    """Numbers of the lines, from 0, on which a statement begins; lines inside a long string are not."""
    found, fresh = set(), True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NEWLINE:
            fresh = True
        elif fresh and token.type not in {tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}:
            found.add(token.start[0] - 1)
            fresh = False
    return found


def reorder(source: str, random: Random) -> str:
    """Shuffle functions, methods and imports, and swap neighbours that do not touch each other."""
    tree = ast.parse(source)
    ready = scopes.BUILTIN_NAMES | scopes.imported(tree.body)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            _shuffle_definitions(node.body, ready, random)
        for block in [] if isinstance(node, ast.ClassDef) else _blocks(node):
            _swap_neighbours(block)
    return ast.unparse(tree) + "\n"


def _shuffle_definitions(body: list[ast.stmt], ready: set[str] | frozenset[str], random: Random) -> None:
    """Shuffle in place the functions whose header reads nothing that is not there from the beginning."""
    movable = [item for item in body if _is_movable(item, ready)]
    if not movable:
        return
    rest = [item for item in body if item not in movable]
    head = next((i for i, item in enumerate(rest) if not _is_prologue(item)), len(rest))
    random.shuffle(movable)
    body[:] = [*rest[:head], *movable, *rest[head:]]


def _is_movable(item: ast.stmt, ready: set[str] | frozenset[str]) -> bool:
    if not isinstance(item, ast.FunctionDef) or item.decorator_list:
        return False
    header: list[ast.AST] = [item.args, *([item.returns] if item.returns else [])]
    return scopes.loaded(header) <= ready


def _is_prologue(item: ast.stmt) -> bool:
    """Whether a statement stays in front: the docstring, an import, a plain field."""
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
    writes, others = scopes.bound([first]), scopes.bound([second])
    return not (writes & (others | scopes.loaded([second])) or others & scopes.loaded([first]))


def insert(source: str, random: Random) -> str:
    """Put statements that do nothing in between the statements of every function."""
    tree = ast.parse(source)
    taken = scopes.used([tree]) | set(keyword.kwlist)
    functions = [node for node in ast.walk(tree) if isinstance(node, scopes.FUNCTIONS)]
    inner = [block for function in functions for block in _inner_blocks(function)]
    for block in inner:
        first = 1 if ast.get_docstring(ast.Module(block, [])) is not None else 0
        for place in range(len(block), first - 1, -1):
            if random.random() < DEAD_STATEMENTS:
                block[place:place] = _dead_statement(scopes.fresh_name(taken, random), random)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _inner_blocks(function: ast.AST) -> list[list[ast.stmt]]:
    """Blocks of a function and of its compound statements, without those of functions and classes in it."""
    blocks = _blocks(function)
    handlers = list(getattr(function, "handlers", []))
    nested = [
        item for block in blocks for item in block if not isinstance(item, (*scopes.FUNCTIONS, ast.ClassDef))
    ]
    return blocks + [found for item in [*handlers, *nested] for found in _inner_blocks(item)]


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
    """Write every `for` as a `while` and every `while` as a `for`."""
    tree = ast.parse(source)
    taken = scopes.used([tree]) | set(keyword.kwlist)
    swapped = _LoopSwapper(lambda: scopes.fresh_name(taken, random)).visit(tree)
    return ast.unparse(ast.fix_missing_locations(swapped)) + "\n"


class _LoopSwapper(ast.NodeTransformer):
    def __init__(self, fresh: Callable[[], str]) -> None:
        self.fresh = fresh

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        if node.orelse:
            return node
        return self._counted(node) if _is_repeatable(node.iter) else self._drawn(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        if node.orelse:
            return node
        head = f"for {self.fresh()} in iter(int, 1):\n if not ({ast.unparse(node.test)}):\n  break"
        return _with_body(head, node.body)[0]

    def _counted(self, node: ast.For) -> list[ast.stmt]:
        items, index, target = self.fresh(), self.fresh(), ast.unparse(node.target)
        head = f"{items} = list({ast.unparse(node.iter)})\n{index} = 0\n"
        head += f"while {index} < len({items}):\n {target} = {items}[{index}]\n {index} += 1"
        return _with_body(head, node.body)

    def _drawn(self, node: ast.For) -> list[ast.stmt]:
        items, target = self.fresh(), ast.unparse(node.target)
        head = f"{items} = iter({ast.unparse(node.iter)})\nwhile True:\n try:\n  {target} = next({items})\n"
        return _with_body(head + " except StopIteration:\n  break", node.body)


def _with_body(head: str, body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements of `head`, the last of which is a loop; `body` goes to the loop's end."""
    made = ast.parse(head).body
    loop = made[-1]
    assert isinstance(loop, ast.For | ast.While)
    loop.body += body
    return made


def _is_repeatable(iterable: ast.expr) -> bool:
    """Whether all items can be taken at once: a call known to end."""
    if not isinstance(iterable, ast.Call):
        return False
    target = iterable.func
    name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
    return name in REPEATABLE
