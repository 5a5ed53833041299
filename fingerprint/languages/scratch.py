"""The front-end of Scratch projects: the scripts of their sprites as text, one block a line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fingerprint.languages.code import CodeFrontEnd

if TYPE_CHECKING:
    from collections.abc import Iterator

# Primitive inputs by their number in the file format of Scratch 3: texts and names; the others are numbers.
_TEXT, _NAMES = 10, frozenset({11, 12, 13})
# Fields with the name of a variable, a list or a message; the values of other fields are chosen from a menu.
_NAMED_FIELDS = frozenset({"VARIABLE", "LIST", "BROADCAST_OPTION", "VALUE"})
# Deeper blocks are indented no more: a line would be longer than what is in it.
MAX_INDENT = 20
_BROKEN = (AttributeError, LookupError, RecursionError, TypeError, ValueError)


class Scratch(CodeFrontEnd):
    """The front-end of the `project.json` in an `.sb3` archive.

    Scripts are shown in the order of the project, each with the blocks in it indented. Monitors, costumes,
    sounds, places on the screen and comments are not.
    """

    def text(self, decoded: str) -> str:
        """Return the scripts of a project; raise ValueError if it is none."""
        try:
            targets = [(str(target["name"]), target["blocks"]) for target in json.loads(decoded)["targets"]]
            return "\n".join(f"sprite {_quoted(name)}\n{_Scripts(blocks).text()}" for name, blocks in targets)
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
            for name in sorted(name for name in inputs if name.startswith("SUBSTACK")):
                yield f"{indent}{{"
                yield from self._script(inputs[name][1], depth + 1)
                yield f"{indent}}}"
            following = block.get("next")

    def _is_next(self, key: Any) -> bool:
        return isinstance(key, str) and key in self._blocks and key not in self._written

    def _block(self, key: str) -> str:
        """Return a block with what is put into it, without the blocks that it encloses."""
        self._written.add(key)
        block = self._blocks[key]
        call = (block.get("mutation") or {}).get("proccode")
        parts = [f"[{_name(call)}]"] if call else []
        parts += [_field(name, value[0]) for name, value in (block.get("fields") or {}).items()]
        inputs = block.get("inputs") or {}
        parts += [self._input(value[1]) for name, value in inputs.items() if not name.startswith("SUBSTACK")]
        return f"{block['opcode']}({', '.join(filter(None, parts))})"

    def _input(self, value: Any) -> str:
        if isinstance(value, str):
            return self._block(value) if self._is_next(value) else ""
        return _primitive(value[0], value[1]) if value else ""


def _primitive(kind: int, value: Any) -> str:
    if kind in _NAMES:
        return f"[{_name(value)}]"
    text = str(value)
    return text if kind != _TEXT and text.replace(".", "", 1).removeprefix("-").isdigit() else _quoted(text)


def _field(name: str, value: Any) -> str:
    return f"[{_name(value)}]" if name in _NAMED_FIELDS else _quoted(str(value))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _name(name: Any) -> str:
    """Return a name as it stands in brackets, on one line."""
    return " ".join(str(name).replace("]", ")").split())
