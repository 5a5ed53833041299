"""Make a labelled set from any programs: `python -m bench.obfuscate FOLDER OUT [--seed 1]`.

FOLDER has independent programs in Python or Java. Each entry is one program: a file, or a folder, of which
the longest source is used. OUT gets one group for each language and disguise, with all programs and a
disguised copy of each.

    OUT/files/<language>-<disguise>/<program>.py    OUT/pairs.csv with a,b,label,group,level

A program and its copy are a pair with label 1; so is a merged program with each of its two sources. All pairs
of independent programs have label 0. If a disguise changes nothing in a program, there is no copy of it.
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
from bench.labelled import HONEST, LabelledPair, write_pairs
from bench.processes import BenchError, command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Disguise = Callable[[str, Random], str]
    Merge = Callable[[str, str, Random], str]

MERGED = "merge"


class LanguageDisguises(NamedTuple):
    """The disguises of a language by name, and the function that merges two programs.

    `check` raises ValueError or SyntaxError for a text that is not a program.
    """

    name: str
    disguises: dict[str, Disguise]
    merge: Merge
    check: Callable[[str], object]


def _disguises(statements: object, functions: object) -> dict[str, Disguise]:
    names = {"rename": statements, "reformat": statements, "reorder": statements, "insert": statements}
    names |= {"loops": statements, "split": functions, "inline": functions}
    return {name: getattr(module, name) for name, module in names.items()}


LANGUAGES = {
    ".py": LanguageDisguises(
        "python", _disguises(python_statements, python_functions), python_functions.merge, ast.parse
    ),
    ".java": LanguageDisguises("java", _disguises(java_statements, java_functions), java_functions.merge, Java),
}


class Program(NamedTuple):
    """A program: its file name and its text."""

    name: str
    text: str


class DisguisedCopy(NamedTuple):
    """A disguised program, and the names of the programs that it was made from."""

    program: Program
    sources: tuple[str, ...]


class TooFewPrograms(BenchError):
    """A folder has too few programs to disguise; the message has the details."""


def read_programs(folder: Path) -> dict[str, list[Program]]:
    """Return the programs of a folder by suffix, sorted by name.

    A program that cannot be parsed is left out, with a message.

    Raises
    ------
    TooFewPrograms
        When no language has two programs.
    """
    if not folder.is_dir():
        raise TooFewPrograms(f"{folder} is not a folder")
    programs_by_suffix: dict[str, list[Program]] = {}
    for entry in sorted(folder.iterdir()):
        source = _longest_source(entry)
        if source is None:
            continue
        text = _decoded(source.read_bytes())
        try:
            LANGUAGES[source.suffix].check(text)
        except (ValueError, SyntaxError) as error:
            print(f"{source} is left out: {error}", file=sys.stderr)
            continue
        program = Program(entry.stem + source.suffix, text)
        programs_by_suffix.setdefault(source.suffix, []).append(program)
    usable = {suffix: programs for suffix, programs in programs_by_suffix.items() if len(programs) > 1}
    if not usable:
        raise TooFewPrograms(f"{folder} has fewer than two programs with the same suffix of {', '.join(LANGUAGES)}")
    return usable


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


def make_copies(programs: list[Program], language: LanguageDisguises, disguise: str, seed: int) -> list[DisguisedCopy]:
    """Return a copy of each program with one disguise, without copies that are equal to a program."""
    copies = (
        _merged_copies(programs, language, seed)
        if disguise == MERGED
        else _single_copies(programs, language, disguise, seed)
    )
    return [copy for copy in copies if copy.program.text not in {program.text for program in programs}]


def _single_copies(
    programs: list[Program], language: LanguageDisguises, disguise: str, seed: int
) -> Iterator[DisguisedCopy]:
    for program in programs:
        random = Random(f"{seed} {disguise} {program.name}")
        text = language.disguises[disguise](program.text, random)
        if not _only_layout_changed(text, program, language, disguise):
            yield DisguisedCopy(_disguised_program(program, disguise, text), (program.name,))


def _only_layout_changed(text: str, program: Program, language: LanguageDisguises, disguise: str) -> bool:
    """Return whether a Python disguise other than `reformat` changed nothing but the layout.

    Every disguise of Python changes the layout, because it writes the program from its syntax tree.
    """
    return (
        language.name == "python"
        and disguise != "reformat"
        and ast.dump(ast.parse(text)) == ast.dump(ast.parse(program.text))
    )


def _merged_copies(programs: list[Program], language: LanguageDisguises, seed: int) -> Iterator[DisguisedCopy]:
    """Merge each program with the one `len(programs) // 2` positions after it; no pair is merged twice."""
    for number, program in enumerate(programs):
        other = programs[(number + len(programs) // 2) % len(programs)]
        if len(programs) % 2 == 0 and number >= len(programs) // 2:
            return
        random = Random(f"{seed} {MERGED} {program.name} {other.name}")
        text = language.merge(program.text, other.text, random)
        yield DisguisedCopy(_disguised_program(program, MERGED, text), (program.name, other.name))


def _disguised_program(program: Program, disguise: str, text: str) -> Program:
    path = Path(program.name)
    return Program(f"{path.stem}--{disguise}{path.suffix}", text)


def obfuscate(folder: Path, out: Path, seed: int) -> list[LabelledPair]:
    """Write a labelled set to `out` and return its pairs; raises TooFewPrograms."""
    pairs: list[LabelledPair] = []
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


def _pairs(group: str, disguise: str, programs: list[Program], copies: list[DisguisedCopy]) -> Iterator[LabelledPair]:
    for copy in copies:
        for source in copy.sources:
            yield LabelledPair(f"{group}/{source}", f"{group}/{copy.program.name}", 1, group, disguise)
    for first, second in combinations(programs, 2):
        yield LabelledPair(f"{group}/{first.name}", f"{group}/{second.name}", 0, group, HONEST)


@command
def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.obfuscate",
        description="Make a labelled set from a folder of Python or Java programs.",
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="folder of independent programs, one in each entry")
    parser.add_argument("out", type=Path, metavar="OUT", help="new or empty folder for the labelled set")
    parser.add_argument("--seed", type=int, default=1, help="seed of the disguises (default: 1)")
    arguments = parser.parse_args()
    if arguments.out.exists() and any(arguments.out.iterdir()):
        raise BenchError(f"{arguments.out} is not empty")
    pairs = obfuscate(arguments.folder, arguments.out, arguments.seed)
    copies = sum(pair.label for pair in pairs)
    print(f"{arguments.out}: {len(pairs)} pairs, {copies} of them plagiarised")


if __name__ == "__main__":
    sys.exit(main())
