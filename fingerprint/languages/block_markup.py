"""Programs of blocks that are saved as XML: Snap!, Blockly and what is made with it, such as App Inventor.

They are shown as their scripts, one block a line, as Scratch projects are. Places on the screen, colours, ids
and comments are not.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from fingerprint.languages.diagrams import diagram_text

if TYPE_CHECKING:
    from collections.abc import Iterator

# Deeper blocks are indented no more: a line would be longer than what is in it.
MAX_INDENT = 20
# Fields of Blockly with a name that a person chose.
_NAMED_FIELDS = frozenset({"VAR", "NAME", "PARAM", "COMPONENT_SELECTOR", "VARNAME", "PROCNAME"})
# Blocks of Snap! whose first input is the name of a variable.
_OF_VARIABLES = frozenset({"doSetVar", "doChangeVar", "doShowVar", "doHideVar"})


def scripts_of_markup(text: str) -> str:
    """Return the scripts of a program, or the parts of a diagram; raise ValueError if it is none.

    Declarations of entities are refused: they can make a short text a long one.
    """
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError("its XML declares entities")
    try:
        shown = _shown(ET.fromstring(text))  # noqa: S314 - declares no entities
    except (ET.ParseError, RecursionError) as error:
        reason = f"it has no blocks that can be read ({type(error).__name__})"
        raise ValueError(reason) from error
    if not shown:
        raise ValueError("it has neither blocks nor parts that are joined")
    return shown


def _shown(root: ET.Element) -> str:
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    roots = [block for parent in root.iter() for block in parent if _is_root(parent, block)]
    return "".join("\n".join([*_lines(block, 1), ""]) for block in roots) or diagram_text(root)


def _is_root(parent: ET.Element, block: ET.Element) -> bool:
    if parent.tag == "scripts":
        return block.tag == "script"
    return block.tag == "block-definition" or (parent.tag == "xml" and block.tag == "block")


def _lines(element: ET.Element, depth: int) -> Iterator[str]:
    """Yield the lines of a script or of a block, those in it indented."""
    following: ET.Element | None = element
    while following is not None:
        block, following = following, None
        if block.tag in ("script", "statement"):
            for child in block:
                yield from _lines(child, depth)
        elif block.tag in ("block", "custom-block", "block-definition"):
            yield "  " * min(depth, MAX_INDENT) + quoted_block(block)
            for child in block:
                yield from _enclosed(child, depth)
            following = block.find("next/block")


def _enclosed(child: ET.Element, depth: int) -> Iterator[str]:
    """Yield the lines of the blocks that a block encloses."""
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


def _is_block(child: ET.Element) -> bool:
    return child.tag in ("block", "custom-block", "shadow")


def _part(kind: str, number: int, child: ET.Element) -> str:
    if _is_block(child):
        return quoted_block(child)
    if child.tag in ("value", "list"):
        # Blockly keeps what a block had before another was put over it.
        inner = [one for one in child if one.tag != "shadow" or len(child) == 1]
        return ", ".join(part for at, one in enumerate(inner) if (part := _part("", at, one)))
    text = "".join(child.itertext())
    if child.tag == "l":
        return f"[{name(text)}]" if kind in _OF_VARIABLES and number == 0 else primitive(text)
    if child.tag != "field":
        return ""
    if child.get("name") in _NAMED_FIELDS:
        return f"[{name(text)}]"
    return text if text.isidentifier() and text.isupper() else primitive(text)


def primitive(text: str) -> str:
    """Return a number as it is, another text in quotes."""
    return text if text.replace(".", "", 1).removeprefix("-").isdigit() else quoted(text)


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def name(text: Any) -> str:
    """Return a name as it stands in brackets, on one line."""
    return " ".join(str(text).replace("]", ")").split())
