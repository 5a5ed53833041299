"""Programs that are saved otherwise than as blocks in XML: Blockly's JSON, Scratch 2, flow charts and structograms."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree as ET

from fingerprint.languages.diagrams import quoted

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
