"""Circuits, automata, drawings and models, of Logisim, JFLAP, draw.io and Simulink: graphs of labelled parts.

Each part is shown on a line with its kind and what it is joined to. Names, places, sizes and ids count for
nothing: the parts are told by what is around them, up to two others away. To add a kind of diagram, add the
tag of its elements to GRAPHS.
"""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from hashlib import blake2b
from html import unescape
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    Point = tuple[int, int]
    Properties = dict[str, str]

# So many joints away parts are told from each other.
ROUNDS = 2
# Attributes of a component by which it works as it does.
_WORKING = frozenset({"inputs", "width", "output", "tristate", "select", "enable", "value", "trigger", "type"})
# The box behind a component of Logisim, from its output on, in which its inputs are.
_NEAREST, _FARTHEST, _BESIDE = 10, 80, 40
_AHEAD = {"east": (1, 0), "west": (-1, 0), "north": (0, -1), "south": (0, 1)}
MOST_WIRES = 3_000
_POINT = re.compile(r"\((-?\d{1,6}),(-?\d{1,6})\)")

# Elements of draw.io around a cell, and arrows that are only drawn otherwise.
_AROUND_CELLS = frozenset({"object", "UserObject"})
_PLAIN_ARROWS = frozenset({
    "none", "classic", "classicThin", "open", "openThin", "openAsync", "block", "blockThin", "oval",
})  # fmt: skip
_TAG = re.compile(r"<[^<>]*>")
# Bytes of a drawing that is saved deflated.
MOST_DRAWN = 5_000_000

# Parameters by which a block of Simulink is another one, and those whose values are shown.
_KINDS_OF_BLOCKS = ("Operator", "Function", "Inputs", "Logic", "SourceType")
_VALUES = (
    "Value", "Gain", "Numerator", "Denominator", "Threshold", "InitialCondition", "UpperLimit", "LowerLimit",
    "Time", "Before", "After", "Amplitude", "Frequency", "SampleTime", "Expr",
)  # fmt: skip
# A model as text: a section, its end, or a parameter with its value; and the parts of a package of texts.
_MODEL_LINE = re.compile(r"[ \t]*+(?:(\w++)[ \t]*+\{|(\})|([\w.$]++)[ \t]++(\S.*))")
PART = "__MWOPC_PART_BEGIN__"
MODELS = ("Model ", "Library ", "#", PART)
_PART_LINE = re.compile(rf"^{PART} (/\S*+).*+\n", re.MULTILINE)
MOST_SECTIONS = 200


def primitive(text: str) -> str:
    """Return a number as it is, another text in quotes."""
    return text if text.replace(".", "", 1).removeprefix("-").isdigit() else quoted(text)


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def name(text: Any) -> str:
    """Return a name as it stands in brackets, on one line."""
    return " ".join(str(text).replace("]", ")").split())


class Joint(NamedTuple):
    """A joint of a part with another one; `label` is how."""

    label: str
    other: int


class Graph(NamedTuple):
    """The kinds of parts, the joints of each, and the names and values shown with it, which tell it not."""

    kinds: list[str]
    joints: list[list[Joint]]
    shown: list[list[str]]


def tree_of(text: str) -> ET.Element:
    """Return the tree of an XML text, with tags without their namespaces.

    Raises ValueError when it is no XML, or declares entities: they can make a short text a long one.
    """
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError("its XML declares entities")
    try:
        root = ET.fromstring(text)  # noqa: S314 - declares no entities
    except ET.ParseError as error:
        raise ValueError(f"it has no blocks that can be read ({type(error).__name__})") from error
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def diagram_text(root: ET.Element) -> str:
    """Return the parts of each diagram in a file, "" where there is none.

    Raises ValueError when a diagram in it that is packed is broken.
    """
    graphs = [GRAPHS[element.tag](element) for element in _elements(root) if element.tag in GRAPHS]
    return "".join(f"{line}\n" for graph in graphs for line in graph_lines(graph))


def _elements(root: ET.Element) -> Iterator[ET.Element]:
    """Yield the elements of a file, those of its deflated drawings too."""
    left = MOST_DRAWN
    for element in root.iter():
        yield element
        if element.tag == "diagram" and (packed := (element.text or "").strip()):
            drawn = _inflated(packed, left)
            left -= len(drawn)
            yield from tree_of(drawn).iter()


def _inflated(packed: str, most: int) -> str:
    try:
        inflater = zlib.decompressobj(-zlib.MAX_WBITS)
        drawn = inflater.decompress(b64decode(packed), most + 1)
    except (zlib.error, ValueError) as error:
        raise ValueError(f"its drawing is packed in an unknown way ({type(error).__name__})") from error
    if len(drawn) > most:
        raise ValueError(f"its drawings unpack to more than {MOST_DRAWN:,} bytes")
    return unquote(drawn.decode(errors="replace"))


def graph_lines(graph: Graph) -> list[str]:
    """Return a line for each part, in an order that depends on nothing but the graph."""
    colours = [_word(kind) for kind in graph.kinds]
    joints = graph.joints
    for _ in range(ROUNDS):
        colours = [
            f"{_word(kind)}_{_digest([colour, *_sides(ends, colours)])}"
            for kind, colour, ends in zip(graph.kinds, colours, joints, strict=True)
        ]
    rows = zip(graph.kinds, colours, joints, graph.shown, strict=True)
    lines = [
        (colour, f"{_word(kind)}({', '.join([*shown, *_sides(ends, colours)])})") for kind, colour, ends, shown in rows
    ]
    return [line for _, line in sorted(lines)]


def _sides(joints: list[Joint], colours: list[str]) -> list[str]:
    return sorted(f"{_word(joint.label)}_{colours[joint.other]}" for joint in set(joints))


def _digest(words: list[str]) -> str:
    return blake2b(" ".join(words).encode(), digest_size=2).hexdigest()


def _word(text: str) -> str:
    """Return a text as one word; two different texts are different words."""
    return re.sub(r"\W", lambda match: "_" if match[0] == " " else f"_{ord(match[0]):x}", text.strip()) or "empty"


def _graph(kinds: list[str], joints: list[list[Joint]]) -> Graph:
    return Graph(kinds, joints, [[] for _ in kinds])


def _automaton(element: ET.Element) -> Graph:
    if element.tag == "structure" and element.find("state") is None:
        return _grammar(element)
    # JFLAP 7 saves the states of a Turing machine as blocks.
    parts = [part for part in element.iter() if part.tag in ("state", "block")]
    states = {state.get("id", ""): number for number, state in enumerate(parts)}
    kinds = ["state"] * len(states)
    for state in parts:
        for mark in ("initial", "final"):
            kinds[states[state.get("id", "")]] += f" {mark}" if state.find(mark) is not None else ""
    joints: list[list[Joint]] = [[] for _ in kinds]
    for transition in element.iter("transition"):
        source, target = (states.get(transition.findtext(end, "")) for end in ("from", "to"))
        if source is not None and target is not None:
            labels = [
                child.text or "" for child in transition if child.tag not in ("from", "to", "controlx", "controly")
            ]
            joints[source].append(Joint("to " + " ".join(labels), target))
            joints[target].append(Joint("from " + " ".join(labels), source))
    return _graph(kinds, joints)


def _grammar(element: ET.Element) -> Graph:
    """Return the variables of a grammar, joined by the productions in which they are."""
    rules = [(one.findtext("left") or "", one.findtext("right") or "") for one in element.iter("production")]
    numbers = {left: number for number, left in enumerate(dict.fromkeys(left for left, _ in rules))}
    joints: list[list[Joint]] = [[] for _ in numbers]
    for left, right in rules:
        shape = "".join("_" if sign in numbers else sign for sign in right)
        for other in {sign for sign in right if sign in numbers} or {left}:
            _join(joints, (numbers[left], numbers[other]), f"to {shape}", f"in {shape}")
    return _graph(["variable"] * len(numbers), joints)


def _circuit(element: ET.Element) -> Graph:
    parts = [(part, at) for part in element.findall("comp") if (at := _point(part.get("loc", "")))]
    net_of, ends = _nets([(_point(one.get("from", "")), _point(one.get("to", ""))) for one in element.findall("wire")])
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
    return _graph([_kind(part) for part, _ in parts], joints)


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


def _drawing(model: ET.Element) -> Graph:
    """Return what is drawn: shapes with what they say, joined by arrows, and by being in one another."""
    cells = [(holder, cell) for holder in model.iter() if (cell := _cell(holder)) is not None]
    shapes = [(holder, cell) for holder, cell in cells if cell.get("vertex") == "1" and "edgeLabel" not in _style(cell)]
    numbers = {holder.get("id", ""): number for number, (holder, _) in enumerate(shapes)}
    kinds = [_shape(_style(cell)) for _, cell in shapes]
    joints: list[list[Joint]] = [[] for _ in shapes]
    for _, cell in cells:
        ends = numbers.get(cell.get("source", "")), numbers.get(cell.get("target", ""))
        if cell.get("edge") == "1":
            style = _style(cell)
            arrows = _arrow(style, "startArrow"), _arrow(style, "endArrow")
            _join(joints, ends, f"to {arrows[0]} {arrows[1]}", f"from {arrows[1]} {arrows[0]}")
    for number, (_, cell) in enumerate(shapes):
        _join(joints, (number, numbers.get(cell.get("parent", ""))), "within", "around")
    return Graph(kinds, joints, [_label(holder, cell) for holder, cell in shapes])


def _cell(holder: ET.Element) -> ET.Element | None:
    """Return the cell that an element is or holds; one in a holder has no id of its own."""
    cell = holder.find("mxCell") if holder.tag in _AROUND_CELLS else holder
    return cell if cell is not None and cell.tag == "mxCell" and holder.get("id") else None


def _join(joints: list[list[Joint]], ends: tuple[int | None, int | None], there: str, back: str) -> None:
    source, target = ends
    if source is not None and target is not None:
        joints[source].append(Joint(there, target))
        joints[target].append(Joint(back, source))


def _style(cell: ET.Element) -> Properties:
    return {key: value for key, _, value in (part.partition("=") for part in cell.get("style", "").split(";"))}


def _shape(style: Properties) -> str:
    bare = next((key for key, value in style.items() if key and not value), "box")
    return style.get("shape") or bare


def _arrow(style: Properties, end: str) -> str:
    kind = style.get(end, "")
    return "" if kind in _PLAIN_ARROWS else kind


def _label(holder: ET.Element, cell: ET.Element) -> list[str]:
    text = name(unescape(_TAG.sub(" ", holder.get("label") or cell.get("value") or "")))
    return [f"[{text}]"] if text else []


def _system(system: ET.Element) -> Graph:
    """Return the blocks of a model or of a subsystem, joined by lines; ports tell inputs from each other."""
    blocks = [_properties(block) for block in system.findall("Block")]
    numbers = {(key, block.get(key, "")): at for key in ("Name", "SID") for at, block in enumerate(blocks)}
    joints: list[list[Joint]] = [[] for _ in blocks]
    for line in system.findall("Line"):
        ends = [_properties(part) for part in line.iter() if part.tag in ("Line", "Branch")]
        source, out = _end(ends[0], "Src")
        for target, port in (_end(one, "Dst") for one in ends):
            _join(joints, (numbers.get(source), numbers.get(target)), f"{out} to {port}", f"{port} from {out}")
    return Graph([_kind_of_block(one) for one in blocks], joints, [_values(one) for one in blocks])


def _properties(element: ET.Element) -> Properties:
    """Return the attributes of an element, and the parameters that its children are."""
    return {**element.attrib, **{one.get("Name", ""): one.text or "" for one in element.findall("P")}}


def _end(line: Properties, end: str) -> tuple[tuple[str, str], str]:
    """Return the block and the port at an end of a line: by its name, or in one parameter by its number."""
    if f"{end}Block" in line:
        return ("Name", line[f"{end}Block"]), line.get(f"{end}Port", "")
    block, _, port = line.get(end, "").partition("#")
    return ("SID", block), port.rpartition(":")[2]


def _kind_of_block(block: Properties) -> str:
    return " ".join([block.get("BlockType", ""), *(block[one] for one in _KINDS_OF_BLOCKS if one in block)])


def _values(block: Properties) -> list[str]:
    return [primitive(block[one]) for one in _VALUES if one in block]


def model_tree(text: str) -> ET.Element:
    """Return the tree of a model of Simulink that is saved as text, or as a package of XML texts."""
    parts = list(_PART_LINE.finditer(text))
    if not parts:
        return _sections(text)
    root = ET.Element("Model")
    ends = [*(part.start() for part in parts[1:]), len(text)]
    for part, end in zip(parts, ends, strict=True):
        body = text[part.end() : end]
        if part[1].startswith("/simulink/") and part[1].endswith(".xml"):
            root.append(tree_of(body.strip()))
    return root


def _sections(text: str) -> ET.Element:
    """Return the sections of a text as elements, and their parameters as elements `P`."""
    inside = [ET.Element("")]
    for line in map(_MODEL_LINE.match, text.splitlines()):
        if line is None:
            continue
        if line[1]:
            inside.append(ET.SubElement(inside[-1], line[1]))
        elif line[2]:
            inside = inside[:-1] or inside
        else:
            ET.SubElement(inside[-1], "P", Name=line[3]).text = line[4].strip().strip('"')
        if not 0 < len(inside) <= MOST_SECTIONS:
            raise ValueError(f"its sections are no model, or nested deeper than {MOST_SECTIONS}")
    return inside[0]


# The reader of the graph that an element is, by its tag.
GRAPHS: dict[str, Callable[[ET.Element], Graph]] = {
    "circuit": _circuit, "automaton": _automaton, "structure": _automaton, "mxGraphModel": _drawing,
    "System": _system,
}  # fmt: skip
