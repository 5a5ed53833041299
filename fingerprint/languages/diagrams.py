"""Circuits and automata that are saved as XML, by Logisim and JFLAP: graphs of labelled parts.

Each part is shown on a line with its kind and what it is joined to. Names, places, sizes and ids count for
nothing: the parts are told by what is around them, up to two others away.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from xml.etree import ElementTree as ET

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
