"""Random Python programs, and copies of them with every name changed."""

from __future__ import annotations

import re
from random import Random

_NAMES = ["alpha", "bravo", "count", "delta", "entry", "field", "group", "hotel", "index", "judge", "known"]
_NAME = re.compile(rf"'[^']*'|\b({'|'.join(_NAMES)})\b")
_SIMPLE = (
    "{a} = {b} + {n}", "{a} = [{b}[{c}], {n}, {b}]", "{a} += {b} * {c} - {n}", "{a}.append({b} % {n})",
    "print('{a} of {b} is', {c})", "{a} = {b}({c}, {n}) or {c}", "del {a}[{b} // {n}]",
    "assert {a} != {b}, 'no {c} in {a}'", "{a}, {b} = {b}, {a}",
    "{a} = {{{b}: {n} for {b} in {c} if {b} > {n}}}",
)  # fmt: skip
_BLOCKS = (
    "for {a} in {b}:",
    "while {a} < {b} and not {c}:",
    "if {a} == {n} or {b} in {c}:",
    "with open({a}) as {b}:",
    "for {a}, {b} in zip({c}, {b}):",
)


def _filled(random: Random, template: str) -> str:
    a, b, c = random.sample(_NAMES, 3)
    return template.format(a=a, b=b, c=c, n=random.randrange(2, 500))


def _block(random: Random, depth: int) -> list[str]:
    lines = []
    for _ in range(random.randrange(2, 5)):
        if depth < 3 and random.random() < 0.4:
            lines += [_filled(random, random.choice(_BLOCKS)), *_block(random, depth + 1)]
        else:
            lines.append(_filled(random, random.choice(_SIMPLE)))
    return [f"    {line}" for line in lines]


def program(random: Random, functions: int = 4) -> str:
    """Return a random program of `functions` functions, about 60 tokens each."""
    parts = []
    for _ in range(functions):
        a, b, c = random.sample(_NAMES, 3)
        parts += [f"def {a}({b}, {c}):", *_block(random, 0), f"    return {b}", ""]
    return "\n".join(parts)


def renamed(source: str) -> str:
    """Return a program made by `program` with every variable and function renamed; strings stay unchanged."""
    return _NAME.sub(lambda match: f"{match[1][::-1]}_" if match[1] else match[0], source)


def many_candidates() -> list[str]:
    """Return a class with more candidate pairs than are all scored."""
    random = Random(4)
    shared = [f"x{n} = {n} + [a, b][{n}] * c - f(d, {n})" for n in range(12)]
    return [program(random, 1) + "\n".join(random.sample(shared, 4)) + "\n" for _ in range(160)]


_REMARKS = ("    # sum of the rows", "    # an idea", "        # to do", "    # helper")


def remarked(random: Random, source: str) -> str:
    """Return a program with remarks after some of its lines, and on lines of their own."""
    lines = []
    for line in source.splitlines():
        lines.append(f"{line}  {random.choice(_REMARKS).strip()}" if random.random() < 0.1 else line)
        if random.random() < 0.1:
            lines.append(random.choice(_REMARKS))
    return "\n".join(lines) + "\n"


def edited(random: Random, source: str) -> str:
    """Return a program in which a few lines and remarks were inserted, removed, exchanged or changed."""
    lines = source.splitlines()
    for _ in range(random.randrange(1, 8)):
        at = random.randrange(1, len(lines) - 1)
        lines[at : at + 2] = random.choice(
            (
                [random.choice(_REMARKS), *lines[at : at + 2]],
                [f"    print('trace', {at})", *lines[at : at + 2]],
                lines[at : at + 1],
                lines[at + 1 : at - 1 : -1],
                [f"{lines[at]}  {random.choice(_REMARKS).strip()}", lines[at + 1]],
                [lines[at].replace("alpha", "zulu"), lines[at + 1]],
            )
        )
    return "\n".join(lines) + "\n"


def windows(random: Random) -> str:
    """Return a program of which others of this kind differ only in its size, names, texts and numbers."""
    rows = "".join(
        f"b{at} = Button(root, text='{random.randrange(999)}', command=f{at})\n"
        f"b{at}.grid(row={random.randrange(9)}, column={random.randrange(9)})\n"
        for at in range(random.randrange(5, 11))
    )
    return f"root = Tk()\n{rows}root.mainloop()\n"
