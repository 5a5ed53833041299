"""Circuits, automata, Petri nets, drawings and models, of Logisim, JFLAP, draw.io and others: graphs of parts.

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
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from html import unescape
from typing import Any, NamedTuple
from urllib.parse import unquote
from xml.etree import ElementTree as ET

Point = tuple[int, int]
# Two parts by their numbers; how the first is joined to the second, and the second to the first.
Link = tuple[int | None, int | None, str, str]
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

# Elements of a Petri net; what is said of a node, and how many tokens a place has at first.
_NODES = frozenset({"place", "transition"})
_NAMES = ("name/value", "name/text")
_MARKINGS = ("initialMarking/value", "initialMarking/text")

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


def _graph(kinds: list[str], links: Iterable[Link], shown: list[list[str]] | None = None) -> Graph:
    """Return the graph of parts and the links between them; a link to what is no part is left out."""
    joints: list[list[Joint]] = [[] for _ in kinds]
    for source, target, there, back in links:
        if source is not None and target is not None:
            joints[source].append(Joint(there, target))
            joints[target].append(Joint(back, source))
    return Graph(kinds, joints, shown or [[] for _ in kinds])


def _automaton(element: ET.Element) -> Graph:
    if element.tag == "structure" and element.find("state") is None:
        return _grammar(element)
    # JFLAP 7 saves the states of a Turing machine as blocks.
    parts = [part for part in element.iter() if part.tag in ("state", "block")]
    states = {state.get("id", ""): number for number, state in enumerate(parts)}
    kinds = [
        " ".join(["state", *(mark for mark in ("initial", "final") if state.find(mark) is not None)]) for state in parts
    ]
    links: list[Link] = []
    for transition in element.iter("transition"):
        label = " ".join(
            child.text or "" for child in transition if child.tag not in ("from", "to", "controlx", "controly")
        )
        source, target = (states.get(transition.findtext(end, "")) for end in ("from", "to"))
        links.append((source, target, f"to {label}", f"from {label}"))
    return _graph(kinds, links)


def _grammar(element: ET.Element) -> Graph:
    """Return the variables of a grammar, joined by the productions in which they are."""
    rules = [(one.findtext("left") or "", one.findtext("right") or "") for one in element.iter("production")]
    numbers = {left: number for number, left in enumerate(dict.fromkeys(left for left, _ in rules))}
    links: list[Link] = []
    for left, right in rules:
        shape = "".join("_" if sign in numbers else sign for sign in right)
        others = {sign for sign in right if sign in numbers} or {left}
        links += [(numbers[left], numbers[other], f"to {shape}", f"in {shape}") for other in others]
    return _graph(["variable"] * len(numbers), links)


def _circuit(element: ET.Element) -> Graph:
    parts = [(part, at) for part in element.findall("comp") if (at := _point(part.get("loc", "")))]
    net_of, ends = _nets([(_point(one.get("from", "")), _point(one.get("to", ""))) for one in element.findall("wire")])
    at_net = defaultdict(list)
    for number, (_, at) in enumerate(parts):
        at_net[net_of(at)].append(number)
    links: list[Link] = []
    for number, (part, at) in enumerate(parts):
        links += [(number, other, "wire", "wire") for other in at_net[net_of(at)] if other != number]
        inputs = sorted(end for end in ends if _is_input(part, at, end))
        links += [(number, other, "in", "out") for end in inputs for other in at_net[net_of(end)]]
    return _graph([_kind(part) for part, _ in parts], links)


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
    styles = [_style(cell) for _, cell in shapes]
    kinds = [one.get("shape") or next((key for key in one if key and not one[key]), "box") for one in styles]
    links: list[Link] = []
    for number, (_, cell) in enumerate(shapes):
        links.append((number, numbers.get(cell.get("parent", "")), "within", "around"))
    for _, cell in cells:
        if cell.get("edge") == "1":
            arrows = (_style(cell).get(end, "") for end in ("startArrow", "endArrow"))
            first, last = ("" if arrow in _PLAIN_ARROWS else arrow for arrow in arrows)
            source, target = (numbers.get(cell.get(end, "")) for end in ("source", "target"))
            links.append((source, target, f"to {first} {last}", f"from {last} {first}"))
    labels = [holder.get("label") or cell.get("value") or "" for holder, cell in shapes]
    return _graph(kinds, links, [_named(unescape(_TAG.sub(" ", label))) for label in labels])


def _cell(holder: ET.Element) -> ET.Element | None:
    """Return the cell that an element is or holds; one in a holder has no id of its own."""
    cell = holder.find("mxCell") if holder.tag in _AROUND_CELLS else holder
    return cell if cell is not None and cell.tag == "mxCell" and holder.get("id") else None


def _style(cell: ET.Element) -> Properties:
    return {key: value for key, _, value in (part.partition("=") for part in cell.get("style", "").split(";"))}


def _named(*texts: str | None) -> list[str]:
    return [f"[{name(text)}]" for text in texts if text and text.strip()]


def _system(system: ET.Element) -> Graph:
    """Return the blocks of a model or of a subsystem, joined by lines; ports tell inputs from each other."""
    blocks = [_properties(block) for block in system.findall("Block")]
    numbers = {(key, block.get(key, "")): at for key in ("Name", "SID") for at, block in enumerate(blocks)}
    links: list[Link] = []
    for line in system.findall("Line"):
        ends = [_properties(part) for part in line.iter() if part.tag in ("Line", "Branch")]
        source, out = _end(ends[0], "Src")
        for target, port in (_end(one, "Dst") for one in ends):
            links.append((numbers.get(source), numbers.get(target), f"{out} to {port}", f"{port} from {out}"))
    kinds = [
        " ".join([one.get("BlockType", ""), *(one[key] for key in _KINDS_OF_BLOCKS if key in one)]) for one in blocks
    ]
    return _graph(kinds, links, [[primitive(one[key]) for key in _VALUES if key in one] for one in blocks])


def _properties(element: ET.Element) -> Properties:
    """Return the attributes of an element, and the parameters that its children are."""
    return {**element.attrib, **{one.get("Name", ""): one.text or "" for one in element.findall("P")}}


def _end(line: Properties, end: str) -> tuple[tuple[str, str], str]:
    """Return the block and the port at an end of a line: by its name, or in one parameter by its number."""
    if f"{end}Block" in line:
        return ("Name", line[f"{end}Block"]), line.get(f"{end}Port", "")
    block, _, port = line.get(end, "").partition("#")
    return ("SID", block), port.rpartition(":")[2]


def _net(element: ET.Element) -> Graph:
    """Return the places and transitions of a Petri net, joined by arcs with their weights."""
    nodes = [one for one in element.iter() if one.tag in _NODES]
    numbers = {node.get("id", ""): number for number, node in enumerate(nodes)}
    links: list[Link] = []
    for arc in element.iter("arc"):
        source, target = (numbers.get(arc.get(end, "")) for end in ("source", "target"))
        weight = arc.findtext("inscription/value") or arc.findtext("inscription/text", "")
        links.append((source, target, f"to {weight}", f"from {weight}"))
    shown = [
        [*_named(*map(one.findtext, _NAMES)), *(primitive(text) for at in _MARKINGS if (text := one.findtext(at)))]
        for one in nodes
    ]
    return _graph([one.tag for one in nodes], links, shown)


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
    "System": _system, "net": _net,
}  # fmt: skip
