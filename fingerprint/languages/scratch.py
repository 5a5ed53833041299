"""Programs of blocks (Scratch, Snap!, Blockly, App Inventor), and diagrams (Logisim, JFLAP).

Programs are read as their scripts, one block a line, without places on the screen, colours, ids and comments.
Diagrams, which are circuits and automata, are graphs of labelled parts: each is shown on a line with its kind
and what it is joined to. Names, places, sizes and ids count for nothing: the parts are told by what is around
them, up to two others away.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree import ElementTree as ET

from fingerprint.languages.code import CodeFrontEnd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Point = tuple[int, int]

# So many joints away parts are told from each other.
ROUNDS = 2
# Attributes of a component by which it works as it does.
_WORKING = frozenset(
    {"inputs", "width", "output", "tristate", "select", "enable", "value", "trigger", "type"}
)
# The box behind a component of Logisim, from its output on, in which its inputs are.
_NEAREST, _FARTHEST, _BESIDE = 10, 80, 40
_AHEAD = {"east": (1, 0), "west": (-1, 0), "north": (0, -1), "south": (0, 1)}
MOST_WIRES = 3_000
_POINT = re.compile(r"\((-?\d{1,6}),(-?\d{1,6})\)")
# Deeper blocks are indented no more: a line would be longer than what is in it.
MAX_INDENT = 20
# Primitive inputs by their number in the file format of Scratch 3: texts and names; the others are numbers.
_TEXT, _NAMES = 10, frozenset({11, 12, 13})
# Fields with the name of a variable, a list or a message; the values of other fields are chosen from a menu.
_NAMED_FIELDS_OF_SCRATCH = frozenset({"VARIABLE", "LIST", "BROADCAST_OPTION", "VALUE"})
_BROKEN = (AttributeError, LookupError, RecursionError, TypeError, ValueError)
# Fields of Blockly with a name that a person chose.
_NAMED_FIELDS = frozenset({"VAR", "NAME", "PARAM", "COMPONENT_SELECTOR", "VARNAME", "PROCNAME"})
# Blocks of Snap! whose first input is the name of a variable.
_OF_VARIABLES = frozenset({"doSetVar", "doChangeVar", "doShowVar", "doHideVar"})


class Joint(NamedTuple):
    """A joint of a part with another one; `label` is how."""

    label: str
    other: int


class Graph(NamedTuple):
    """The kinds of parts, and the joints of each."""

    kinds: list[str]
    joints: list[list[Joint]]


def diagram_text(root: ET.Element) -> str:
    """Return the parts of each diagram in a file, "" where there is none."""
    graphs = [graph for element in root.iter() for graph in _graphs(element)]
    return "".join(f"{line}\n" for graph in graphs for line in graph_lines(graph))


def _graphs(element: ET.Element) -> Iterator[Graph]:
    if element.tag == "circuit":
        yield _circuit(element)
    elif element.tag == "automaton" or (element.tag == "structure" and element.find("state") is not None):
        yield _automaton(element)


def graph_lines(graph: Graph) -> list[str]:
    """Return a line for each part, in an order that depends on nothing but the graph."""
    colours = [_word(kind) for kind in graph.kinds]
    joints = graph.joints
    for _ in range(ROUNDS):
        colours = [
            f"{_word(kind)}_{_digest([colour, *_sides(ends, colours)])}"
            for kind, colour, ends in zip(graph.kinds, colours, joints, strict=True)
        ]
    rows = zip(graph.kinds, colours, joints, strict=True)
    lines = [(colour, f"{_word(kind)}({', '.join(_sides(ends, colours))})") for kind, colour, ends in rows]
    return [line for _, line in sorted(lines)]


def _sides(joints: list[Joint], colours: list[str]) -> list[str]:
    return sorted(f"{_word(joint.label)}_{colours[joint.other]}" for joint in set(joints))


def _digest(words: list[str]) -> str:
    return blake2b(" ".join(words).encode(), digest_size=2).hexdigest()


def _word(text: str) -> str:
    """Return a text as one word; two different texts are different words."""
    return (
        re.sub(r"\W", lambda match: "_" if match[0] == " " else f"_{ord(match[0]):x}", text.strip())
        or "empty"
    )


def _automaton(element: ET.Element) -> Graph:
    states = {state.get("id", ""): number for number, state in enumerate(element.iter("state"))}
    kinds = ["state"] * len(states)
    for state in element.iter("state"):
        for mark in ("initial", "final"):
            kinds[states[state.get("id", "")]] += f" {mark}" if state.find(mark) is not None else ""
    joints: list[list[Joint]] = [[] for _ in kinds]
    for transition in element.iter("transition"):
        source, target = (states.get(transition.findtext(end, "")) for end in ("from", "to"))
        if source is not None and target is not None:
            labels = [
                child.text or ""
                for child in transition
                if child.tag not in ("from", "to", "controlx", "controly")
            ]
            joints[source].append(Joint("to " + " ".join(labels), target))
            joints[target].append(Joint("from " + " ".join(labels), source))
    return Graph(kinds, joints)


def _circuit(element: ET.Element) -> Graph:
    parts = [(part, at) for part in element.findall("comp") if (at := _point(part.get("loc", "")))]
    net_of, ends = _nets(
        [(_point(one.get("from", "")), _point(one.get("to", ""))) for one in element.findall("wire")]
    )
    at_net = defaultdict(list)
    for number, (_, at) in enumerate(parts):
        at_net[net_of(at)].append(number)
    joints: list[list[Joint]] = [[] for _ in parts]
    for number, (part, at) in enumerate(parts):
        joints[number] += [Joint("wire", other) for other in at_net[net_of(at)] if other != number]
        for end in sorted(end for end in ends if _is_input(part, at, end)):
            for other in at_net[net_of(end)]:
                joints[number].append(Joint("in", other))
                joints[other].append(Joint("out", number))
    return Graph([_kind(part) for part, _ in parts], joints)


def _kind(part: ET.Element) -> str:
    working = {(one.get("name", ""), one.get("val", "")) for one in part.findall("a")}
    words = [f"{name} {value}" for name, value in sorted(working) if name in _WORKING]
    return " ".join([part.get("name", ""), *words])


def _is_input(part: ET.Element, at: Point, end: Point) -> bool:
    facing = next((one.get("val", "") for one in part.findall("a") if one.get("name") == "facing"), "east")
    ahead = _AHEAD.get(facing, (1, 0))
    behind = (at[0] - end[0]) * ahead[0] + (at[1] - end[1]) * ahead[1]
    beside = abs((at[0] - end[0]) * ahead[1] + (at[1] - end[1]) * ahead[0])
    return _NEAREST <= behind <= _FARTHEST and beside <= _BESIDE


def _point(text: str) -> Point | None:
    match = _POINT.fullmatch(text.strip())
    return (int(match[1]), int(match[2])) if match else None


def _nets(wires: list[tuple[Point | None, Point | None]]) -> tuple[Callable[[Point], Point], list[Point]]:
    """Return the function that names the net of a point, and the loose ends of wires."""
    known = [(one, other) for one, other in wires[:MOST_WIRES] if one and other]
    parent: dict[Point, Point] = {}

    def net_of(point: Point) -> Point:
        while parent.get(point, point) != point:
            point = parent[point]
        return point

    points = {point for wire in known for point in wire}
    by_row, by_column = defaultdict(list), defaultdict(list)
    for x, y in points:
        by_row[y].append(x)
        by_column[x].append(y)
    for one, other in known:
        (left, right), (top, bottom) = (sorted(axis) for axis in zip(one, other, strict=True))
        on_wire = [(left, y) for y in by_column[left] if top <= y <= bottom] if left == right else []
        on_wire += [(x, top) for x in by_row[top] if left <= x <= right] if top == bottom else []
        for point in on_wire:
            parent[net_of(point)] = net_of(one)
    counts = Counter(point for wire in known for point in wire)
    return net_of, [point for point, count in counts.items() if count == 1]


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


class Scratch(CodeFrontEnd):
    """The front-end of the `project.json` in an `.sb3` archive, and of programs of blocks in XML.

    Scripts are shown in the order of the project, each with the blocks in it indented. Monitors, costumes,
    sounds, places on the screen and comments are not.
    """

    def text(self, decoded: str) -> str:
        """Return the scripts of a project; raise ValueError if it is none."""
        markup = decoded.lstrip("\ufeff \n\r\t")
        if markup.startswith("<"):
            return scripts_of_markup(markup)
        try:
            targets = [(str(target["name"]), target["blocks"]) for target in json.loads(decoded)["targets"]]
            return "\n".join(
                f"sprite {quoted(sprite)}\n{_Scripts(blocks).text()}" for sprite, blocks in targets
            )
        except _BROKEN as error:
            raise ValueError(f"it is no Scratch project that can be read ({type(error).__name__})") from error


class _Scripts:
    """The blocks of one sprite by their ids; each is written once, though a broken project may repeat it."""

    def __init__(self, blocks: dict[str, Any]) -> None:
        self._blocks = blocks
        self._written: set[str] = set()

    def text(self) -> str:
        roots = [
            key for key, block in self._blocks.items() if isinstance(block, dict) and block.get("topLevel")
        ]
        return "".join("\n".join(self._script(root, 1)) + "\n" for root in roots)

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
