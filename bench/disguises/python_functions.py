"""Disguises of Python that change its functions: split them, inline them, merge two programs."""

from __future__ import annotations

import ast
import copy
import keyword
from typing import TYPE_CHECKING

from bench.disguises import python_scopes as scopes
from bench.disguises.parts import Part, choose

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

SMALL = 4  # a function with fewer statements stays whole
FIXED = (ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal, ast.Delete)


def split(source: str, random: Random) -> str:
    """Move the second half of each longer function into a function of its own."""
    tree = ast.parse(source)
    taken = scopes.used([tree]) | set(keyword.kwlist)
    body: list[ast.stmt] = []
    for item in tree.body:
        functions = item.body if isinstance(item, ast.ClassDef) else [item]
        found = [function for function in functions if isinstance(function, ast.FunctionDef)]
        tails = [_cut(function, scopes.fresh_name(taken, random), random) for function in found]
        body += [*(tail for tail in tails if tail), item]
    tree.body = _front(body)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _front(body: list[ast.stmt]) -> list[ast.stmt]:
    """Keep a docstring and imports from __future__ in front."""
    future = [item for item in body if isinstance(item, ast.ImportFrom) and item.module == "__future__"]
    return (
        [*(body[:1] if future else []), *future, *(i for i in body[1:] if i not in future)]
        if future
        else body
    )


def _cut(function: ast.FunctionDef, name: str, random: Random) -> ast.FunctionDef | None:
    """Cut off the tail of a function, in place, and return it as a function; None where no cut is safe."""
    body = function.body
    if len(body) < SMALL or any(_is_fixed(node) for node in ast.walk(function)):
        return None
    middle = len(body) // 2
    place = middle + random.choice((0, 1)) if len(body) > SMALL else middle
    definite = _definitely_bound(function, place)
    needed = scopes.loaded(body[place:]) & (_locals(body[:place]) | _parameters(function))
    if not needed <= definite or "super" in scopes.loaded(body[place:]):
        return None
    names = sorted(needed)
    tail = ast.parse(f"def {name}({', '.join(names)}):\n pass").body[0]
    assert isinstance(tail, ast.FunctionDef)
    tail.body = body[place:]
    function.body = [*body[:place], *ast.parse(f"return {name}({', '.join(names)})", mode="exec").body]
    return tail


def _is_fixed(node: ast.AST) -> bool:
    """Whether a node means something else in another function: flow, scopes, names mangled by their class."""
    private = isinstance(node, ast.Attribute) and node.attr.startswith("__") and not node.attr.endswith("__")
    return private or isinstance(node, FIXED)


def _parameters(function: ast.FunctionDef) -> set[str]:
    return {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}


def _definitely_bound(function: ast.FunctionDef, place: int) -> set[str]:
    """Return parameters, and names that the plain statements before `place` bind in any case."""
    plain = (ast.Assign, ast.AnnAssign, *scopes.FUNCTIONS)
    head = [item for item in function.body[:place] if isinstance(item, plain)]
    valued = [item for item in head if not isinstance(item, ast.AnnAssign) or item.value is not None]
    return _parameters(function) | _locals(valued)


def _locals(nodes: Iterable[ast.AST]) -> set[str]:
    """Names that statements bind in their own scope, not in comprehensions and functions within."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, (*scopes.FUNCTIONS, ast.ClassDef)):
            found.add(node.name)
        elif not isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            stored = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            found |= {node.id} if isinstance(node, ast.Name) and stored else set()
            found |= {node.name} if isinstance(node, ast.ExceptHandler) and node.name else set()
            found |= _locals(ast.iter_child_nodes(node))
    return found


def inline(source: str, random: Random) -> str:  # noqa: ARG001 - every disguise is called alike
    """Put the one expression that a function returns in the place of its calls."""
    tree = ast.parse(source)
    for item in [item for item in tree.body if isinstance(item, ast.FunctionDef)]:
        expression = _only_expression(item)
        if expression is not None:
            _Inliner(item, expression).visit(tree)
            if item.name not in scopes.loaded([tree]):
                tree.body.remove(item)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _only_expression(function: ast.FunctionDef) -> ast.expr | None:
    """Return what a function returns, when that is all it does and its parameters are plain."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    arguments = function.args
    special = arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults
    if len(body) != 1 or not isinstance(body[0], ast.Return) or special or function.decorator_list:
        return None
    expression = body[0].value
    if expression is None or function.name in scopes.loaded([expression]):
        return None
    late = (*FIXED, ast.Lambda, ast.GeneratorExp)  # would read what the names mean by then
    return None if any(isinstance(node, late) for node in ast.walk(expression)) else expression


class _Inliner(ast.NodeTransformer):
    def __init__(self, function: ast.FunctionDef, expression: ast.expr) -> None:
        self.name = function.name
        self.parameters = [argument.arg for argument in function.args.posonlyargs + function.args.args]
        self.expression = expression
        self.free = scopes.loaded([expression]) - set(self.parameters)
        self.inner = scopes.bound([expression])
        self.hidden: list[set[str]] = [set()]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.hidden.append(self.hidden[-1] | scopes.bound([node.args, *node.body]))
        made = self.generic_visit(node)
        self.hidden.pop()
        return made

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        named = isinstance(node.func, ast.Name) and node.func.id == self.name
        plain = all(isinstance(argument, ast.Name | ast.Constant) for argument in node.args)
        if not (named and plain and not node.keywords and len(node.args) == len(self.parameters)):
            return node
        if self.free & self.hidden[-1] or self.inner & scopes.loaded(node.args):
            return node
        values = dict(zip(self.parameters, node.args, strict=True))
        made: ast.expr = _Substitution(values).visit(copy.deepcopy(self.expression))
        return made


class _Substitution(ast.NodeTransformer):
    def __init__(self, values: dict[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return copy.deepcopy(self.values.get(node.id, node))


def merge(first: str, second: str, random: Random) -> str:
    """Make one program of parts of two: from each most of its definitions, with all that these need."""
    trees = [ast.parse(first), ast.parse(second)]
    clashing = (scopes.bound(trees[0].body) & scopes.bound(trees[1].body)) - scopes.imported(trees)
    top = {name for item in trees[1].body for name in _defines(item)} & clashing
    taken = scopes.used(trees) | scopes.BUILTIN_NAMES
    renamed = {name: scopes.fresh_name(taken, random) for name in sorted(top)}
    names = _TopRenamer(renamed)
    trees[1] = names.visit(trees[1])
    chosen = [_chosen(tree, random) for tree in trees]
    imports = {ast.unparse(item): item for items in chosen for item in items if _is_import(item)}
    rest = [item for items in chosen for item in items if not _is_import(item)]
    ordered = sorted(imports.values(), key=lambda item: getattr(item, "module", None) != "__future__")
    return ast.unparse(ast.fix_missing_locations(ast.Module([*ordered, *rest], []))) + "\n"


class _TopRenamer(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for field in ("id", "name"):
            value = getattr(node, field, None)
            if isinstance(value, str) and not isinstance(node, ast.alias):
                setattr(node, field, self.names.get(value, value))
        return super().generic_visit(node)


def _is_import(item: ast.stmt) -> bool:
    return isinstance(item, ast.Import | ast.ImportFrom)


def _defines(item: ast.stmt) -> set[str]:
    if isinstance(item, (*scopes.FUNCTIONS, ast.ClassDef)):
        return {item.name}
    return scopes.bound([item]) if not _is_import(item) else set()


def _chosen(tree: ast.Module, random: Random) -> list[ast.stmt]:
    """Return imports and a part of the rest that stands by itself, in order."""
    rest = [item for item in tree.body if not _is_import(item)]
    parts = [Part(_defines(item), scopes.loaded([item]), len(ast.unparse(item))) for item in rest]
    kept = choose(parts, random)
    return [*(item for item in tree.body if _is_import(item)), *(rest[i] for i in kept)]
