"""Disguises of Java that change its methods: split them, inline them, merge two programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bench.disguises.java_code import MODIFIERS, PAIRS, PRIMITIVES, Edit, Java, Method, Statement, apply
from bench.disguises.java_statements import taken_names
from bench.disguises.parts import Part, choose
from bench.disguises.python_scopes import fresh_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from random import Random

SMALL = 4  # a method with fewer statements stays whole


class Variable(NamedTuple):
    """A declared local name: its type as written, and whether it has a value from the start."""

    type: str
    set: bool


def split(source: str, random: Random) -> str:
    """Move the second half of each longer method into a method of its own."""
    java = Java(source)
    taken = taken_names(java)
    inside = [(java.tokens[m.body[0]].start, java.tokens[m.body[1]].end) for m in java.methods]
    outer = [
        method
        for method in java.methods
        if not any(start < java.tokens[method.name].start < end for start, end in inside)
    ]
    return apply(source, (edit for m in outer for edit in _cut(java, m, fresh_name(taken, random))))


def _cut(java: Java, method: Method, name: str) -> list[Edit]:
    """Cut off the tail of a method; nothing where it would not be sure to compile."""
    statements = java.statements(*method.body)
    first, result = _result(java, method)
    if len(statements) < SMALL or result is None:
        return []
    place = len(statements) // 2
    head, tail = statements[:place], Statement(statements[place].first, method.body[1])
    known = {**_parameters(java, method), **_locals(java, head)}
    needed = sorted(known.keys() & java.names(*tail))
    if not all(known[n].set and known[n].type and known[n].type != "var" for n in needed):
        return []
    modifiers = ["private", *(["static"] if "static" in java.text(method.first, first).split() else [])]
    parameters = ", ".join(f"{known[n].type} {n}" for n in needed)
    throws = java.text(method.parameters[1] + 1, method.body[0])
    body = java.text(*tail)
    made = f"\n\n    {' '.join(modifiers)} {result} {name}({parameters}) {throws} {{\n        {body}\n    }}"
    call = f"{'' if result == 'void' else 'return '}{name}({', '.join(needed)});\n    "
    end = java.tokens[method.body[1]]
    return [Edit(java.tokens[tail.first].start, end.start, call), Edit(end.end, end.end, made)]


def _result(java: Java, method: Method) -> tuple[int, str | None]:
    """Token number of the result's type and the type; None for a generic method, whose types are its own."""
    i = method.first
    while java.at(i) in MODIFIERS or java.at(i).startswith("@") or java.at(i) == "(":
        i = java.match[i] + 1 if java.at(i) == "(" else i + 1
    return i, java.text(i, method.name) if java.at(i) != "<" and i < method.name else None


def _parameters(java: Java, method: Method) -> dict[str, Variable]:
    opening, closing = method.parameters
    found: dict[str, Variable] = {}
    begin = opening + 1
    for i in range(opening + 1, closing + 1):
        if i == closing or (java.at(i) == "," and java.ends_type(i - 2)):
            begin += java.at(begin) == "final"
            written = java.text(begin, i - 1).replace("...", "[]")
            found |= {java.at(i - 1): Variable(written, set=True)} if begin < i - 1 else {}
            begin = i + 1
    return found


def _locals(java: Java, statements: Iterable[Statement]) -> dict[str, Variable]:
    """Variables that the statements themselves declare, not those in their blocks."""
    found: dict[str, Variable] = {}
    for first, end in statements:
        first += java.at(first) == "final"  # noqa: PLW2901 - the type begins behind it
        name = next((i for i in range(first, end) if java.at(i) in {"=", ";"}), end) - 1
        typed = java.tokens[first].is_name or java.at(first) in PRIMITIVES
        if typed and name > first and java.tokens[name].is_name and java.ends_type(name - 1):
            found[java.at(name)] = Variable(java.text(first, name), java.at(name + 1) == "=")
            further = _argument_parts(java, name, end)[1:]
            found |= {java.at(part.first): Variable("", set=False) for part in further}
    return found


def inline(source: str, random: Random) -> str:  # noqa: ARG001 - every disguise is called alike
    """Put the one expression that a method returns in the place of its calls."""
    for name in _inlinable(Java(source)):
        java = Java(source)
        method = next(method for method in java.methods if java.at(method.name) == name)
        source = apply(source, _inline(java, method))
    return source


def _inlinable(java: Java) -> list[str]:
    """Names of the methods that only return an expression of their parameters, not overloaded."""
    names = [java.at(method.name) for method in java.methods]
    return [
        java.at(m.name) for m in java.methods if names.count(java.at(m.name)) == 1 and _is_simple(java, m)
    ]


def _is_simple(java: Java, method: Method) -> bool:
    opening, closing = method.body
    inside = range(opening + 1, closing)
    if java.at(opening + 1) != "return" or sum(java.at(i) == ";" for i in inside) != 1:
        return False
    header = set(java.text(method.first, method.name).split())
    own = _parameters(java, method).keys()
    free = {name for name in java.names(opening + 2, closing) if name[0].islower()} - own
    called = {java.at(i) for i in inside if java.at(i + 1) == "("}
    hidden = {"->", "{", "@Override", "this"} & {java.at(i) for i in inside}
    return (
        bool(header & {"private", "static"})
        and not hidden
        and free <= called
        and java.at(method.name) not in free
    )


def _inline(java: Java, method: Method) -> list[Edit]:
    """Write the expression for each call that allows it, and drop the method when none calls it then."""
    name = java.at(method.name)
    calls = [i for i, token in enumerate(java.tokens) if token.text == name and i != method.name]
    found = {i: _arguments(java, method, i) for i in calls}
    simple = {i: values for i, values in found.items() if values is not None}
    edits = [
        Edit(java.tokens[i].start, java.tokens[java.match[i + 1]].end, _substituted(java, method, values))
        for i, values in simple.items()
    ]
    if calls and len(simple) == len(calls):
        edits.append(Edit(java.tokens[method.first].start, java.tokens[method.body[1]].end, ""))
    return edits


def _arguments(java: Java, method: Method, call: int) -> dict[str, str] | None:
    """Return the argument of each parameter; None where writing one more or less often could matter."""
    if java.at(call + 1) != "(" or java.at(call - 1) in {".", "::"}:
        return None
    own = list(_parameters(java, method))
    parts = _argument_parts(java, call + 2, java.match[call + 1])
    if len(parts) != len(own) or any(
        java.at(i) == java.at(method.name) for part in parts for i in range(*part)
    ):
        return None
    inside = [java.at(i) for i in range(*method.body)]
    short = [end - first == 1 for first, end in parts]
    single = all(one or inside.count(name) == 1 for name, one in zip(own, short, strict=True))
    texts = [java.text(*part) for part in parts]
    words = [text if text.isidentifier() else f"({text})" for text in texts]
    return dict(zip(own, words, strict=True)) if single else None


def _argument_parts(java: Java, first: int, end: int) -> list[Statement]:
    """Token ranges of the arguments of a call."""
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
    expression = apply(java.source[first.start : end.end], replaced)
    _, result = _result(java, method)
    return f"(({result}) ({expression}))" if result in PRIMITIVES else f"({expression})"


def merge(first: str, second: str, random: Random) -> str:
    """Make one program of parts of two: into the class of the first go most members of the second's."""
    left, right = Java(first), Java(second)
    if not left.classes or not right.classes:
        return first.rstrip() + "\n\n" + second
    taken = taken_names(left) | taken_names(right)
    clashing = _member_names(left) & _member_names(right)
    renamed = {name: fresh_name(taken, random) for name in sorted(clashing)}
    edits = (Edit(t.start, t.end, renamed[t.text]) for t in right.tokens if t.text in renamed)
    right = Java(apply(second, edits))
    body = "".join(_chosen(java, random) for java in (left, right))
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
    """Name of a method, a field or a nested type: the one in front of its bracket or its value."""
    ends = {"(", "=", ";", "{", "extends", "implements"}
    stop = next((i for i in range(*member) if java.at(i) in ends), member.end)
    return {java.at(stop - 1)} if stop > member.first else set()


def _member_names(java: Java) -> set[str]:
    return {name for member in _members(java) for name in _defined(java, member)}


def _chosen(java: Java, random: Random) -> str:
    members = _members(java)
    read = [{java.at(i) for i in range(*member)} for member in members]
    parts = [
        Part(_defined(java, m), names, len(java.text(*m))) for m, names in zip(members, read, strict=True)
    ]
    kept = [members[i] for i in choose(parts, random)]
    return "".join("\n\n    " + java.text(*member) for member in kept)
