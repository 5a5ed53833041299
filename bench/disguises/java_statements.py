"""Disguises of Java that keep its methods: rename, reformat, reorder, dead statements, other loops."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bench.disguises.java_code import JUMPS, KEYWORDS, PAIRS, WORD, Edit, Java, Statement, apply_edits
from bench.disguises.python_scopes import fresh_name

if TYPE_CHECKING:
    from random import Random

DEAD_STATEMENTS = 0.4  # share of the possible positions that get a dead statement
# Methods that the Java library calls by name, with or without @Override.
CALLED_FROM_OUTSIDE = frozenset(
    re.findall(
        r"\w+",
        "accept actionPerformed apply call close compare compareTo equals get hashCode hasNext iterator main "
        "next run test toString values valueOf",
    )
)


def taken_names(java: Java) -> set[str]:
    return {token.text for token in java.tokens} | KEYWORDS


def rename(source: str, random: Random) -> str:
    """Rename every variable and method that is only used without a dot or after `this.`."""
    java = Java(source)
    taken = taken_names(java)
    names = {name: fresh_name(taken, random) for name in sorted(renamable_names(java))}
    renamed = (token for token in java.tokens if token.text in names)
    return apply_edits(source, (Edit(token.start, token.end, names[token.text]) for token in renamed))


def renamable_names(java: Java) -> set[str]:
    """Return the names that the text declares and that no code outside of it can use."""
    methods = {java.at(method.name) for method in java.methods if "@Override" not in _header(java, method.first)}
    overriding = {java.at(method.name) for method in java.methods} - methods
    declared = {token.text for i, token in enumerate(java.tokens) if token.is_name and _declares(java, i)}
    types = {
        java.at(i + 1) for i, token in enumerate(java.tokens) if token.text in {"class", "interface", "enum", "record"}
    }
    names = (methods | declared) - overriding - types - _dotted_names(java) - CALLED_FROM_OUTSIDE
    return {name for name in names if name[0].islower() or name.isupper()}


def _header(java: Java, first: int) -> str:
    return java.text(first, min(first + 3, len(java.tokens)))


def _declares(java: Java, i: int) -> bool:
    after = java.at(i + 1)
    if after == "->":
        return java.at(i - 1) in {"(", ",", "=", "return"}
    return after not in {"(", "."} and not WORD.fullmatch(after) and java.ends_type(i - 1)


def _dotted_names(java: Java) -> set[str]:
    return {
        token.text
        for i, token in enumerate(java.tokens)
        if java.at(i - 1) == "::" or (java.at(i - 1) == "." and java.at(i - 2) != "this")
    }


def reformat(source: str, random: Random) -> str:
    """Remove the comments and change the layout: each brace of a block is on a separate line."""
    java = Java(source)
    indent = random.choice(("  ", "   ", "\t"))
    lines: list[str] = [""]
    opened: list[str] = []
    for i, token in enumerate(java.tokens):
        block = _is_block(java, i)
        if token.text in PAIRS.values():
            opened.pop()
        if block:
            lines.append("")
        lines[-1] += _gap(java, i, lines[-1], indent * len(opened)) + token.text
        if token.text in PAIRS:
            opened.append("" if token.text == "(" or (token.text == "{" and not block) else token.text)
        if _ends_line(java, i, opened, block=block):
            lines.append("")
    return "\n".join(line for line in lines if line.strip()) + "\n"


def _is_block(java: Java, i: int) -> bool:
    """Return whether a brace belongs to a block, and not to an array's initial values."""
    if java.at(i) not in {"{", "}"}:
        return False
    opening = i if java.at(i) == "{" else java.match[i]
    return java.at(opening - 1) not in {"=", "]", ",", "("} and _is_outer_block(java, opening)


def _is_outer_block(java: Java, opening: int) -> bool:
    return java.at(opening - 1) != "{" or _is_block(java, opening - 1)


def _gap(java: Java, i: int, line: str, indent: str) -> str:
    if not line:
        return indent
    return " " if java.tokens[i].start > java.tokens[i - 1].end else ""


def _ends_line(java: Java, i: int, opened: list[str], *, block: bool) -> bool:
    if java.at(i) == "}" and block:
        return java.at(i + 1) not in {";", ",", ")", "."}
    return (java.at(i) == "{" and block) or (java.at(i) == ";" and (not opened or opened[-1] == "{"))


def reorder(source: str, random: Random) -> str:
    """Shuffle the imports, and the methods of each class, which are moved after its fields."""
    source = _shuffle_imports(source, random)
    for number in range(len(Java(source).classes)):
        java = Java(source)
        source = _shuffle_methods(java, *java.classes[number], random)
    return source


def _shuffle_imports(source: str, random: Random) -> str:
    lines = source.splitlines(keepends=True)
    numbers = [i for i, line in enumerate(lines) if line.startswith("import ") and line.rstrip().endswith(";")]
    imports = [lines[i] for i in numbers]
    for number, line in zip(numbers, random.sample(imports, len(imports)), strict=True):
        lines[number] = line
    return "".join(lines)


def _shuffle_methods(java: Java, opening: int, closing: int, random: Random) -> str:
    members = java.statements(opening, closing)
    starts = {method.first for method in java.methods}
    methods = [member for member in members if member.first in starts]
    others = [member for member in members if member.first not in starts]
    ordered = [*others, *random.sample(methods, len(methods))]
    inside = "".join(_with_comments(java, member) for member in ordered)
    tail = java.source[java.tokens[closing - 1].end : java.tokens[closing].start]
    return apply_edits(java.source, [Edit(java.tokens[opening].end, java.tokens[closing].start, inside + tail)])


def _with_comments(java: Java, member: Statement) -> str:
    """Return the source text of a member, with the text between it and the token before."""
    return java.source[java.tokens[member.first - 1].end : java.tokens[member.end - 1].end]


def insert(source: str, random: Random) -> str:
    """Insert dead statements between the statements of every block."""
    java = Java(source)
    taken = taken_names(java)
    offsets = [offset for block in java.blocks for offset in _insertion_offsets(java, *block)]
    chosen = [offset for offset in offsets if random.random() < DEAD_STATEMENTS]
    edits = [Edit(offset, offset, "\n" + _dead_statement(fresh_name(taken, random), random)) for offset in chosen]
    return apply_edits(source, edits)


def _insertion_offsets(java: Java, opening: int, closing: int) -> list[int]:
    """Return the offsets after the opening brace and after each statement, as long as they are reachable."""
    ends = []
    for statement in java.statements(opening, closing):
        if java.at(opening + 1) in {"this", "super"} or _may_not_complete(java, statement):
            break
        ends.append(java.tokens[statement.end - 1].end)
    return [java.tokens[opening].end, *ends] if ends else []


def _may_not_complete(java: Java, statement: Statement) -> bool:
    """Return whether the code after a statement may be unreachable, because it jumps or loops for ever."""
    texts = [java.at(i) for i in range(statement.first, statement.end)]
    if texts[0] in {"for", "while"}:
        header = texts[1 : java.match[statement.first + 1] - statement.first]
        return "true" in header or header[-2:] == [";", ";"]
    if texts[0] == "if" and "else" not in texts:
        return False
    compound = texts[0] in {"if", "do", "switch", "try", "synchronized", "{"}
    return texts[0] in JUMPS or (compound and not JUMPS.isdisjoint(texts))


def _dead_statement(name: str, random: Random) -> str:
    number, other = random.randint(2, 99), random.randint(2, 99)
    return random.choice(
        (
            f"int {name} = {number} * {other};",
            f"int[] {name} = {{{number}, {other}}};",
            f'String {name} = "{name} {number}";',
            f"int {name} = {number};\nif ({name} < 0) {{\n    System.out.println({name});\n}}",
            f"for (int {name} = {number}; {name} < 0; {name}++) {{\n    System.out.println({name});\n}}",
            f"long {name} = {number}L;\n{name} += {other};",
        )
    )


def loops(source: str, random: Random) -> str:  # noqa: ARG001 - all disguises have the same parameters
    """Change `for` loops to `while` loops and `while` loops to `for` loops."""
    java = Java(source)
    edits: list[Edit] = []
    for i, token in enumerate(java.tokens):
        if token.text in {"for", "while"} and java.at(i + 1) == "(" and java.at(i - 1) != ":":
            closing = java.match[i + 1]
            if java.at(closing + 1) == "{":
                edits += _to_for(java, i, closing) if token.text == "while" else _to_while(java, i, closing)
    return apply_edits(source, edits)


def _to_for(java: Java, keyword: int, closing: int) -> list[Edit]:
    condition = java.text(keyword + 2, closing)
    return [Edit(java.tokens[keyword].start, java.tokens[closing].end, f"for (; {condition}; )")]


def _to_while(java: Java, keyword: int, closing: int) -> list[Edit]:
    parts = _split_header(java, keyword + 2, closing)
    body = (closing + 1, java.match[closing + 1])
    if len(parts) == 1:
        return _to_iterator(java, keyword, closing)
    if not _can_append_step(java, *body):
        return []
    start, condition, step = (java.text(*part) for part in parts)
    if java.at(parts[0].first + 1) == "=" or not start:
        start = start.replace(",", ";")
    head = f"{{ {start}; while ({condition or 'true'})"
    tail = f"{step.replace(',', ';')}; }} }}" if step else "} }"
    brace = java.tokens[body[1]]
    return [
        Edit(java.tokens[keyword].start, java.tokens[closing].end, head),
        Edit(brace.start, brace.end, tail),
    ]


def _to_iterator(java: Java, keyword: int, closing: int) -> list[Edit]:
    """Return the edits that change `for (T x : items)` to an iterator; none if the items may be an array."""
    colon = next(i for i in range(keyword, closing) if java.at(i) == ":")
    if not _is_collection(java, colon + 1, closing):
        return []
    iterator = f"{java.at(colon - 1)}Iterator"
    items, element = java.text(colon + 1, closing), java.text(keyword + 2, colon)
    head = f"{{ var {iterator} = {items}.iterator(); while ({iterator}.hasNext())"
    body, end = java.tokens[closing + 1], java.tokens[java.match[closing + 1]]
    return [
        Edit(java.tokens[keyword].start, java.tokens[closing].end, head),
        Edit(body.end, body.end, f" {element} = {iterator}.next();"),
        Edit(end.end, end.end, " }"),
    ]


def _is_collection(java: Java, first: int, end: int) -> bool:
    """Return whether an expression is a view of a map, or a name declared only with generic types."""
    if java.at(end - 1) == ")":
        return java.at(end - 3) in {"entrySet", "keySet"} or (
            java.at(end - 3) == "values" and java.at(end - 5)[:1].islower()
        )
    name = java.at(first)
    declared = [i for i in range(len(java.tokens)) if java.at(i) == name and java.ends_type(i - 1)]
    return end - first == 1 and bool(declared) and all(java.at(i - 1) == ">" for i in declared)


def _split_header(java: Java, first: int, end: int) -> list[Statement]:
    cuts = [i for i in range(first, end) if java.at(i) == ";"]
    return [Statement(a, b) for a, b in zip([first, *(cut + 1 for cut in cuts)], [*cuts, end], strict=True)]


def _can_append_step(java: Java, opening: int, closing: int) -> bool:
    """Return whether the loop's step can be moved to the end of its body.

    It can if the body has statements, does not contain `continue` and does not end with a jump.
    """
    statements = java.statements(opening, closing)
    has_continue = any(java.at(i) == "continue" for i in range(opening, closing))
    return bool(statements) and not has_continue and java.at(statements[-1].first) not in JUMPS
