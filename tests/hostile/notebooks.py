"""Notebooks in which one field, at any depth, has a value of a wrong type or an extreme one."""

import copy
import json
from collections.abc import Iterator
from typing import Any

from tests.hostile.case import Case
from tests.hostile.names import PAYLOADS
from tests.support.notebooks import CODE, FORMAT_2, FORMAT_3, FORMAT_4, notebook_with

WRONG: dict[str, object] = {
    "null": None,
    "a number": 7,
    "-1": -1,
    "a fraction": 1.5,
    "true": True,
    "2^70": 2**70,
    "nothing": "",
    "text": "text",
    "NUL and surrogate": "\0\ud800",
    "escapes": "\x1b[31m\x9b2J",
    "markup": PAYLOADS["closes a script"],
    "an empty list": [],
    "a list": ["a", 1, None],
    "lists in lists": [[["a"]]],
    "an empty object": {},
    "an object": {"a": 1},
    "an object with odd keys": {"\0": 1, "": 2, "__proto__": 3},
}
# Written as they are, since no JSON library writes them.
RAW = {
    "1e999": "1e999",
    "-1e999": "-1e999",
    "NaN": "NaN",
    "Infinity": "-Infinity",
    "5,000 digits": "9" * 5000,
    "200,000 digits": "9" * 200_000,
    "100,000 lists in lists": "[" * 100_000 + "]" * 100_000,
    "100,000 objects in objects": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "900 lists in lists": "[" * 900 + "]" * 900,
    "a wrong escape": '"\\x"',
    "a line end in a string": '"a\nb"',
    "a lone surrogate": '"\\ud800"',
    "a comment": "/*",
    "two values": "1 2",
    "nothing": "",
    "a key twice": '{"source": 1, "source": "x = 1"}',
}
PLACE = "\N{OBJECT REPLACEMENT CHARACTER}"


def notebook_cases() -> Iterator[Case]:
    formats = {"format 4": FORMAT_4, "format 3": FORMAT_3, "format 2": FORMAT_2}
    for name, notebook in formats.items():
        for path, variant in _variants(notebook):
            yield Case(f"notebook of {name}", path, ".ipynb", json.dumps(variant).encode())
    for place in ("nbformat", "nbformat_minor", "metadata", "cells"):
        for detail, raw in RAW.items():
            data = notebook_with(**{place: PLACE}).replace(json.dumps(PLACE).encode(), raw.encode())
            yield Case(f"notebook with {place} as", detail, ".ipynb", data, alone=len(raw) > 10_000)
    yield from _odd_notebooks()


def _variants(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield copies of a JSON value without one of its fields, or with a wrong one, and what is wrong."""
    for key in list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
        here = f"{path}/{key}"
        wrong = [(f"{here} is {detail}", value) for detail, value in WRONG.items()]
        for detail, value in (*wrong, *_variants(node[key], here)):
            changed = copy.copy(node)
            changed[key] = value
            yield detail, changed
        without = copy.copy(node)
        del without[key]
        yield f"{here} is missing", without


def _odd_notebooks() -> Iterator[Case]:
    versions = (0, 1, 2, 3, 4, 5, 99, 4.5, -4, 2**63, "4")
    for version in versions:
        yield Case("notebook of version", repr(version), ".ipynb", notebook_with(nbformat=version))
    languages = (
        *PAYLOADS.values(),
        "\0",
        "a" * 100_000,
        "text",
        "notebook",
        "ipynb",
        "raw",
        "Python\n",
        "../python",
    )
    for language in languages:
        data = notebook_with(metadata={"language_info": {"name": language}})
        yield Case("notebook in the language", repr(language)[:60], ".ipynb", data)
    cells = {
        "20,000 cells": [CODE] * 20_000,
        "no cells": [],
        "a cell in a cell": [{**CODE, "cells": [CODE]}],
        "a source of 4 MB": [{**CODE, "source": "x = (1 + 2)\n" * 330_000}],
        "a source of 300,000 parts": [{**CODE, "source": ["x\n"] * 300_000}],
        "a header of a cell in a source": [{**CODE, "source": "───── cell 1, python ─────\n" * 50}],
        "a header in no language": [{**CODE, "source": "───── cell 1, \0\x1b[31m ─────\nx = 1"}],
        "3,000 cells of 3,000 languages": [
            {**CODE, "source": f"───── cell {n}, made-up-{n} ─────\n"} for n in range(3_000)
        ],
    }
    for detail, value in cells.items():
        yield Case("notebook with", detail, ".ipynb", notebook_with(cells=value), alone=True)
    for detail, text in PAYLOADS.items():
        data = notebook_with(cells=[{**CODE, "source": f"x = '{text}'\n{text}"}])
        yield Case("notebook whose cell holds", detail, ".ipynb", data)
