"""The names of a Python program: bound, read and imported ones, and those that may be renamed."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from random import Random

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
BUILTIN_NAMES = frozenset(dir(builtins))
BUILTIN_ATTRIBUTES = frozenset(
    attribute
    for kind in (str, bytes, int, float, list, dict, set, frozenset, tuple, BaseException)
    for attribute in dir(kind)
)
SYLLABLES = ("ka", "lo", "mi", "ra", "ten", "vo", "shu", "bel", "dor", "fi", "nu", "pa", "qui", "sol", "zet")


def bound_names(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the names that the nodes bind at any depth, by assignment, definition, parameter or import."""
    names = set()
    for node in _walk(nodes):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
    return names | imported_names(nodes)


def imported_names(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the names that imports bind."""
    imports = (node for node in _walk(nodes) if isinstance(node, ast.Import | ast.ImportFrom))
    return {(alias.asname or alias.name).split(".")[0] for node in imports for alias in node.names}


def loaded_names(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the names that the nodes read, at any depth."""
    names = (node for node in _walk(nodes) if isinstance(node, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Load)}


def used_names(nodes: Sequence[ast.AST]) -> set[str]:
    """Return all names, attributes and keywords that occur."""
    attributes = {node.attr for node in _walk(nodes) if isinstance(node, ast.Attribute)}
    keywords = {node.arg for node in _walk(nodes) if isinstance(node, ast.keyword) and node.arg}
    return bound_names(nodes) | loaded_names(nodes) | attributes | keywords


def renamable_names(tree: ast.Module) -> set[str]:
    """Return the names that can be renamed in the whole program without a change of its meaning.

    Excluded are: imports, builtins, dunder names, keywords passed to code outside the program, members of
    enums, which can be looked up by text, and methods or fields with the name of an attribute of a built-in
    type, because an attribute access does not show the type of its object.
    """
    excluded = imported_names([tree]) | BUILTIN_NAMES | foreign_keywords(tree) | _enum_members(tree)
    members = _members(tree)
    attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    names = {name for name in bound_names([tree]) if name not in attributes or name in members}
    safe = (names | members) - excluded - (members & BUILTIN_ATTRIBUTES)
    return {name for name in safe if not name.startswith("__")}


def _members(tree: ast.Module) -> set[str]:
    """Return the names of methods, of annotated class-level fields and of attributes set on `self`."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            names |= {item.name for item in node.body if isinstance(item, FUNCTIONS)}
            names |= {
                item.target.id
                for item in node.body
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
            }
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names |= {node.attr} if isinstance(node.value, ast.Name) and node.value.id == "self" else set()
    return names


def _enum_members(tree: ast.Module) -> set[str]:
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    enums = [node for node in classes if any(ast.unparse(base).endswith(("Enum", "Flag")) for base in node.bases)]
    return bound_names([item for node in enums for item in node.body if isinstance(item, ast.Assign)])


def foreign_keywords(tree: ast.Module) -> set[str]:
    """Return the keywords that are passed to code outside the program."""
    local_call_ids = {id(call) for call in local_calls(tree)}
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and id(node) not in local_call_ids)
    return {keyword.arg for call in calls for keyword in call.keywords if keyword.arg}


def local_calls(tree: ast.Module) -> list[ast.Call]:
    """Return the calls of functions and classes that the program defines, determined by name only."""
    defined = {node.name for node in ast.walk(tree) if isinstance(node, (*FUNCTIONS, ast.ClassDef))}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [call for call in calls if _callee_name(call) in defined]


def _callee_name(call: ast.Call) -> str | None:
    target = call.func
    return target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", None)


def fresh_name(taken: set[str], random: Random) -> str:
    """Return a random word that is not in `taken`, and add it to `taken`."""
    while True:
        name = "".join(random.choices(SYLLABLES, k=random.randint(2, 3)))
        if name not in taken:
            taken.add(name)
            return name


def _walk(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    return (node for root in nodes for node in ast.walk(root))
