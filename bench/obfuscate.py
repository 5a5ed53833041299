"""Labelled data from any programs: `python -m bench.obfuscate FOLDER OUT [--seed 1]`.

FOLDER holds independent programs in Python or Java, each a file (of a folder, its longest source). OUT
gets a group for each language and disguise: all programs, and of each one a copy disguised that way.

    OUT/files/<language>-<disguise>/<program>.py    OUT/pairs.csv with a,b,label,group,level

A program and its copy are a pair with label 1, and so is a merged program with each of its two sources;
all pairs of independent programs have label 0. Where a disguise finds nothing to change there is no copy.
The same programs and seed give the same data.
"""

from __future__ import annotations

import argparse
import ast
import sys
from itertools import combinations
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from bench.disguises import java_functions, java_statements, python_functions, python_statements
from bench.disguises.java_code import Java
from bench.labelled import HONEST, Pair, write_pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Disguise = Callable[[str, Random], str]
    Merge = Callable[[str, str, Random], str]

MERGED = "merge"


class Language(NamedTuple):
    """Disguises by name, and how two programs become one; `check` raises ValueError on broken text."""

    name: str
    disguises: dict[str, Disguise]
    merge: Merge
    check: Callable[[str], object]


def _disguises(statements: object, functions: object) -> dict[str, Disguise]:
    names = {"rename": statements, "reformat": statements, "reorder": statements, "insert": statements}
    names |= {"loops": statements, "split": functions, "inline": functions}
    return {name: getattr(module, name) for name, module in names.items()}


LANGUAGES = {
    ".py": Language(
        "python", _disguises(python_statements, python_functions), python_functions.merge, ast.parse
    ),
    ".java": Language("java", _disguises(java_statements, java_functions), java_functions.merge, Java),
}


class Program(NamedTuple):
    name: str
    text: str


class Copy(NamedTuple):
    """A disguised program and the names of those that it was made from."""

    program: Program
    sources: tuple[str, ...]


class NothingToDisguise(ValueError):
    """A folder with too few programs; the message says of what."""


def read_programs(folder: Path) -> dict[str, list[Program]]:
    """Programs of a folder by suffix, in order of their names; one that cannot be read is said and left out.

    Raises
    ------
    NothingToDisguise
    """
    if not folder.is_dir():
        raise NothingToDisguise(f"{folder} is not a folder")
    found: dict[str, list[Program]] = {}
    for entry in sorted(folder.iterdir()):
        source = _longest_source(entry)
        if source is None:
            continue
        text = _decoded(source.read_bytes())
        try:
            LANGUAGES[source.suffix].check(text)
        except (ValueError, SyntaxError) as error:
            print(f"{source} left out: {error}", file=sys.stderr)
            continue
        found.setdefault(source.suffix, []).append(Program(entry.stem + source.suffix, text))
    enough = {suffix: programs for suffix, programs in found.items() if len(programs) > 1}
    if not enough:
        raise NothingToDisguise(f"{folder} holds fewer than two programs of one of {', '.join(LANGUAGES)}")
    return enough


def _longest_source(entry: Path) -> Path | None:
    files = [entry] if entry.is_file() else sorted(entry.rglob("*"))
    sources = [file for file in files if file.suffix in LANGUAGES and file.is_file()]
    return max(sources, key=lambda file: file.stat().st_size, default=None)


def _decoded(data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n")


def make_copies(programs: list[Program], language: Language, disguise: str, seed: int) -> list[Copy]:
    """Disguise all programs in one way; of a program that this does not change there is no copy."""
    makers = (
        _merged(programs, language, seed)
        if disguise == MERGED
        else _single(programs, language, disguise, seed)
    )
    return [copy for copy in makers if copy.program.text not in {program.text for program in programs}]


def _single(programs: list[Program], language: Language, disguise: str, seed: int) -> Iterator[Copy]:
    for program in programs:
        random = Random(f"{seed} {disguise} {program.name}")
        text = language.disguises[disguise](program.text, random)
        if not _is_plain_layout(text, program, language, disguise):
            yield Copy(_copied(program, disguise, text), (program.name,))


def _is_plain_layout(text: str, program: Program, language: Language, disguise: str) -> bool:
    """Whether the disguise changed nothing: Python comes back laid out anew even then."""
    return (
        language.name == "python"
        and disguise != "reformat"
        and ast.dump(ast.parse(text)) == ast.dump(ast.parse(program.text))
    )


def _merged(programs: list[Program], language: Language, seed: int) -> Iterator[Copy]:
    """Merge each program with the one that stands `len // 2` behind it, so that no two are merged twice."""
    for number, program in enumerate(programs):
        other = programs[(number + len(programs) // 2) % len(programs)]
        if len(programs) % 2 == 0 and number >= len(programs) // 2:
            return
        random = Random(f"{seed} {MERGED} {program.name} {other.name}")
        yield Copy(
            _copied(program, MERGED, language.merge(program.text, other.text, random)),
            (program.name, other.name),
        )


def _copied(program: Program, disguise: str, text: str) -> Program:
    path = Path(program.name)
    return Program(f"{path.stem}--{disguise}{path.suffix}", text)


def obfuscate(folder: Path, out: Path, seed: int) -> list[Pair]:
    """Write labelled data to `out` and return its pairs; raises NothingToDisguise."""
    pairs: list[Pair] = []
    for suffix, programs in read_programs(folder).items():
        language = LANGUAGES[suffix]
        for disguise in [*language.disguises, MERGED]:
            group = f"{language.name}-{disguise}"
            copies = make_copies(programs, language, disguise, seed)
            if copies:
                _write_group(out / "files" / group, [*programs, *(copy.program for copy in copies)])
                pairs += _pairs(group, disguise, programs, copies)
    write_pairs(out, pairs)
    return pairs


def _write_group(folder: Path, programs: list[Program]) -> None:
    folder.mkdir(parents=True)
    for program in programs:
        (folder / program.name).write_text(program.text, encoding="utf-8")


def _pairs(group: str, disguise: str, programs: list[Program], copies: list[Copy]) -> Iterator[Pair]:
    for copy in copies:
        for source in copy.sources:
            yield Pair(f"{group}/{source}", f"{group}/{copy.program.name}", 1, group, disguise)
    for first, second in combinations(programs, 2):
        yield Pair(f"{group}/{first.name}", f"{group}/{second.name}", 0, group, HONEST)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.obfuscate",
        description="Make labelled pairs from a folder of Python or Java programs.",
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="independent programs, one an entry")
    parser.add_argument("out", type=Path, metavar="OUT", help="a folder that does not exist yet, or is empty")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.out.exists() and any(arguments.out.iterdir()):
        print(f"error: {arguments.out} is not empty", file=sys.stderr)
        return 1
    try:
        pairs = obfuscate(arguments.folder, arguments.out, arguments.seed)
    except NothingToDisguise as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    copies = sum(pair.label for pair in pairs)
    print(f"{arguments.out}: {len(pairs)} pairs, {copies} of them plagiarised")
    return 0


if __name__ == "__main__":
    sys.exit(main())
