"""Programs of blocks, circuits and automata in XML are read as what a person built."""

import re

import pytest
from hypothesis import given, strategies as st

from fingerprint.languages import detect, front_end
from tests.fingerprint.languages.test_every_language import kinds

SNAP = (
    '<project name="tide" app="Snap! 9" version="2"><stage><sprites><sprite name="Sea" x="0" y="0"><scripts>'
    '<script x="20" y="30"><block s="receiveGo"></block><block s="doSetVar"><l>level</l><l>3</l></block>'
    '<block s="doUntil"><block s="reportEquals"><block var="level"/><l>0</l></block><script>'
    '<block s="doChangeVar"><l>level</l><l>-1</l></block><custom-block s="swing %n"><l>2</l></custom-block>'
    "</script></block></script></scripts></sprite></sprites></stage></project>"
)
BLOCKLY = (
    '<xml xmlns="https://developers.google.com/blockly/xml"><variables><variable id="q">level</variable>'
    '</variables><block type="controls_if" id="z" x="3" y="4"><value name="IF0"><block type="logic_compare">'
    '<field name="OP">EQ</field><value name="A">'
    '<shadow type="math_number"><field name="NUM">1</field></shadow>'
    '<block type="variables_get"><field name="VAR" id="q">level</field></block></value></block></value>'
    '<statement name="DO0"><block type="text_print"><value name="TEXT"><shadow type="text">'
    '<field name="TEXT">high</field></shadow></value><next><block type="text_print"/></next></block>'
    '</statement><next><block type="variables_set">'
    '<field name="VAR">level</field></block></next></block></xml>'
)
OPEN_ROBERTA = (
    '<export xmlns="http://de.fhg.iais.roberta.blockly"><program><block_set xmlns="http://de.fhg.iais.roberta.blockly">'
    '<instance x="3" y="4"><block type="robControls_start" id="z"/><block type="robControls_loopForever">'
    '<statement name="DO"><block type="robActions_stop"/><block type="variables_get"><field name="VAR">level</field>'
    "</block></statement></block></instance></block_set></program></export>"
)
SHOWN = {
    OPEN_ROBERTA: "  robControls_start()\n  robControls_loopForever()\n  {\n    robActions_stop()\n"
    "    variables_get([level])\n  }\n",
    SNAP: "  receiveGo()\n  doSetVar([level], 3)\n  doUntil(reportEquals([level], 0))\n  {\n"
    "    doChangeVar([level], -1)\n    custom_block([swing %n], 2)\n  }\n",
    BLOCKLY: '  controls_if(logic_compare(EQ, variables_get([level])))\n  {\n    text_print(text("high"))\n'
    "    text_print()\n  }\n  variables_set([level])\n",
}
BLOCKS = front_end("scratch")
# What else programs are saved as, by the name of such a file.
BLOCKLY_JSON = """
{"blocks": {"languageVersion": 0, "blocks": [{"type": "controls_if", "id": "z", "x": 3, "inputs": {"IF0": {"block":
{"type": "logic_compare", "fields": {"OP": "EQ"}, "inputs": {"A": {"shadow": {"type": "math_number", "fields":
{"NUM": 1}}, "block": {"type": "variables_get", "fields": {"VAR": {"id": "q"}}}}}}}, "DO0": {"block": {"type":
"text_print", "inputs": {"TEXT": {"shadow": {"type": "text", "fields": {"TEXT": "high"}}}}, "next": {"block":
{"type": "text_print"}}}}}, "next": {"block": {"type": "variables_set", "fields": {"VAR": {"id": "q"}}}}}]},
"variables": [{"name": "level", "id": "q"}]}
"""
SCRATCH_2 = """
{"objName": "Stage", "children": [{"objName": "Sea", "scripts": [[20, 30, [["whenGreenFlag"],
["setVar:to:", "level", 3],
["doUntil", ["=", ["readVariable", "level"], 0], [["changeVar:by:", "level", -1], ["call", "swing %n", 2]]]]],
[9, 9, [["procDef", "swing %n", ["level"], [1], false], ["say:", ["getParam", "level", "r"]]]]]}]}
"""
FLOWGORITHM = """<?xml version="1.0"?>
<flowgorithm fileversion="4.2"><attributes><attribute name="authors" value="ann"/></attributes>
<function name="swing" type="None"><parameters><parameter name="level" type="Integer"/></parameters><body>
<while expression="level &gt; 3"><output expression="&quot;high&quot; &amp; level"/></while></body></function>
</flowgorithm>
"""
STRUCTOGRAM = """
<root xmlns:nsd="https://structorizer.fisch.lu/" author="ann" text="&#34;swing&#34;"><children><alternative
text="&#34;level &#62; 3&#34;"><qTrue><instruction text="&#34;OUTPUT &#34;&#34;high&#34;&#34;&#34;,&#34;level
&#60;- level - 1&#34;"/></qTrue><qFalse/></alternative></children></root>
"""
SHOWN_SCRATCH_2 = """  procDef([swing %n])
  say_([level])
  whenGreenFlag()
  setVar_to_([level], 3)
  doUntil(=([level], 0))
  {
    changeVar_by_([level], -1)
    call([swing %n], 2)
  }
"""
SHOWN_FLOWGORITHM = """function([swing])
{
    parameter([level])
    while([level] > 3)
    {
      output("high" & [level])
    }
}
"""
SHOWN_STRUCTOGRAM = """  alternative([level] > 3)
  {
    qTrue()
    {
      instruction(output "high" , [level] <- [level] - 1)
    }
    qFalse()
  }
"""
SAVED = {
    "tide.json": (BLOCKLY_JSON, SHOWN[BLOCKLY]),
    "project.json": (SCRATCH_2, SHOWN_SCRATCH_2),
    "tide.fprg": (FLOWGORITHM, SHOWN_FLOWGORITHM),
    "tide.nsd": (STRUCTOGRAM, SHOWN_STRUCTOGRAM),
}


@pytest.mark.parametrize("program", SHOWN)
def test_blocks_are_shown_as_their_scripts(program: str) -> None:
    assert detect("tide.xml", program) == detect("tide.bky", program) == "scratch"
    assert BLOCKS.text(program) == SHOWN[program]


@pytest.mark.parametrize("program", SHOWN)
def test_names_places_and_ids_of_blocks_change_no_kind(program: str) -> None:
    other = program.replace("level", "water line").replace("swing", "sway").replace("Sea", "Ocean")
    other = re.sub(r' ([xy])="\d+"', r' \1="71"', re.sub(r' id="\w+"', ' id="k"', other))
    assert other != program
    assert kinds(BLOCKS, BLOCKS.text(other)) == kinds(BLOCKS, BLOCKS.text(program))


@pytest.mark.parametrize("filename", SAVED)
def test_programs_that_are_saved_otherwise_are_shown_as_their_steps(filename: str) -> None:
    saved, shown = SAVED[filename]
    assert detect(filename, saved) == "scratch"
    assert BLOCKS.text(saved) == shown
    other = saved.replace("level", "water").replace("swing", "sway").replace("Sea", "Ocean").replace("ann", "bob")
    assert kinds(BLOCKS, BLOCKS.text(other)) == kinds(BLOCKS, shown)
    for kind in ("EQ", "doUntil", "while", "alternative"):
        changed = BLOCKS.text(saved.replace(kind, "another"))
        assert (changed == shown) == (kind not in saved)


@pytest.mark.parametrize("broken", ["[]", '{"blocks": []}', '{"blocks": {"blocks": [{}]}}', '{"scripts": [[1]]}', '""'])
def test_what_is_saved_as_json_and_is_no_program_is_refused(broken: str) -> None:
    with pytest.raises(ValueError, match="no Scratch project"):
        BLOCKS.text(broken)


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ("<xml><block", "ParseError"),
        ("<xml></xml>", "neither blocks nor parts"),
        ('<!DOCTYPE xml [<!ENTITY a "b">]><xml><block type="a"/></xml>', "entities"),
        ("<xml>" + '<block type="a"><value name="b">' * 3_000, "ParseError"),
        (
            "<xml>" + '<block type="a"><value>' * 3_000 + "</value></block>" * 3_000 + "</xml>",
            "RecursionError",
        ),
    ],
)
def test_what_is_no_program_of_blocks_is_refused_with_a_reason(broken: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        BLOCKS.text(broken)


def test_steps_deep_in_a_chart_take_as_many_characters_as_others() -> None:
    charts = (f"<root><children>{'<a>' * n}{'<b/>' * 2_000}{'</a>' * n}</children></root>" for n in (30, 300))
    shallow, deep = (len(BLOCKS.text(chart)) for chart in charts)
    assert deep < 2 * shallow


LABELS = st.sampled_from(["a", "b", "", "0", "+", "λ"])
STATES = 6
AUTOMATA = st.lists(st.tuples(st.integers(0, STATES - 1), st.integers(0, STATES - 1), LABELS), min_size=1, max_size=15)


def automaton(transitions: list[tuple[int, int, str]], order: list[int], place: int = 0) -> str:
    """Return an automaton in which state `number` has the id `order[number]`; the last state is final."""
    states = [
        f'<state id="{order[number]}" name="q{place}{number}"><x>{place}</x>{"<initial/>" * (number == 0)}'
        f"{'<final/>' * (number == STATES - 1)}</state>"
        for number in sorted(range(STATES), key=order.__getitem__)
    ]
    edges = [
        f"<transition><from>{order[one]}</from><to>{order[other]}</to><read>{label}</read></transition>"
        for one, other, label in (transitions if not place else reversed(transitions))
    ]
    return f"<structure><type>fa</type><automaton>{''.join(states + edges)}</automaton></structure>"


@given(AUTOMATA, st.permutations(range(STATES)))
def test_names_places_ids_and_order_of_states_change_nothing(
    transitions: list[tuple[int, int, str]], order: list[int]
) -> None:
    first = automaton(transitions, [*range(STATES)])
    assert detect("tide.jff", first) == "scratch"
    assert BLOCKS.text(automaton(transitions, order, 7)) == BLOCKS.text(first)


@given(AUTOMATA)
def test_a_turing_machine_of_blocks_is_read_as_one_of_states(transitions: list[tuple[int, int, str]]) -> None:
    first = automaton(transitions, [*range(STATES)])
    assert BLOCKS.text(re.sub(r"(</?)state\b", r"\1block", first)) == BLOCKS.text(first)


def grammar(*rules: str) -> str:
    made = (f"<production><left>{one[0]}</left><right>{one[1:]}</right></production>" for one in rules)
    return f"<structure><type>grammar</type>{''.join(made)}</structure>"


@given(st.permutations(["SaSb", "SA", "AcA", "A", "SBS", "Bb"]))
def test_a_grammar_is_read_by_its_productions_whatever_their_order_and_names(rules: list[str]) -> None:
    text = BLOCKS.text(grammar("SaSb", "SA", "AcA", "A", "SBS", "Bb"))
    assert detect("tide.jff", grammar(*rules)) == "scratch"
    assert BLOCKS.text(grammar(*rules)) == BLOCKS.text(grammar(*(one.replace("A", "Q") for one in rules))) == text
    assert BLOCKS.text(grammar(*(one.replace("c", "d") for one in rules))) != text


@given(AUTOMATA)
def test_another_label_of_a_transition_is_seen(transitions: list[tuple[int, int, str]]) -> None:
    (one, other, _), *rest = transitions
    order = [*range(STATES)]
    changed = automaton([(one, other, "c"), *rest], order)
    assert BLOCKS.text(changed) != BLOCKS.text(automaton(transitions, order))


def circuit(gate: str = "AND Gate", dx: int = 0, dy: int = 0, label: str = "a", *, reverse: bool = False) -> str:
    """Return two pins before a gate and one behind it, with bent wires."""
    wires = [
        (60, 40, 100, 40),
        (100, 40, 100, 80),
        (100, 80, 140, 80),
        (60, 120, 140, 120),
        (200, 100, 260, 100),
    ]
    parts = [f'<wire from="({a + dx},{b + dy})" to="({c + dx},{d + dy})"/>' for a, b, c, d in wires] + [
        f'<comp lib="1" loc="({200 + dx},{100 + dy})" name="{gate}"><a name="inputs" val="2"/></comp>',
        f'<comp loc="({60 + dx},{40 + dy})" name="Pin"><a name="label" val="{label}"/></comp>',
        f'<comp loc="({60 + dx},{120 + dy})" name="Pin"/>',
        f'<comp loc="({260 + dx},{100 + dy})" name="Pin"><a name="output" val="true"/></comp>',
    ]
    inner = "".join(parts[::-1] if reverse else parts)
    return f'<project source="2.7.1"><circuit name="{label}">{inner}</circuit></project>'


@given(st.integers(-9, 9), st.integers(-9, 9), st.booleans())
def test_places_labels_and_order_in_a_circuit_change_nothing(dx: int, dy: int, reverse: bool) -> None:  # noqa: FBT001 - by Hypothesis
    moved = circuit(dx=10 * dx, dy=10 * dy, label="other", reverse=reverse)
    assert BLOCKS.text(moved) == BLOCKS.text(circuit())


def test_a_circuit_is_shown_with_what_each_part_is_joined_to() -> None:
    text = BLOCKS.text(circuit())
    assert detect("tide.circ", circuit()) == "scratch"
    assert len(text.splitlines()) == 4
    (gate,) = re.findall(r"^AND_Gate_inputs_2\((.*)\)$", text, re.MULTILINE)
    assert len(re.findall(r"\bin_Pin", gate)) == 2
    assert BLOCKS.text(circuit("OR Gate")) != text
