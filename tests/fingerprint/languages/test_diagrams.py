"""Drawings of draw.io and models of Simulink are read as their parts and what joins them."""

import re
import zlib
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from html import escape
from typing import NamedTuple
from urllib.parse import quote

import pytest
from hypothesis import given, strategies as st

from fingerprint.languages import detect, front_end
from fingerprint.languages.diagrams import MOST_SECTIONS, PART
from tests.fingerprint.languages.test_every_language import kinds

READER = front_end("scratch")
PARTS = 6
SHAPES = ["ellipse", "rhombus", "shape=process", "", "swimlane"]
BLOCKS = ["Gain", "Sum", "Integrator", "Scope", "Constant"]


class Diagram(NamedTuple):
    """The kind of each part, by its number, and the pairs of parts that are joined."""

    kinds: list[int]
    wires: list[tuple[int, int]]


class Looks(NamedTuple):
    """What counts for nothing: the order of the parts and their ids, places, names and colours."""

    order: list[int]
    first: int
    place: int
    prefix: str


number = st.integers(0, PARTS - 1)
DIAGRAMS = st.builds(
    Diagram,
    st.lists(st.integers(0, len(SHAPES) - 1), min_size=PARTS, max_size=PARTS),
    st.lists(st.tuples(number, number), min_size=1, max_size=8, unique=True),
)
LOOKS = st.builds(
    Looks,
    st.permutations(range(PARTS)),
    st.integers(2, 99),
    st.integers(-500, 500),
    st.sampled_from(["tide", "a b", "λ", "<b>x</b>"]),
)
PLAIN = Looks([*range(PARTS)], 2, 0, "part")


def drawing(diagram: Diagram, looks: Looks = PLAIN) -> str:
    cells = [
        f'<mxCell id="p{looks.first + part}" value="{escape(looks.prefix)}{part}" parent="1" vertex="1" '
        f'style="{SHAPES[diagram.kinds[part]]};html=1;fillColor=#{looks.place % 1000:06d};">'
        f'<mxGeometry x="{looks.place}" y="{part * looks.first}" width="90" height="40"/></mxCell>'
        for part in looks.order
    ]
    cells += [
        f'<mxCell id="w{at}" edge="1" parent="1" style="endArrow=classic;rounded={looks.first % 2};" '
        f'source="p{looks.first + one}" target="p{looks.first + other}"/>'
        for at, (one, other) in enumerate(diagram.wires)
    ]
    root = f'<root><mxCell id="0"/><mxCell id="1" parent="0"/>{"".join(cells)}</root>'
    return f'<mxGraphModel dx="{looks.place}">{root}</mxGraphModel>'


def saved(drawn: str) -> str:
    return f'<mxfile host="app"><diagram id="d" name="Page-1">{drawn}</diagram></mxfile>'


def deflated(drawn: str) -> str:
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return saved(b64encode(packer.compress(quote(drawn, safe="").encode()) + packer.flush()).decode())


def in_objects(drawn: str) -> str:
    """Return a drawing in which each shape has data of its own, which draw.io saves around it."""
    cell = r'<mxCell id="(p\d+)" value="([^"]*)"((?:[^<]|<mxGeometry)*</mxCell>)'
    return re.sub(cell, r'<object label="\2" id="\1"><mxCell\3</object>', drawn)


def model(diagram: Diagram, looks: Looks = PLAIN) -> str:
    """Return a model as `.slx` has it, as a package of texts."""
    blocks = "".join(
        f'<Block BlockType="{BLOCKS[diagram.kinds[part]]}" Name="{escape(looks.prefix)}{part}" '
        f'SID="{looks.first + part}"><P Name="Position">[{looks.place}]</P><P Name="Gain">2</P></Block>'
        for part in looks.order
    )
    lines = "".join(
        f'<Line><P Name="Src">{looks.first + one}#out:1</P><Branch><P Name="Dst">'
        f"{looks.first + other}#in:1</P></Branch></Line>"
        for one, other in diagram.wires
    )
    system = f"<?xml version='1.0'?>\n<System><P Name='Location'>[{looks.place}]</P>{blocks}{lines}</System>"
    return f"{PART} /simulink/windowsInfo.txt\n<a\n{PART} /simulink/systems/system_root.xml\n{system}\n"


def text_model(diagram: Diagram, looks: Looks = PLAIN) -> str:
    """Return the same model as `.mdl` has it."""
    blocks = "".join(
        f'    Block {{\n      BlockType\t\t{BLOCKS[diagram.kinds[part]]}\n      Name "{looks.prefix}{part}"\n'
        f'      SID "{looks.first + part}"\n      Position [{looks.place},\n 2]\n      Gain "2"\n    }}\n'
        for part in looks.order
    )
    lines = "".join(
        f'    Line {{\n      SrcBlock "{looks.prefix}{one}"\n      SrcPort 1\n      Branch {{\n'
        f'        DstBlock "{looks.prefix}{other}"\n        DstPort 1\n      }}\n    }}\n'
        for one, other in diagram.wires
    )
    return f'Model {{\n  Name "{looks.prefix}"\n  System {{\n    Name "x"\n{blocks}{lines}  }}\n}}\n'


Writer = Callable[..., str]
WRITERS: list[Writer] = [drawing, model, text_model]
PETRI_NET = """<?xml version="1.0"?><pnml><net id="n" type="P/T net"><place id="P0"><name><value>sea</value></name>
<initialMarking><value>1</value></initialMarking></place><transition id="T0"><name><text>ebb</text></name>
<orientation><value>0</value></orientation></transition><arc id="a" source="P0"
target="T0"><inscription><value>2</value></inscription></arc></net></pnml>"""


def test_a_petri_net_is_shown_as_its_nodes_with_markings_joined_by_arcs_with_weights() -> None:
    assert detect("net.pnml", PETRI_NET) == detect("tide.xml", PETRI_NET) == "scratch"
    shown = re.sub("_[0-9a-f]{4}(?=[,)])", "", READER.text(PETRI_NET))
    assert shown == "place([sea], 1, to_2_transition)\ntransition([ebb], from_2_place)\n"
    assert detect("build.xml", '<project name="a">\n<pnml file="a.pnml"/></project>') == "xml"


@given(DIAGRAMS, LOOKS, st.sampled_from(WRITERS))
def test_names_places_ids_order_and_styles_change_no_part(diagram: Diagram, looks: Looks, write: Writer) -> None:
    first, other = READER.text(write(diagram)), READER.text(write(diagram, looks))
    assert len(first.splitlines()) == PARTS
    assert kinds(READER, other) == kinds(READER, first)
    assert re.sub(r"\[[^]]*\]", "", other) == re.sub(r"\[[^]]*\]", "", first)


@given(DIAGRAMS, number, st.integers(1, len(SHAPES) - 1), st.sampled_from(WRITERS))
def test_a_part_of_another_kind_is_seen(diagram: Diagram, part: int, by: int, write: Writer) -> None:
    changed = [*diagram.kinds]
    changed[part] = (changed[part] + by) % len(SHAPES)
    assert READER.text(write(diagram._replace(kinds=changed))) != READER.text(write(diagram))


@given(DIAGRAMS, LOOKS)
def test_all_forms_in_which_a_diagram_is_saved_are_read_alike(diagram: Diagram, looks: Looks) -> None:
    drawn = drawing(diagram, looks)
    forms = {READER.text(form) for form in (drawn, saved(drawn), deflated(drawn), in_objects(drawn))}
    assert len(forms) == 1
    assert READER.text(model(diagram, looks)) == READER.text(text_model(diagram, looks))


def test_a_drawing_is_shown_with_what_its_parts_say_and_what_they_are_joined_to() -> None:
    drawn = saved(drawing(Diagram([0, 1, 2, 3, 3, 3], [(0, 1), (1, 2), (1, 3)])))
    assert detect("flow.drawio", drawn) == detect("flow.xml", drawn) == detect("flow.xml", deflated(drawn))
    assert detect("flow.drawio", drawn) == "scratch"
    (choice,) = re.findall(r"^rhombus\((.*)\)$", READER.text(drawn), re.MULTILINE)
    assert re.sub("_[0-9a-f]{4}", "", choice) == "[part1], from_ellipse, to_box, to_process"


def test_a_block_of_a_model_is_shown_with_its_values_and_ports() -> None:
    text = text_model(Diagram([4, 0, 3, 3, 3, 3], [(0, 1), (1, 2)]))
    assert detect("plant.mdl", text) == detect("plant.slx", model(Diagram([0] * 6, []))) == "scratch"
    (gain,) = re.findall(r"^Gain\((.*)\)$", READER.text(text), re.MULTILINE)
    assert re.sub("_[0-9a-f]{4}", "", gain) == "2, 1_from_1_Constant, 1_to_1_Scope"
    added = text.replace("BlockType\t\tGain", 'BlockType Gain\n      Operator "sin"')
    assert READER.text(added) != READER.text(text)


def bomb() -> str:
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = b"".join(packer.compress(b"<a/>" * 250_000) for _ in range(20)) + packer.flush()
    return f"<mxfile><diagram>{b64encode(packed).decode()}</diagram></mxfile>"


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (bomb(), "more than 5,000,000 bytes"),
        ("<mxfile><diagram>no base64</diagram></mxfile>", "packed in an unknown way"),
        (saved(b64encode(b"not deflated").decode()), "packed in an unknown way"),
        (deflated("<mxGraphModel>"), "ParseError"),
        (deflated('<!DOCTYPE a [<!ENTITY b "c">]><mxGraphModel/>'), "entities"),
        (saved("<mxGraphModel><root/></mxGraphModel>"), "neither blocks nor parts"),
        ("Model {\n" * (MOST_SECTIONS + 1), f"nested deeper than {MOST_SECTIONS}"),
        ("Model {\n}\n", "neither blocks nor parts"),
        (f"{PART} /simulink/blockdiagram.xml\n<System>\n", "ParseError"),
    ],
)
def test_a_broken_or_hostile_diagram_is_refused_with_a_reason(broken: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        READER.text(broken)


@given(st.text(alphabet="<>/={} \n\"'#:ab1", max_size=200), st.sampled_from(["mxGraphModel", "System"]))
def test_any_text_in_a_diagram_is_read_or_refused(text: str, tag: str) -> None:
    hostile = f'<{tag}><mxCell id="a{escape(text)}" vertex="1" edge="1" style="{escape(text)}" source=""/>'
    hostile += f'<Block Name="{escape(text)}"/><Line><P Name="Src">{escape(text, quote=False)}</P></Line></{tag}>'
    assert READER.text(hostile).endswith("\n")
    with suppress(ValueError):
        assert READER.text(f"Model {{\nSystem {{\nBlock {{\n}}\n{text}\n").startswith("empty(")


APP = (
    '<xml xmlns="http://www.w3.org/1999/xhtml"><block type="component_event" id="1" x="4" y="5">'
    '<mutation component_type="Button" is_generic="false" instance_name="Low" event_name="Click"></mutation>'
    '<field name="COMPONENT_SELECTOR">Low</field><statement name="DO"><block type="component_set_get" id="2">'
    '<mutation component_type="Label" set_or_get="set" property_name="Text" is_generic="false" '
    'instance_name="Tide"/><field name="COMPONENT_SELECTOR">Tide</field><field name="PROP">Text</field>'
    '<value name="VALUE"><block type="text"><field name="TEXT">ebb</field></block></value></block>'
    "</statement>"
    '</block><yacodeblocks ya-version="221" language-version="36"></yacodeblocks></xml>'
)


def test_blocks_of_app_inventor_say_what_happens_to_which_kind_of_component() -> None:
    empty = APP[: APP.index("<block")] + APP[APP.index("<yacodeblocks") :]
    assert detect("Screen1.bky", APP) == detect("Screen1.bky", empty) == "scratch"
    shown = """\
  component_event(Button, Click, [Low])
  {
    component_set_get(Label, Text, set, [Tide], "Text", text("ebb"))
  }
"""
    assert READER.text(APP) == shown
    renamed = READER.text(APP.replace("Low", "Down").replace("Tide", "Sea").replace('"4"', '"9"'))
    assert kinds(READER, renamed) == kinds(READER, READER.text(APP))
    assert READER.text(APP.replace("Click", "LongClick")) != READER.text(APP)
