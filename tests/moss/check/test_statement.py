"""`moss check --statement`: what the task's statement dictates makes no honest pair."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from moss.cli import main

MESSAGES = (
    "Please enter the name of your account",
    "The amount has to be positive",
    "Your balance is not sufficient",
    "The transfer was successful",
    "Thank you for using our bank",
)
STATEMENT = "# Bank\n\n" + "\n".join(f"- Print `{message}`." for message in MESSAGES) + "\n"
# Three programs with the messages, each put together in its own way, a copy of the first, and others without.
PROGRAMS = {
    "alice": """\
def pay(m, a):
    if a < 0:
        say({1})
    while m > a:
        m -= a
    say({0}, {2})
    return [say({3}), say({4})]
""",
    "bob": """\
import sys
class Bank:
    def run(self):
        for line in sys.stdin:
            self.take(line)
        self.out = [{0}, {1}, {2}, {3}, {4}]
""",
    "carol": """\
texts = dict(a={4}, b={3}, c={2})
try:
    print(texts['a'], {0})
except KeyError as e:
    raise SystemExit({1}) from e
""",
}
PROGRAMS["dave"] = PROGRAMS["alice"].replace("pay", "move").replace("say", "tell")

OTHERS = (
    "a += 1\n", "if a:\n    b()\n", "while a > b:\n    a -= c\n", "c = [a, *b]\n",
    "def g(a):\n    return a\n", "try:\n    a()\nexcept E:\n    b()\n", "d = {a: b}\n",
    "class K(A):\n    z = a\n",
)  # fmt: skip
PROGRAMS |= {
    f"other{number}": 6 * program.replace("{", "{{").replace("}", "}}") for number, program in enumerate(OTHERS)
}


def write_class(folder: Path) -> Path:
    for name, program in PROGRAMS.items():
        (folder / name).mkdir(parents=True)
        source = program.format(*(f'"{message}"' for message in MESSAGES))
        (folder / name / "bank.py").write_text(source)
    return folder


def similarities(folder: Path, *options: str) -> dict[frozenset[str], float]:
    result = CliRunner().invoke(main, ["check", str(folder), "--all", "--format", "json", *options])
    assert result.exit_code == 0, result.output
    pairs = json.loads(result.stdout)["pairs"]
    return {frozenset((pair["left"], pair["right"])): pair["similarity"] for pair in pairs}


@pytest.fixture
def statement(tmp_path: Path) -> Path:
    path = tmp_path / "statement.md"
    path.write_text(STATEMENT)
    return path


def test_honest_pairs_fall_with_the_statement_and_the_copy_stays_first(tmp_path: Path, statement: Path) -> None:
    folder, copy = write_class(tmp_path / "class"), frozenset(("alice", "dave"))
    before, after = similarities(folder), similarities(folder, "--statement", str(statement))
    honest = before.keys() - {copy}
    assert len(honest) >= 3
    assert all(after.get(pair, 0) < before[pair] / 2 for pair in honest)
    assert max(after, key=after.__getitem__) == copy
    assert after[copy] >= before[copy] - 0.03


def test_another_statement_changes_nothing(tmp_path: Path, statement: Path) -> None:
    folder = write_class(tmp_path / "class")
    statement.write_text("Sort 77 lists.\n")
    assert similarities(folder, "--statement", str(statement)) == similarities(folder)


def test_a_statement_that_is_no_text_is_refused(tmp_path: Path, statement: Path) -> None:
    statement.write_bytes(b"\x00\x01%PDF\x00" * 50)
    result = CliRunner().invoke(main, ["check", str(write_class(tmp_path / "class")), "--statement", str(statement)])
    assert result.exit_code == 1
    assert "Error: " in result.output
