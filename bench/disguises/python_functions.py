"""Disguises of Python that change its functions: split them, inline them, merge two programs."""

from __future__ import annotations

import ast
import copy
import keyword
from typing import TYPE_CHECKING

from bench.disguises import python_scopes as scopes
from bench.disguises.parts import ProgramPart, choose_parts

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

MIN_STATEMENTS = 4  # of a function that is split
# Nodes whose meaning depends on the function that contains them.
FUNCTION_BOUND = (ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal, ast.Delete)


def split(source: str, random: Random) -> str:
    """Move the second half of each longer function into a new function."""
    tree = ast.parse(source)
    taken = scopes.used_names([tree]) | set(keyword.kwlist)
    body: list[ast.stmt] = []
    for item in tree.body:
        functions = item.body if isinstance(item, ast.ClassDef) else [item]
        tails = [
            _split_function(function, scopes.fresh_name(taken, random), random)
            for function in functions
            if isinstance(function, ast.FunctionDef)
        ]
        body += [*(tail for tail in tails if tail), item]
    tree.body = _future_imports_first(body)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _future_imports_first(body: list[ast.stmt]) -> list[ast.stmt]:
    """Move imports from __future__ directly after the first statement, the docstring."""
    future = [item for item in body if isinstance(item, ast.ImportFrom) and item.module == "__future__"]
    return [*body[:1], *future, *(item for item in body[1:] if item not in future)] if future else body


def _split_function(function: ast.FunctionDef, name: str, random: Random) -> ast.FunctionDef | None:
    """Remove the tail of a function, in place, and return it as a function; None if no split is safe."""
    body = function.body
    if len(body) < MIN_STATEMENTS or any(_is_function_bound(node) for node in ast.walk(function)):
        return None
    middle = len(body) // 2
    start = middle + random.choice((0, 1)) if len(body) > MIN_STATEMENTS else middle
    definite = _definitely_bound(function, start)
    needed = scopes.loaded_names(body[start:]) & (_locals(body[:start]) | _parameters(function))
    if not needed <= definite or "super" in scopes.loaded_names(body[start:]):
        return None
    names = sorted(needed)
    tail = ast.parse(f"def {name}({', '.join(names)}):\n pass").body[0]
    assert isinstance(tail, ast.FunctionDef)
    tail.body = body[start:]
    function.body = [*body[:start], *ast.parse(f"return {name}({', '.join(names)})", mode="exec").body]
    return tail


def _is_function_bound(node: ast.AST) -> bool:
    """Return whether a node would have another meaning in another function.

    This is so for FUNCTION_BOUND and for private attributes, whose names depend on their class.
    """
    private = isinstance(node, ast.Attribute) and node.attr.startswith("__") and not node.attr.endswith("__")
    return private or isinstance(node, FUNCTION_BOUND)


def _parameters(function: ast.FunctionDef) -> set[str]:
    return {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}


def _definitely_bound(function: ast.FunctionDef, end: int) -> set[str]:
    """Return the parameters, and the names that the statements before index `end` bind on every path."""
    plain = (ast.Assign, ast.AnnAssign, *scopes.FUNCTIONS)
    head = [item for item in function.body[:end] if isinstance(item, plain)]
    valued = [item for item in head if not isinstance(item, ast.AnnAssign) or item.value is not None]
    return _parameters(function) | _locals(valued)


def _locals(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that nodes bind in their own scope, without nested comprehensions and functions."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, (*scopes.FUNCTIONS, ast.ClassDef)):
            names.add(node.name)
        elif not isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            stored = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            names |= {node.id} if isinstance(node, ast.Name) and stored else set()
            names |= {node.name} if isinstance(node, ast.ExceptHandler) and node.name else set()
            names |= _locals(ast.iter_child_nodes(node))
    return names


def inline(source: str, random: Random) -> str:  # noqa: ARG001 - all disguises have the same parameters
    """Replace the calls of functions that only return an expression by that expression."""
    tree = ast.parse(source)
    for item in [item for item in tree.body if isinstance(item, ast.FunctionDef)]:
        expression = _only_expression(item)
        if expression is not None:
            _Inliner(item, expression).visit(tree)
            if item.name not in scopes.loaded_names([tree]):
                tree.body.remove(item)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _only_expression(function: ast.FunctionDef) -> ast.expr | None:
    """Return the expression that a function returns, if it does nothing else and its parameters are plain."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    arguments = function.args
    special = arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults
    if len(body) != 1 or not isinstance(body[0], ast.Return) or special or function.decorator_list:
        return None
    expression = body[0].value
    if expression is None or function.name in scopes.loaded_names([expression]):
        return None
    # Lambdas and generators read their names later, when these may have other values.
    excluded = (*FUNCTION_BOUND, ast.Lambda, ast.GeneratorExp)
    return None if any(isinstance(node, excluded) for node in ast.walk(expression)) else expression


class _Inliner(ast.NodeTransformer):
    def __init__(self, function: ast.FunctionDef, expression: ast.expr) -> None:
        self.name = function.name
        self.parameters = [argument.arg for argument in function.args.posonlyargs + function.args.args]
        self.expression = expression
        self.free_names = scopes.loaded_names([expression]) - set(self.parameters)
        self.bound_names = scopes.bound_names([expression])
        # For each function around the current node: the names that it and its outer functions bind.
        self.enclosing_names: list[set[str]] = [set()]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.enclosing_names.append(self.enclosing_names[-1] | scopes.bound_names([node.args, *node.body]))
        visited = self.generic_visit(node)
        self.enclosing_names.pop()
        return visited

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        named = isinstance(node.func, ast.Name) and node.func.id == self.name
        plain = all(isinstance(argument, ast.Name | ast.Constant) for argument in node.args)
        if not (named and plain and not node.keywords and len(node.args) == len(self.parameters)):
            return node
        if self.free_names & self.enclosing_names[-1] or self.bound_names & scopes.loaded_names(node.args):
            return node
        values = dict(zip(self.parameters, node.args, strict=True))
        inlined: ast.expr = _Substitution(values).visit(copy.deepcopy(self.expression))
        return inlined


class _Substitution(ast.NodeTransformer):
    def __init__(self, values: dict[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return copy.deepcopy(self.values.get(node.id, node))


def merge(first: str, second: str, random: Random) -> str:
    """Make one program of two: it has most definitions of each, with all definitions that these need."""
    trees = [ast.parse(first), ast.parse(second)]
    clashing = (scopes.bound_names(trees[0].body) & scopes.bound_names(trees[1].body)) - scopes.imported_names(trees)
    top_level = {name for item in trees[1].body for name in _defined_names(item)} & clashing
    taken = scopes.used_names(trees) | scopes.BUILTIN_NAMES
    new_names = {name: scopes.fresh_name(taken, random) for name in sorted(top_level)}
    trees[1] = _TopLevelRenamer(new_names).visit(trees[1])
    chosen = [_chosen_statements(tree, random) for tree in trees]
    imports = {ast.unparse(item): item for items in chosen for item in items if _is_import(item)}
    rest = [item for items in chosen for item in items if not _is_import(item)]
    ordered = sorted(imports.values(), key=lambda item: getattr(item, "module", None) != "__future__")
    return ast.unparse(ast.fix_missing_locations(ast.Module([*ordered, *rest], []))) + "\n"


class _TopLevelRenamer(ast.NodeTransformer):
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


def _defined_names(item: ast.stmt) -> set[str]:
    if isinstance(item, (*scopes.FUNCTIONS, ast.ClassDef)):
        return {item.name}
    return scopes.bound_names([item]) if not _is_import(item) else set()


def _chosen_statements(tree: ast.Module, random: Random) -> list[ast.stmt]:
    """Return the imports and the chosen parts of the rest, in order."""
    rest = [item for item in tree.body if not _is_import(item)]
    parts = [ProgramPart(_defined_names(item), scopes.loaded_names([item]), len(ast.unparse(item))) for item in rest]
    chosen = choose_parts(parts, random)
    return [*(item for item in tree.body if _is_import(item)), *(rest[i] for i in chosen)]
