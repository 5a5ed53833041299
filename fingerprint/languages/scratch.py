"""Programs of blocks: Scratch projects, and what Snap!, Blockly, App Inventor and editors of flow charts save.

They are read as their scripts, one block a line, without places on the screen, colours, ids and comments.
Blockly's JSON and projects of Scratch 2 are read as the XML of the same blocks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from xml.etree import ElementTree as ET

from fingerprint.languages.code import CodeFrontEnd
from fingerprint.languages.diagrams import MODELS, diagram_text, model_tree, name, primitive, quoted, tree_of

# Primitive inputs by their number in the file format of Scratch 3: texts and names; the others are numbers.
_TEXT, _NAMES = 10, frozenset({11, 12, 13})
# Fields with the name of a variable, a list or a message; the values of other fields are chosen from a menu.
_NAMED_FIELDS_OF_SCRATCH = frozenset({"VARIABLE", "LIST", "BROADCAST_OPTION", "VALUE"})
_BROKEN = (AttributeError, LookupError, RecursionError, TypeError, ValueError)
# Fields of Blockly with a name that a person chose.
_NAMED_FIELDS = frozenset({"VAR", "NAME", "PARAM", "COMPONENT_SELECTOR", "VARNAME", "PROCNAME"})
# What a block of App Inventor does, and to what kind of component.
_DONE = ("component_type", "event_name", "method_name", "property_name", "set_or_get")
# Names and values in a script.
_CHOSEN = re.compile(r'"[^"\n]*+"|\[[^\[\]\n]*+\]|\b\d[\d.]*+')
# Blocks of Snap! and of Scratch 2 whose first input is the name of a variable or of a procedure.
_OF_VARIABLES = frozenset({
    "doSetVar", "doChangeVar", "doShowVar", "doHideVar", "setVar_to_", "changeVar_by_", "procDef", "call",
})  # fmt: skip

# Inputs of Blockly that hold statements.
_STATEMENTS = re.compile(r"(?:DO|ELSE|STACK)\d*")
_VARIABLES = frozenset({"readVariable", "getParam", "contentsOfList:"})
# Below the root of a file of Flowgorithm or Structorizer; elements that only hold others; attributes with code.
CHARTS = frozenset({"function", "children"})
_AROUND = frozenset({"parameters", "body", "children"})
_WRITTEN = ("name", "variable", "expression", "start", "end", "text")
# Words that are no names in the code of a chart.
_WORDS = frozenset({
    "and", "or", "not", "xor", "mod", "div", "for", "to", "by", "input", "output", "return", "true", "false",
})  # fmt: skip
_LEXEME = re.compile(
    r"\"(?P<text>[^\"\n]*+)\"|'(?P<quoted>[^'\n]*+)'|(?P<name>[^\W\d]\w*+)|\d[\d.]*+|[-+*/%<>=!&|^]++|[(),]"
)
_LINE = re.compile(r'"([^"]*+(?:""[^"]*+)*)"')
# Deeper blocks and steps are indented no more: a line would be longer than what is in it.
MAX_INDENT = 20


def _in_order(scripts: Iterable[str]) -> str:
    """Join scripts, sorted by all but their names and values: in a project they have places, and no order."""
    return "".join(sorted(scripts, key=lambda script: _CHOSEN.sub("", script)))


def scripts_of(root: ET.Element) -> str:
    """Return the scripts of a program, or the parts of a diagram; raise ValueError if it is none."""
    roots = [block for parent in root.iter() for block in parent if _is_root(parent, block)]
    try:
        text = _in_order("\n".join([*_lines(block, 1), ""]) for block in roots) or diagram_text(root)
        text = text or _in_order("\n".join([*chart_lines(part, []), ""]) for part in root if part.tag in CHARTS)
    except RecursionError as error:
        reason = f"it has no blocks that can be read ({type(error).__name__})"
        raise ValueError(reason) from error
    if not text:
        raise ValueError("it has neither blocks nor parts that are joined")
    return text


def _is_root(parent: ET.Element, block: ET.Element) -> bool:
    if parent.tag == "scripts":
        return block.tag == "script"
    return block.tag in ("block-definition", "instance") or (parent.tag == "xml" and block.tag == "block")


def _lines(element: ET.Element, depth: int) -> Iterator[str]:
    """Yield the lines of a script or of a block, those in it indented."""
    following: ET.Element | None = element
    while following is not None:
        block, following = following, None
        if block.tag in ("script", "statement", "instance"):
            for child in block:
                yield from _lines(child, depth)
        elif block.tag in ("block", "custom-block", "block-definition"):
            yield "  " * min(depth, MAX_INDENT) + quoted_block(block)
            for child in block:
                yield from _enclosed(child, depth)
            following = block.find("next/block")


def _enclosed(child: ET.Element, depth: int) -> Iterator[str]:
    if child.tag in ("script", "statement"):
        indent = "  " * min(depth, MAX_INDENT)
        yield f"{indent}{{"
        yield from _lines(child, depth + 1)
        yield f"{indent}}}"


def quoted_block(block: ET.Element) -> str:
    """Return a block with what is put into it, without the blocks that it encloses."""
    if "var" in block.attrib:
        return f"[{name(block.get('var'))}]"
    kind = block.get("s") or block.get("type") or ""
    parts = [part for number, child in enumerate(block) if (part := _part(kind, number, child))]
    if block.tag not in ("block", "shadow"):
        return f"{block.tag.replace('-', '_')}({', '.join([f'[{name(kind)}]', *parts])})"
    return f"{kind}({', '.join(parts)})"


def _part(kind: str, number: int, child: ET.Element) -> str:
    if child.tag in ("block", "custom-block", "shadow"):
        return quoted_block(child)
    if child.tag in ("value", "list"):
        # Blockly keeps what a block had before another was put over it.
        inner = [one for one in child if one.tag != "shadow" or len(child) == 1]
        return ", ".join(part for at, one in enumerate(inner) if (part := _part("", at, one)))
    if child.tag == "mutation":
        done = (child.attrib[one] for one in _DONE if one in child.attrib)
        return ", ".join(text if text.isidentifier() else quoted(text) for text in done)
    return _text_part(kind, number, child)


def _text_part(kind: str, number: int, child: ET.Element) -> str:
    text = "".join(child.itertext())
    if child.tag == "l":
        return f"[{name(text)}]" if kind in _OF_VARIABLES and number == 0 else primitive(text)
    if child.tag != "field":
        return ""
    if (child.get("name") or "").rstrip("0123456789") in _NAMED_FIELDS:
        return f"[{name(text)}]"
    return text if text.isidentifier() and text.isupper() else primitive(text)


class Scratch(CodeFrontEnd):
    """The front-end of the `project.json` in an `.sb3` archive, and of programs of blocks in XML.

    Scripts are shown sorted by their blocks, each with the blocks in it indented. Monitors, costumes,
    sounds, places on the screen and comments are not.
    """

    def text(self, decoded: str) -> str:
        """Return the scripts of a project; raise ValueError if it is none."""
        begun = decoded.lstrip("\ufeff \n\r\t")
        if begun.startswith("<"):
            return scripts_of(tree_of(begun))
        if begun.startswith(MODELS):
            return scripts_of(model_tree(begun))
        try:
            project = json.loads(decoded)
            if "targets" not in project:
                return scripts_of(blocks_of(project))
            targets = [(str(target["name"]), target["blocks"]) for target in project["targets"]]
            return "\n".join(f"sprite {quoted(sprite)}\n{_Scripts(blocks).text()}" for sprite, blocks in targets)
        except _BROKEN as error:
            raise ValueError(f"it is no Scratch project that can be read ({type(error).__name__})") from error


class _Scripts:
    """The blocks of one sprite by their ids; each is written once, though a broken project may repeat it."""

    def __init__(self, blocks: dict[str, Any]) -> None:
        self._blocks = blocks
        self._written: set[str] = set()

    def text(self) -> str:
        roots = [key for key, block in self._blocks.items() if isinstance(block, dict) and block.get("topLevel")]
        return _in_order("\n".join(self._script(root, 1)) + "\n" for root in roots)

    def _script(self, key: str, depth: int) -> Iterator[str]:
        """Yield the lines of a block and of those below it."""
        following: Any = key
        indent = "  " * min(depth, MAX_INDENT)
        while self._is_next(following):
            block = self._blocks[following]
            yield f"{indent}{self._block(following)}"
            inputs = block.get("inputs") or {}
            for substack in sorted(key for key in inputs if key.startswith("SUBSTACK")):
                yield f"{indent}{{"
                yield from self._script(inputs[substack][1], depth + 1)
                yield f"{indent}}}"
            following = block.get("next")

    def _is_next(self, key: Any) -> bool:
        return isinstance(key, str) and key in self._blocks and key not in self._written

    def _block(self, key: str) -> str:
        """Return a block with what is put into it, without the blocks that it encloses."""
        self._written.add(key)
        block = self._blocks[key]
        call = (block.get("mutation") or {}).get("proccode")
        parts = [f"[{name(call)}]"] if call else []
        parts += [_field(field, value[0]) for field, value in (block.get("fields") or {}).items()]
        inputs = block.get("inputs") or {}
        parts += [self._input(value[1]) for key, value in inputs.items() if not key.startswith("SUBSTACK")]
        return f"{block['opcode']}({', '.join(filter(None, parts))})"

    def _input(self, value: Any) -> str:
        if isinstance(value, str):
            return self._block(value) if self._is_next(value) else ""
        return _primitive(value[0], value[1]) if value else ""


def _primitive(kind: int, value: Any) -> str:
    if kind in _NAMES:
        return f"[{name(value)}]"
    return quoted(str(value)) if kind == _TEXT else primitive(str(value))


def _field(field: str, value: Any) -> str:
    return f"[{name(value)}]" if field in _NAMED_FIELDS_OF_SCRATCH else quoted(str(value))


def blocks_of(project: dict[str, Any]) -> ET.Element:
    """Return the blocks of Blockly's JSON or of a project of Scratch 2 as the XML of Blockly or Snap!."""
    if "blocks" in project:
        names = {one["id"]: one["name"] for one in project.get("variables", ())}
        root = ET.Element("xml")
        root.extend([_block(block, names) for block in project["blocks"]["blocks"]])
        return root
    root = ET.Element("scripts")
    for sprite in (project, *project.get("children", ())):
        for _, _, blocks in sprite.get("scripts", ()):
            ET.SubElement(root, "script").extend([*map(_block_of_scratch_2, blocks)])
    return root


def _block(saved: dict[str, Any], names: dict[str, str]) -> ET.Element:
    block = ET.Element("block", type=str(saved["type"]))
    for field, value in saved.get("fields", {}).items():
        text = names.get(value["id"], "") if isinstance(value, dict) else value
        ET.SubElement(block, "field", name=field).text = str(text)
    call = saved.get("extraState")
    if isinstance(call, dict) and "name" in call:
        ET.SubElement(block, "field", name="NAME").text = str(call["name"])
    for place, held in saved.get("inputs", {}).items():
        tag = "statement" if _STATEMENTS.fullmatch(place) else "value"
        ET.SubElement(block, tag, name=place).append(_block(held.get("block") or held["shadow"], names))
    if "next" in saved:
        ET.SubElement(block, "next").append(_block(saved["next"]["block"], names))
    return block


def _block_of_scratch_2(saved: list[Any]) -> ET.Element:
    kind, *inputs = saved
    if kind in _VARIABLES:
        return ET.Element("block", var=str(inputs[0]))
    block = ET.Element("block", s=str(kind).replace(":", "_"))
    for held in inputs[:1] if kind == "procDef" else inputs:
        if isinstance(held, list) and held and isinstance(held[0], list):
            ET.SubElement(block, "script").extend([*map(_block_of_scratch_2, held)])
        elif isinstance(held, list):
            block.extend([_block_of_scratch_2(held)] if held else [])
        elif held is not None:
            ET.SubElement(block, "l").text = str(held)
    return block


def chart_lines(element: ET.Element, lines: list[str], indent: str = "") -> list[str]:
    """Add a line for each step of a flow chart or a structogram to `lines`, those in it indented, and return all."""
    is_step = element.tag not in _AROUND
    if is_step:
        code = ", ".join(_code(element, one) for one in _WRITTEN if element.get(one))
        lines += [f"{indent}{element.tag}({code})", f"{indent}{{"]
    begin = len(lines)
    for child in element:
        chart_lines(child, lines, f"{indent}  "[: 2 * MAX_INDENT])
    if is_step and len(lines) > begin:
        lines.append(f"{indent}}}")
    elif is_step:
        lines.pop()
    return lines


def _code(element: ET.Element, attribute: str) -> str:
    """Return code with its names in brackets."""
    code = element.get(attribute, "")
    if attribute == "text":
        code = ", ".join(line.replace('""', '"') for line in _LINE.findall(code))
    return " ".join(map(_lexeme, _LEXEME.finditer(code)))


def _lexeme(lexeme: re.Match[str]) -> str:
    if lexeme["name"]:
        return lexeme[0].lower() if lexeme[0].lower() in _WORDS else f"[{lexeme[0]}]"
    return quoted(lexeme["text"] or lexeme["quoted"] or "") if lexeme[0][0] in "\"'" else lexeme[0]
