"""Modules that docstrings and comments name exist: lists of a package, dotted names, and paths."""

import ast
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PACKAGES = ("moss", "submissions", "fingerprint")
SOURCES = [
    path
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
    if not {"migrations", "sample"} & set(path.relative_to(ROOT).parts)
]
# A row of the list of a package: names, two blanks or more, what they are.
ROW = re.compile(r"^([a-z_]\w*(?:, [a-z_]\w*)*)  +\S", re.MULTILINE)
DOTTED = re.compile(rf"(?<![\w./@-])(?:{'|'.join(PACKAGES)})(?:\.\w+)+(?!\.?\w|-)")
FOLDERS = "|".join((*PACKAGES, "tests", "bench"))
PATH = re.compile(rf"(?<![\w./-])(?:{FOLDERS})/[\w/.-]*\w")
# A dotted name in quotes whose first part is a name of the file that it stands in, or else a module.
QUOTED = re.compile(r"`([a-z_]\w*(?:\.\w+)+)`")
OUTSIDE = {"csv.writer", "itertools.combinations", "ndarray.sort"}
FILES = re.compile(r".*\.(html|json|gz)")
EVENTS_AND_ARGUMENTS = {"webhook.test", "document.reason", "memory.tokens"}
# Names of hosts and of files that people export.
NO_MODULES = {"moss.example.org", "submissions.csv"}


def texts(path: Path) -> Iterator[str]:
    """Yield the docstrings and the comments of a file."""
    source = path.read_text()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield ast.get_docstring(node) or ""
    with path.open("rb") as file:
        yield from (token.string for token in tokenize.tokenize(file.readline) if token.type == tokenize.COMMENT)


def top_level_names(source: str) -> set[str]:
    names = set[str]()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.alias(asname=None, name=name):
                names.add(name)
            case ast.Name(id=name, ctx=ast.Store()) | ast.alias(asname=str(name)):
                names.add(name)
    return names


def is_known(dotted: str) -> bool:
    """Return whether a dotted name is a module, or a name in one."""
    at, parts = ROOT, dotted.split(".")
    while parts and (at / parts[0]).is_dir():
        at /= parts.pop(0)
    module = at / f"{parts.pop(0)}.py" if parts and (at / f"{parts[0]}.py").exists() else at / "__init__.py"
    sources = [path.read_text() for path in (module, module.with_suffix(".pyi")) if path.exists()]
    return not parts or any(parts[0] in top_level_names(source) for source in sources)


@pytest.mark.parametrize("path", [path for path in SOURCES if path.name == "__init__.py"], ids=str)
def test_the_list_of_a_package_names_each_of_its_modules_once_or_none(path: Path) -> None:
    rows = ROW.findall(ast.get_docstring(ast.parse(path.read_text())) or "")
    named = [name for row in rows for name in row.split(", ")]
    inside = {one.stem for one in path.parent.iterdir() if one.suffix == ".py" or (one / "__init__.py").exists()}
    assert set(named) <= inside
    assert len(named) == len(set(named))
    assert not named or inside - set(named) <= {"__init__", "apps", "models", "migrations"}


def test_dotted_names_in_docstrings_and_comments_are_modules_or_names_in_them() -> None:
    found = [(path, name) for path in SOURCES for text in texts(path) for name in DOTTED.findall(text)]
    assert len(found) > 30
    unknown = {(str(path.relative_to(ROOT)), name) for path, name in found if not is_known(name)}
    assert {one for one in unknown if one[1] not in NO_MODULES} == set()


def test_paths_in_docstrings_and_comments_exist() -> None:
    found = [(path, name) for path in SOURCES for text in texts(path) for name in PATH.findall(text)]
    assert found
    assert {(str(path.relative_to(ROOT)), name) for path, name in found if not (ROOT / name).exists()} == set()


def names_of(source: str) -> set[str]:
    """Return the names of values, attributes, arguments, functions and classes in a file."""
    found = top_level_names(source)
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name) | ast.Attribute(attr=name):
                found.add(name)
    return found | {name.rpartition(".")[2] for name in found}


def test_a_quoted_dotted_name_begins_with_a_name_of_its_file_or_with_a_package() -> None:
    unknown = set()
    for path in SOURCES:
        source = path.read_text()
        known = {*PACKAGES, *names_of(source)}
        quoted = {name for text in texts(path) for name in QUOTED.findall(text)}
        unknown |= {name for name in quoted if name.partition(".")[0] not in known and not FILES.fullmatch(name)}
    assert {name for name in unknown if not FILES.fullmatch(name)} <= OUTSIDE | EVENTS_AND_ARGUMENTS
