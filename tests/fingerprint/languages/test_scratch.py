"""Scratch projects are read as their scripts, whatever the names and places; a broken one is refused."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from fingerprint.engine import Unreadable, front_end, read
from fingerprint.languages import detect
from moss.check.rank import RankingOptions, rank_path

GOLDEN = Path(__file__).parent / "golden" / "scratch.json"
PROJECT = GOLDEN.read_text(encoding="utf-8")
BLOCKS = {key: block for key, block in json.loads(PROJECT)["targets"][1]["blocks"].items() if isinstance(block, dict)}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)
# What a block or its parts may hold instead of what Scratch writes.
KEYS = ("opcode", "next", "inputs", "fields", "mutation", "topLevel")
NAMES = ("worst", "swing", "doubled %s", "change", "problem", "level")


def tokens(text: str) -> list[str]:
    language = front_end("scratch")
    part = language.text(text)
    return [f"{kind} {part[start:end]}" for start, end, kind in language.named_tokens(part)]


def kinds(text: str) -> list[str]:
    return [token.split()[0] for token in tokens(text)]


def renamed(text: str) -> str:
    for number, name in enumerate(NAMES):
        text = text.replace(f'"{name}"', f'"other {number} %s"')
    return text


def with_blocks(blocks: Any) -> str:
    project = json.loads(PROJECT)
    project["targets"][1]["blocks"] = blocks
    return json.dumps(project)


def archive(text: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("project.json", text)
        packed.writestr("cd21514d0531fdffb22204e0ec5ed84a.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>")
        packed.writestr("83c36d806dc92327b9e7049a565c6bff.wav", b"RIFF\0\0\0\0WAVE\0\1")
    return file.getvalue()


def test_a_project_is_found_by_its_content_and_other_data_is_not() -> None:
    assert detect("game/project.json", PROJECT) == "scratch"
    assert detect("game/project.json", json.dumps(json.loads(PROJECT))) == "scratch"
    assert detect("project.json", '{"name": "game", "targets": [1]}') == "json"


def test_every_block_is_read_once() -> None:
    blocks = [block for block in json.loads(PROJECT)["targets"][1]["blocks"].values() if isinstance(block, dict)]
    opcodes = sorted(block["opcode"] for block in blocks)
    assert sorted(kind for kind in kinds(PROJECT) if "_" in kind) == opcodes


def test_the_order_of_scripts_in_a_project_changes_no_token() -> None:
    project = json.loads(PROJECT)
    blocks = project["targets"][1]["blocks"]
    assert sum(bool(block.get("topLevel")) for block in BLOCKS.values()) > 1
    project["targets"][1]["blocks"] = dict(reversed(blocks.items()))
    assert tokens(json.dumps(project)) == tokens(PROJECT)


def test_other_names_places_and_looks_change_no_kind() -> None:
    project = json.loads(PROJECT)
    project["targets"][1] |= {"comments": {}, "costumes": [], "x": 5}
    for block in project["targets"][1]["blocks"].values():
        if isinstance(block, dict) and block["topLevel"]:
            block["x"] += 100
    assert kinds(renamed(json.dumps(project))) == kinds(PROJECT)
    assert tokens(renamed(PROJECT)) != tokens(PROJECT)


def outcome(text: str) -> str:
    """Return the first word of what is shown of a project, or the reason of the refusal."""
    try:
        read(text.encode(), "project.json", "scratch")
        return front_end("scratch").text(text).split()[0]
    except Unreadable as error:
        return str(error).partition(" (")[0]


SHOWN_OR_REFUSED = {"sprite", "it is no Scratch project that can be read"}


@given(JSON)
def test_any_blocks_are_shown_or_refused(blocks: Any) -> None:
    assert outcome(with_blocks(blocks)) in SHOWN_OR_REFUSED


@given(JSON)
def test_any_targets_are_shown_or_refused(targets: Any) -> None:
    assert outcome(json.dumps({"targets": [{"name": "a", "blocks": {}}, targets]})) in SHOWN_OR_REFUSED


@given(st.sampled_from(sorted(BLOCKS)), st.sampled_from(KEYS), JSON)
def test_a_block_with_anything_in_it_is_shown_or_refused(key: str, field: str, value: Any) -> None:
    assert outcome(with_blocks({**BLOCKS, key: {**BLOCKS[key], field: value}})) in SHOWN_OR_REFUSED


@pytest.mark.parametrize("link", ["next", "SUBSTACK"])
def test_blocks_that_lead_back_to_themselves_end(link: str) -> None:
    inputs = {"SUBSTACK": [2, "a"]} if link == "SUBSTACK" else {}
    blocks = {"a": {"opcode": "control_forever", "topLevel": True, "inputs": inputs, "next": "a"}}
    assert kinds(with_blocks(blocks)).count("control_forever") == 1


def test_very_deep_blocks_are_refused_and_long_scripts_are_read() -> None:
    deep = {
        str(n): {"opcode": "operator_not", "topLevel": n == 0, "inputs": {"OPERAND": [2, str(n + 1)]}}
        for n in range(20_000)
    }
    with pytest.raises(ValueError, match="RecursionError"):
        front_end("scratch").text(with_blocks(deep))
    long = {
        str(n): {"opcode": "motion_movesteps", "topLevel": n == 0, "inputs": {}, "next": str(n + 1)}
        for n in range(20_000)
    }
    assert kinds(with_blocks(long)).count("motion_movesteps") == 20_000


def script(*opcodes: str) -> str:
    """Return a project with one script."""
    links = zip(range(len(opcodes)), opcodes, strict=True)
    blocks = {
        str(n): {"opcode": opcode, "topLevel": not n, "inputs": {"X": [1, [4, n]]}, "next": str(n + 1)}
        for n, opcode in links
    }
    return with_blocks(blocks)


def test_projects_of_a_class_are_compared_by_their_scripts(tmp_path: Path) -> None:
    honest = script(
        "event_whenkeypressed", "motion_turnright", "looks_nextcostume", "sound_playuntildone",
        "motion_gotoxy", "control_wait", "looks_hide", "motion_glidesecstoxy", "looks_show",
        "control_delete_this_clone",
    )  # fmt: skip
    for name, text in {"ada": PROJECT, "ben": renamed(PROJECT), "cleo": honest}.items():
        (tmp_path / f"{name}.sb3").write_bytes(archive(text))
    report = rank_path(tmp_path, RankingOptions())
    assert {(file.submission, file.language) for file in report.read_files} == {
        (name, "scratch") for name in ("ada", "ben", "cleo")
    }
    pairs = {(report.submissions[pair.left], report.submissions[pair.right]): pair for pair in report.pairs()}
    similar = {names for names, pair in pairs.items() if pair.similarity > 0.5}
    assert {frozenset(names) for names in similar} == {frozenset(("ada", "ben"))}
