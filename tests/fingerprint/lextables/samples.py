"""Texts made of what the expressions of a lexer match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.lextables.characters import members
from fingerprint.lextables.expressions import (
    Branch,
    Look,
    One,
    Repeat,
    Sequence,
    Untranslatable,
    inner_nodes,
    parse,
    pattern_of,
)

if TYPE_CHECKING:
    from random import Random

    from fingerprint.lextables.expressions import Node
    from fingerprint.lextables.table_writer import LexerTables

# What ends tokens, and characters of which lexers may know little.
OTHERS = " \n\t;(){}[]\"'`\\<>/*#@$=\r\0\x0bé\u0301\u200b\u3042\ufeff\ufffd\ud800\udfff\U0001f600\U0010ffff"
MOST_REPEATS = 3


def expressions_of(tables: LexerTables) -> list[Sequence]:
    trees = []
    for pattern in dict.fromkeys(filter(None, map(pattern_of, tables.matchers))):
        try:
            trees.append(parse(pattern))
        except Untranslatable:
            continue
    return trees


def text_of(trees: list[Sequence], random: Random) -> str:
    """Return a text of some parts that match an expression, or nearly, and of other characters."""
    parts = [
        sample(random.choice(trees), random) if random.random() < 0.7 else random.choice(OTHERS)
        for _ in range(random.randint(1, 25))
    ]
    return "".join(parts)


def sample(node: Node, random: Random) -> str:
    """Return a text that a node matches, unless a condition or a reference is in the way."""
    if isinstance(node, One):
        return _character(node, random)
    if isinstance(node, Sequence):
        return "".join(sample(item, random) for item in node.items)
    if isinstance(node, Branch):
        return sample(random.choice(node.alternatives), random)
    if isinstance(node, Repeat):
        most = node.least + MOST_REPEATS
        count = random.randint(node.least, most if node.most < 0 else min(node.most, most))
        return "".join(sample(node.inner, random) for _ in range(count))
    if isinstance(node, Look) and random.random() < 0.5:
        return ""
    return "".join(sample(inner, random) for inner in inner_nodes(node))


def _character(node: One, random: Random) -> str:
    """Return a character of a class, often one of its first ones."""
    changes = members(node.chars).tolist()
    if not changes:
        return ""
    spans = list(zip(changes[::2], changes[1::2], strict=True))
    first, end = random.choice(spans[:4] if random.random() < 0.7 else spans)
    return chr(random.choice([first, end - 1, random.randrange(first, end)]))
