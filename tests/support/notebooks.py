"""Notebooks with one field of a wrong type, in each of the format versions that students hand in."""

import copy
import json
from collections.abc import Iterator
from typing import Any

MARKDOWN = {"cell_type": "markdown", "metadata": {}, "source": ["# Tides"]}
CODE = {
    "cell_type": "code",
    "metadata": {},
    "execution_count": 1,
    "source": "x = f(1)",
    "outputs": [{"output_type": "stream", "name": "stdout", "text": "1"}],
}
FORMAT_4 = {
    "metadata": {
        "kernelspec": {"name": "python3", "display_name": "K", "language": "python"},
        "language_info": {"name": "python"},
    },
    "cells": [MARKDOWN, CODE],
    "nbformat": 4,
    "nbformat_minor": 4,
}
OLD_CODE = {"cell_type": "code", "language": "python", "metadata": {}, "outputs": [], "input": ["y = 2"]}
FORMAT_3 = {
    "metadata": {"name": "old"},
    "worksheets": [{"metadata": {}, "cells": [OLD_CODE]}],
    "nbformat": 3,
    "nbformat_minor": 0,
}
FORMAT_2 = {**FORMAT_3, "nbformat": 2}
# In JSON, a NUL and a lone surrogate are escapes, so the bytes of the file are valid UTF-8 text.
WRONG = (None, 7, "a NUL \0 and a surrogate \ud800", ["a", 1], {"a": 1})


def wrong_notebooks() -> dict[str, bytes]:
    """Return notebooks in which one field each is replaced by each of WRONG, by file name."""
    notebooks = [wrong for notebook in (FORMAT_4, FORMAT_3, FORMAT_2) for wrong in _variants(notebook)]
    return {f"wrong-{n}/work.ipynb": json.dumps(notebook).encode() for n, notebook in enumerate(notebooks)}


def notebook_with(**fields: object) -> bytes:
    """Return a notebook of format 4 with other top-level fields."""
    return json.dumps({**FORMAT_4, **fields}).encode()


def notebook_of(source: str) -> bytes:
    """Return a notebook of format 4 with one code cell."""
    return notebook_with(cells=[{**CODE, "source": source}])


def _variants(node: Any) -> Iterator[Any]:
    """Yield copies of a JSON value in which one field or element, at any depth, is one of WRONG."""
    for key in list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
        for value in (*WRONG, *_variants(node[key])):
            changed = copy.copy(node)
            changed[key] = value
            yield changed
