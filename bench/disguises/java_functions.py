"""Disguises of Java that change its methods: split them, inline them, merge two programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bench.disguises.java_code import MODIFIERS, PAIRS, PRIMITIVES, Edit, Java, Method, Statement, apply_edits
from bench.disguises.java_statements import taken_names
from bench.disguises.parts import ProgramPart, choose_parts
from bench.disguises.python_scopes import fresh_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from random import Random

MIN_STATEMENTS = 4  # of a method that is split


class LocalVariable(NamedTuple):
    """A declared local name: its type as written in the source, and whether it is initialised."""

    type: str
    initialised: bool


def split(source: str, random: Random) -> str:
    """Move the second half of each longer method into a new method."""
    java = Java(source)
    taken = taken_names(java)
    inside = [(java.tokens[m.body[0]].start, java.tokens[m.body[1]].end) for m in java.methods]
    outer = [
        method
        for method in java.methods
        if not any(start < java.tokens[method.name].start < end for start, end in inside)
    ]
    return apply_edits(
        source, (edit for method in outer for edit in _split_method(java, method, fresh_name(taken, random)))
    )


def _split_method(java: Java, method: Method, name: str) -> list[Edit]:
    """Return the edits that move the tail of a method to a new one; none if the result might not compile."""
    statements = java.statements(*method.body)
    first, result = _result_type(java, method)
    if len(statements) < MIN_STATEMENTS or result is None:
        return []
    middle = len(statements) // 2
    head, tail = statements[:middle], Statement(statements[middle].first, method.body[1])
    variables = {**_parameters(java, method), **_locals(java, head)}
    needed = sorted(variables.keys() & java.names(*tail))
    if not all(variables[n].initialised and variables[n].type not in {"", "var"} for n in needed):
        return []
    modifiers = ["private", *(["static"] if "static" in java.text(method.first, first).split() else [])]
    parameters = ", ".join(f"{variables[n].type} {n}" for n in needed)
    throws = java.text(method.parameters[1] + 1, method.body[0])
    signature = f"{' '.join(modifiers)} {result} {name}({parameters}) {throws}"
    new_method = f"\n\n    {signature} {{\n        {java.text(*tail)}\n    }}"
    call = f"{'' if result == 'void' else 'return '}{name}({', '.join(needed)});\n    "
    end = java.tokens[method.body[1]]
    return [Edit(java.tokens[tail.first].start, end.start, call), Edit(end.end, end.end, new_method)]


def _result_type(java: Java, method: Method) -> tuple[int, str | None]:
    """Return the index of the first token of the result's type, and the type; None for a generic method.

    The type parameters of a generic method are not known in a new method.
    """
    i = method.first
    while java.at(i) in MODIFIERS or java.at(i).startswith("@") or java.at(i) == "(":
        i = java.match[i] + 1 if java.at(i) == "(" else i + 1
    return i, java.text(i, method.name) if java.at(i) != "<" and i < method.name else None


def _parameters(java: Java, method: Method) -> dict[str, LocalVariable]:
    opening, closing = method.parameters
    variables: dict[str, LocalVariable] = {}
    begin = opening + 1
    for i in range(opening + 1, closing + 1):
        if i == closing or (java.at(i) == "," and java.ends_type(i - 2)):
            begin += java.at(begin) == "final"
            written_type = java.text(begin, i - 1).replace("...", "[]")
            if begin < i - 1:
                variables[java.at(i - 1)] = LocalVariable(written_type, initialised=True)
            begin = i + 1
    return variables


def _locals(java: Java, statements: Iterable[Statement]) -> dict[str, LocalVariable]:
    """Return the variables that the statements declare, without those in nested blocks."""
    variables: dict[str, LocalVariable] = {}
    for first, end in statements:
        first += java.at(first) == "final"  # noqa: PLW2901 - the type begins after `final`
        name = next((i for i in range(first, end) if java.at(i) in {"=", ";"}), end) - 1
        typed = java.tokens[first].is_name or java.at(first) in PRIMITIVES
        if typed and name > first and java.tokens[name].is_name and java.ends_type(name - 1):
            variables[java.at(name)] = LocalVariable(java.text(first, name), java.at(name + 1) == "=")
            further = _split_at_commas(java, name, end)[1:]
            variables |= {java.at(part.first): LocalVariable("", initialised=False) for part in further}
    return variables


def inline(source: str, random: Random) -> str:  # noqa: ARG001 - all disguises have the same parameters
    """Replace the calls of methods that only return an expression by that expression."""
    for name in _inlinable(Java(source)):
        java = Java(source)
        method = next(method for method in java.methods if java.at(method.name) == name)
        source = apply_edits(source, _inline(java, method))
    return source


def _inlinable(java: Java) -> list[str]:
    """Return the names of the methods that only return an expression of their parameters.

    Overloaded methods are left out.
    """
    names = [java.at(method.name) for method in java.methods]
    return [
        name
        for name, method in zip(names, java.methods, strict=True)
        if names.count(name) == 1 and _only_returns_expression(java, method)
    ]


def _only_returns_expression(java: Java, method: Method) -> bool:
    opening, closing = method.body
    inside = range(opening + 1, closing)
    if java.at(opening + 1) != "return" or sum(java.at(i) == ";" for i in inside) != 1:
        return False
    header = set(java.text(method.first, method.name).split())
    parameters = _parameters(java, method).keys()
    free_names = {name for name in java.names(opening + 2, closing) if name[0].islower()} - parameters
    called_names = {java.at(i) for i in inside if java.at(i + 1) == "("}
    obstacles = {"->", "{", "@Override", "this"} & {java.at(i) for i in inside}
    return (
        bool(header & {"private", "static"})
        and not obstacles
        and free_names <= called_names
        and java.at(method.name) not in free_names
    )


def _inline(java: Java, method: Method) -> list[Edit]:
    """Return the edits that inline each suitable call; the method is deleted if no call is left."""
    name = java.at(method.name)
    calls = [i for i, token in enumerate(java.tokens) if token.text == name and i != method.name]
    arguments = {i: _arguments(java, method, i) for i in calls}
    suitable = {i: values for i, values in arguments.items() if values is not None}
    edits = [
        Edit(java.tokens[i].start, java.tokens[java.match[i + 1]].end, _substituted(java, method, values))
        for i, values in suitable.items()
    ]
    if calls and len(suitable) == len(calls):
        edits.append(Edit(java.tokens[method.first].start, java.tokens[method.body[1]].end, ""))
    return edits


def _arguments(java: Java, method: Method, call: int) -> dict[str, str] | None:
    """Return the argument of each parameter; None if the call is not suitable for inlining.

    An argument of several tokens must be used exactly once, because it might have side effects.
    """
    if java.at(call + 1) != "(" or java.at(call - 1) in {".", "::"}:
        return None
    parameters = list(_parameters(java, method))
    arguments = _split_at_commas(java, call + 2, java.match[call + 1])
    if len(arguments) != len(parameters) or any(
        java.at(i) == java.at(method.name) for argument in arguments for i in range(*argument)
    ):
        return None
    inside = [java.at(i) for i in range(*method.body)]
    for parameter, (first, end) in zip(parameters, arguments, strict=True):
        if end - first != 1 and inside.count(parameter) != 1:
            return None
    texts = [java.text(*argument) for argument in arguments]
    bracketed = [text if text.isidentifier() else f"({text})" for text in texts]
    return dict(zip(parameters, bracketed, strict=True))


def _split_at_commas(java: Java, first: int, end: int) -> list[Statement]:
    """Return the token ranges between the commas that are not in brackets."""
    parts, begin, i = [], first, first
    while i < end:
        if java.at(i) == ",":
            parts.append(Statement(begin, i))
            begin = i + 1
        i = java.match[i] + 1 if java.at(i) in PAIRS else i + 1
    return [*parts, Statement(begin, end)] if first < end else []


def _substituted(java: Java, method: Method, values: Mapping[str, str]) -> str:
    opening, closing = method.body
    first, end = java.tokens[opening + 2], java.tokens[closing - 2]
    replaced = [
        Edit(token.start - first.start, token.end - first.start, values[token.text])
        for i, token in enumerate(java.tokens[opening + 2 : closing - 1], opening + 2)
        if token.text in values and java.at(i - 1) != "."
    ]
    expression = apply_edits(java.source[first.start : end.end], replaced)
    _, result = _result_type(java, method)
    return f"(({result}) ({expression}))" if result in PRIMITIVES else f"({expression})"


def merge(first: str, second: str, random: Random) -> str:
    """Make one program of two: a class with most members of both programs' first classes."""
    left, right = Java(first), Java(second)
    if not left.classes or not right.classes:
        return first.rstrip() + "\n\n" + second
    taken = taken_names(left) | taken_names(right)
    clashing = _member_names(left) & _member_names(right)
    new_names = {name: fresh_name(taken, random) for name in sorted(clashing)}
    edits = (Edit(token.start, token.end, new_names[token.text]) for token in right.tokens if token.text in new_names)
    right = Java(apply_edits(second, edits))
    body = "".join(_chosen_members(java, random) for java in (left, right))
    imports = dict.fromkeys(line for java in (left, right) for line in _imports(java))
    opening, _ = left.classes[0]
    head = next(i for i in range(opening, -1, -1) if i == 0 or left.at(i - 1) in {";", "}"})
    return "\n".join([*imports, "", left.text(head, opening + 1)]) + body + "\n}\n"


def _imports(java: Java) -> list[str]:
    lines = (line.strip() for line in java.source.splitlines())
    return [line for line in lines if line.startswith("import ") and line.endswith(";")]


def _members(java: Java) -> list[Statement]:
    return java.statements(*java.classes[0])


def _defined(java: Java, member: Statement) -> set[str]:
    """Return the name that a member defines, in a set: the name before its bracket, value or body."""
    ends = {"(", "=", ";", "{", "extends", "implements"}
    end = next((i for i in range(*member) if java.at(i) in ends), member.end)
    return {java.at(end - 1)} if end > member.first else set()


def _member_names(java: Java) -> set[str]:
    return {name for member in _members(java) for name in _defined(java, member)}


def _chosen_members(java: Java, random: Random) -> str:
    members = _members(java)
    parts = [
        ProgramPart(_defined(java, member), {java.at(i) for i in range(*member)}, len(java.text(*member)))
        for member in members
    ]
    chosen = [members[i] for i in choose_parts(parts, random)]
    return "".join("\n\n    " + java.text(*member) for member in chosen)
