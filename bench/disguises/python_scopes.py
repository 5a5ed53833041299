"""Names of a Python program: which are its own, which another one is free to use."""

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


def bound(nodes: Sequence[ast.AST]) -> set[str]:
    """Names that the statements bind at any depth: targets, definitions, parameters, exceptions."""
    found = set()
    for node in _walk(nodes):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
    return found | imported(nodes)


def imported(nodes: Sequence[ast.AST]) -> set[str]:
    """Names that imports bind."""
    imports = (node for node in _walk(nodes) if isinstance(node, ast.Import | ast.ImportFrom))
    return {(alias.asname or alias.name).split(".")[0] for node in imports for alias in node.names}


def loaded(nodes: Sequence[ast.AST]) -> set[str]:
    """Names that the statements read, at any depth."""
    names = (node for node in _walk(nodes) if isinstance(node, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Load)}


def used(nodes: Sequence[ast.AST]) -> set[str]:
    """All names and attributes that occur."""
    attributes = {node.attr for node in _walk(nodes) if isinstance(node, ast.Attribute)}
    keywords = {node.arg for node in _walk(nodes) if isinstance(node, ast.keyword) and node.arg}
    return bound(nodes) | loaded(nodes) | attributes | keywords


def own_names(tree: ast.Module) -> set[str]:
    """Names that may be renamed all over the program without it meaning something else.

    Left out: imports, builtins, dunders, what a call of foreign code passes by keyword, members of an enum,
    which are looked up by text, and methods or fields named as those of built-in types, where an attribute
    does not say whose it is.
    """
    kept = imported([tree]) | BUILTIN_NAMES | foreign_keywords(tree) | _enum_members(tree)
    members = _members(tree)
    attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    names = {name for name in bound([tree]) if name not in attributes or name in members}
    safe = (names | members) - kept - (members & BUILTIN_ATTRIBUTES)
    return {name for name in safe if not name.startswith("__")}


def _members(tree: ast.Module) -> set[str]:
    """Names of methods, of class-level fields and of attributes set on `self`."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            found |= {item.name for item in node.body if isinstance(item, FUNCTIONS)}
            found |= {
                item.target.id
                for item in node.body
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
            }
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found |= {node.attr} if isinstance(node.value, ast.Name) and node.value.id == "self" else set()
    return found


def _enum_members(tree: ast.Module) -> set[str]:
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    enums = [
        node for node in classes if any(ast.unparse(base).endswith(("Enum", "Flag")) for base in node.bases)
    ]
    return bound([item for node in enums for item in node.body if isinstance(item, ast.Assign)])


def foreign_keywords(tree: ast.Module) -> set[str]:
    """Keywords passed to anything that the program does not define."""
    own = {id(call) for call in own_calls(tree)}
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and id(node) not in own)
    return {keyword.arg for call in calls for keyword in call.keywords if keyword.arg}


def own_calls(tree: ast.Module) -> list[ast.Call]:
    """Return calls of functions and classes that the program defines, as far as their names tell."""
    defined = {node.name for node in ast.walk(tree) if isinstance(node, (*FUNCTIONS, ast.ClassDef))}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [call for call in calls if _called_name(call) in defined]


def _called_name(call: ast.Call) -> str | None:
    target = call.func
    return target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", None)


def fresh_name(taken: set[str], random: Random) -> str:
    """Make up a word that is not taken yet, and take it."""
    while True:
        name = "".join(random.choices(SYLLABLES, k=random.randint(2, 3)))
        if name not in taken:
            taken.add(name)
            return name


def _walk(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    return (node for root in nodes for node in ast.walk(root))
