"""Every regular expression in the three packages, and how each is used."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
PACKAGES = ("fingerprint", "submissions", "moss")
# Migrations run what models had; the sample is a class of students.
LEFT_OUT = {"migrations", "sample"}
METHODS = {"match", "fullmatch", "search", "findall", "finditer", "sub", "subn", "split"}
# Position of the flags among the arguments of a function of `re`.
FLAGS = {"compile": 1, "split": 3, "sub": 4, "subn": 4}
# Functions and parameters of the product that take an expression, and what they do with it.
PASSED = {"find": "match", "finder": "match", "student_names": "match", "reads": "fullmatch"}
# Each with the product's own patterns, against names of files that users chose.
FILE_NAME_PATTERNS = {"submissions/intake/left_out/rules.py": {"translate"}}


class Place(NamedTuple):
    """The line of the source that makes an expression."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Expression(NamedTuple):
    """An expression of the product; `methods` is empty where no use of it is found."""

    place: Place
    name: str
    pattern: re.Pattern[Any]
    methods: frozenset[str]


class Listed(NamedTuple):
    """The expressions that stand in the source, and the calls that make theirs while the product runs.

    `nodes` are those of the syntax trees of all files: to walk through the trees takes most of the time.
    """

    written: list[Expression]
    built: list[tuple[Place, str]]
    nodes: dict[Path, list[ast.AST]]


@cache
def listed() -> Listed:
    """Return all expressions, found in the syntax trees of the packages."""
    files = [file for package in PACKAGES for file in _files(package)]
    nodes_of = {file: list(ast.walk(ast.parse(file.read_text()))) for file in files}
    methods: dict[str, set[str]] = defaultdict(set)
    for file, nodes in nodes_of.items():
        for name, method in _uses(nodes):
            methods[name].add(method)
            methods[f"{file}:{name}"].add(method)
    written: list[Expression] = []
    built: list[tuple[Place, str]] = []
    for file, nodes in nodes_of.items():
        for call, name in _calls(nodes):
            place = Place(str(file.relative_to(ROOT)), call.lineno)
            try:
                pattern = _evaluated(file, call)
            except NameError:
                built.append((place, ast.unparse(call)))
                continue
            known = methods[f"{file}:{name}"] or methods[name]
            name_of_method = _function(call)
            how = (
                {name_of_method}
                if name_of_method in METHODS
                else {"search"}
                if name_of_method == "RegexValidator"
                else known
            )
            written.append(Expression(place, name, pattern, frozenset(how)))
    return Listed(written, built, nodes_of)


def file_name_patterns() -> dict[str, set[str]]:
    """Return the functions of `fnmatch` and `glob` that each file of the product names."""
    names: dict[str, set[str]] = defaultdict(set)
    for file, nodes in listed().nodes.items():
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and node.module in {"fnmatch", "glob"}:
                names[str(file.relative_to(ROOT))] |= {alias.name for alias in node.names}
            elif isinstance(node, ast.Import) and {alias.name for alias in node.names} & {"fnmatch", "glob"}:
                names[str(file.relative_to(ROOT))].add("import")
    return dict(names)


def _files(package: str) -> list[Path]:
    return [file for file in sorted((ROOT / package).rglob("*.py")) if not LEFT_OUT.intersection(file.parts)]


def _calls(nodes: list[ast.AST]) -> list[tuple[ast.Call, str]]:
    """Return the calls that compile an expression, and the name that each is assigned to, if to one."""
    calls = [node for node in nodes if isinstance(node, ast.Call) and _function(node)]
    assigned = _assignments(nodes) if calls else []
    names = {id(part): name for value, name in assigned for part in ast.walk(value)}
    return [(call, names.get(id(call), "")) for call in calls]


def _assignments(nodes: list[ast.AST]) -> list[tuple[ast.expr, str]]:
    """Return the values of a module's constants, of what its functions return, and of its keywords."""
    assigned = [
        (node.value, node.targets[0].id)
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    ]
    returned = [
        (node.value, function.name)
        for function in nodes
        if isinstance(function, ast.FunctionDef)
        for node in function.body
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Call)
    ]
    keywords = [
        (keyword.value, keyword.arg)
        for node in nodes
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg in PASSED
    ]
    return assigned + returned + keywords


def _function(call: ast.Call) -> str:
    """Return the function of `re` that is called, or RegexValidator; empty for any other call."""
    function = call.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        known = function.value.id == "re" and function.attr in METHODS | {"compile"}
        return function.attr if known else ""
    return "RegexValidator" if isinstance(function, ast.Name) and function.id == "RegexValidator" else ""


def _uses(nodes: list[ast.AST]) -> list[tuple[str, str]]:
    """Return (name of an expression or of a tuple of them, method) for each use of one."""
    uses = [(name, PASSED[name]) for name in PASSED if name == "reads"]
    loops: dict[str, set[str]] = defaultdict(set)
    for node in nodes:
        if isinstance(node, ast.comprehension) and isinstance(node.target, ast.Name):
            loops[node.target.id] |= _names(node.iter)
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr in METHODS:
            names = _names(node.value)
            uses += [(name, node.attr) for name in names.union(*(loops[name] for name in names))]
        elif isinstance(node, ast.Call) and (method := next(filter(None, map(PASSED.get, _names(node.func))), "")):
            uses += [(name, method) for argument in node.args for name in _names(argument)]
    return uses


def _names(node: ast.expr) -> set[str]:
    """Return the names that an expression may stand for: of a variable, an attribute, or either of two."""
    if isinstance(node, ast.IfExp):
        return _names(node.body) | _names(node.orelse)
    if isinstance(node, ast.Call):
        return _names(node.func)
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return {name} - {""}


def _evaluated(file: Path, call: ast.Call) -> re.Pattern[Any]:
    """Return the expression of a call, evaluated in its module; NameError if it needs a variable."""
    path = file.relative_to(ROOT).with_suffix("")
    module = import_module(".".join(path.parts).removesuffix(".__init__"))
    position = FLAGS.get(_function(call), 2)
    flags = call.args[position : position + 1] if _function(call) != "RegexValidator" else []
    flags += [keyword.value for keyword in call.keywords if keyword.arg == "flags"]
    values = [eval(compile(ast.Expression(part), str(file), "eval"), vars(module)) for part in (call.args[0], *flags)]
    return re.compile(*values)
