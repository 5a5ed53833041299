"""Disguises on the sample class: programs keep their behaviour, labels are right, copies are found."""

import ast
import csv
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from pygments.lexers.jvm import JavaLexer
from pygments.token import Error

from bench import accuracy, obfuscate, tools
from bench.disguises.java_code import Java, JavaError
from bench.disguises.parts import MIN_SHARE, ProgramPart, choose_parts
from bench.labelled import read_set
from tests.support.long_rows import rest_is_long
from tests.support.paths import ROOT

SAMPLE = ROOT / "moss" / "sample"

pytestmark = pytest.mark.slow
PYTHON, JAVA = obfuscate.LANGUAGES[".py"], obfuscate.LANGUAGES[".java"]


def submissions_without_copies() -> Iterator[Path]:
    """Yield the submissions of the sample class but planted copies; of a planted pair the left side stays."""
    with (SAMPLE / "key.csv").open(newline="") as file:
        copies = list(csv.DictReader(file))
    copied = {row[side] for row in copies for side in ("left", "right")}
    left_sides = {row["left"] for row in copies}
    yield from (
        path
        for path in sorted((SAMPLE / "submissions").iterdir())
        if path.name in left_sides or path.name not in copied
    )


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("originals")
    for path in submissions_without_copies():
        shutil.copytree(path, folder / path.name)
    return folder


def programs(originals: Path, suffix: str) -> list[obfuscate.Program]:
    return obfuscate.read_programs(originals)[suffix]


@pytest.fixture(scope="module")
def disguised(originals: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("disguised")
    obfuscate.obfuscate(originals, folder, seed=1)
    return folder


def output_of(folder: Path, text: str) -> str:
    (folder / "fines.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "fines.py", str(SAMPLE / "loans.csv"), "2024-06-01"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def printed(originals: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return what some of the original programs print, by their text."""
    folder = tmp_path_factory.mktemp("printed")
    chosen = programs(originals, ".py")[::3]
    return {program.text: output_of(folder, program.text) for program in chosen}


@pytest.mark.parametrize("disguise", rest_is_long(PYTHON.disguises, first=3))
def test_a_disguised_python_program_prints_what_the_original_prints(
    printed: dict[str, str], tmp_path: Path, disguise: str
) -> None:
    assert printed
    for text, output in printed.items():
        assert output_of(tmp_path, PYTHON.disguises[disguise](text, Random(7))) == output


@pytest.mark.parametrize("disguise", rest_is_long(JAVA.disguises, first=3))
def test_a_disguised_java_program_still_lexes_and_nests(originals: Path, disguise: str) -> None:
    for program in programs(originals, ".java")[::3]:
        text = JAVA.disguises[disguise](program.text, Random(7))
        assert not any(kind is Error for _, kind, _ in JavaLexer().get_tokens_unprocessed(text)), program.name
        assert Java(text).methods, program.name


def test_every_disguise_but_reformat_changes_tokens(originals: Path) -> None:
    program = next(program for program in programs(originals, ".java") if program.name.startswith("ngozi"))
    before = [token.text for token in Java(program.text).tokens]
    changed = {name: disguise(program.text, Random(3)) for name, disguise in JAVA.disguises.items()}
    same = {name for name, text in changed.items() if [token.text for token in Java(text).tokens] == before}
    assert same == {"reformat"}
    assert changed["reformat"] != program.text


def test_a_merged_program_contains_much_of_both(originals: Path) -> None:
    for language, suffix in ((PYTHON, ".py"), (JAVA, ".java")):
        first, second = programs(originals, suffix)[:2]
        merged = language.merge(first.text, second.text, Random(5))
        language.check(merged)
        merged_lines = {line.strip() for line in merged.replace("'", '"').splitlines()}
        for source in (first, second):
            tree = ast.unparse(ast.parse(source.text)) if suffix == ".py" else source.text
            lines = [line.strip() for line in tree.replace("'", '"').splitlines() if len(line.strip()) > 12]
            assert sum(line in merged_lines for line in lines) > len(lines) * 0.3, source.name


COUNTER = """class Counter {
    static int half(int n) {
        return n / 2;
    }

    static int count(int[] lengths, String name) {
        int sum = 0;
        for (int i = 0; i < lengths.length; i++) {
            sum += half(lengths[i]);
        }
        System.out.println(name);
        return sum;
    }
}
"""


def squeezed(text: str) -> str:
    return " ".join(text.split())


def test_a_split_java_method_passes_on_the_variables_that_its_second_half_reads() -> None:
    disguised_text = squeezed(JAVA.disguises["split"](COUNTER, Random(1)))
    (name,) = (
        {token.text for token in Java(disguised_text).tokens}
        - {token.text for token in Java(COUNTER).tokens}
        - {"private"}
    )
    assert f"return {name}(name, sum); }}" in disguised_text
    assert (
        f"private static int {name}(String name, int sum) {{ System.out.println(name); return sum; }}" in disguised_text
    )


def test_an_inlined_java_method_is_replaced_by_its_expression() -> None:
    disguised_text = squeezed(JAVA.disguises["inline"](COUNTER, Random(1)))
    assert "sum += ((int) ((lengths[i]) / 2));" in disguised_text
    assert "half" not in disguised_text


def test_a_java_loop_with_a_counter_becomes_a_while() -> None:
    disguised_text = squeezed(JAVA.disguises["loops"](COUNTER, Random(1)))
    assert "{ int i = 0; while (i < lengths.length) { sum += half(lengths[i]); i++; } }" in disguised_text
    assert "for (; i < lengths.length; )" in squeezed(JAVA.disguises["loops"](disguised_text, Random(1)))


def test_renaming_java_keeps_names_of_classes_and_of_the_library() -> None:
    words = {token.text for token in Java(JAVA.disguises["rename"](COUNTER, Random(1))).tokens}
    assert not {"half", "count", "sum", "lengths", "name"} & words
    assert {"Counter", "length", "System", "out", "println", "String"} <= words


def test_parts_are_chosen_with_all_parts_that_they_need() -> None:
    parts = [
        ProgramPart({"a"}, {"b"}, 10),
        ProgramPart({"b"}, {"c"}, 10),
        ProgramPart({"c"}, set(), 10),
        ProgramPart({"d"}, set(), 5),
    ]
    for seed in range(20):
        chosen = choose_parts(parts, Random(seed))
        names = {name for i in chosen for name in parts[i].defines}
        needed = {name for i in chosen for name in parts[i].reads}
        assert needed <= names
        assert sum(parts[i].length for i in chosen) >= MIN_SHARE * 35


def test_java_with_unbalanced_brackets_is_refused() -> None:
    with pytest.raises(JavaError, match="never closed"):
        Java("class A { void f() {")
    with pytest.raises(JavaError, match="has no opening bracket"):
        Java("class A } {")


@pytest.mark.long
def test_the_same_seed_alone_makes_the_same_data_in_every_process(
    originals: Path, disguised: Path, tmp_path: Path
) -> None:
    command = [
        sys.executable,
        "-m",
        "bench.obfuscate",
        str(originals),
        str(tmp_path / "again"),
        "--seed",
        "1",
    ]
    subprocess.run(command, check=True, capture_output=True, cwd=SAMPLE.parents[1])
    first, again = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (disguised, tmp_path / "again")
    )
    assert first == again
    one, other = (obfuscate.make_copies(programs(originals, ".py"), PYTHON, "rename", seed) for seed in (1, 2))
    assert all(a.program.text != b.program.text for a, b in zip(one, other, strict=True))


@pytest.mark.long
def test_labels_say_which_programs_a_copy_was_made_from(originals: Path, disguised: Path) -> None:
    pairs = read_set(disguised).pairs
    count = len(programs(originals, ".py"))
    renamed = [pair for pair in pairs if pair.group == "python-rename"]
    assert sum(pair.label for pair in renamed) == count
    assert sum(not pair.label for pair in renamed) == count * (count - 1) // 2
    assert all(pair.b.startswith(pair.a.removesuffix(".py") + "--") for pair in renamed if pair.label)
    merged = [pair for pair in pairs if pair.group == "python-merge" and pair.label]
    assert {pair.level for pair in merged} == {"merge"}
    assert all(sum(pair.b == other.b for other in merged) == 2 for pair in merged)


def test_a_folder_without_two_programs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("print(1)\n")
    (tmp_path / "broken.py").write_text("def (:\n")
    with pytest.raises(obfuscate.TooFewPrograms, match="fewer than two programs"):
        obfuscate.obfuscate(tmp_path, tmp_path / "out", seed=1)


@pytest.mark.long
def test_moss_check_finds_the_disguised_copies_of_the_sample_class(disguised: Path) -> None:
    result = accuracy.score_set(tools.moss(), read_set(disguised))
    assert set(result.level_auc) == {*PYTHON.disguises, *JAVA.disguises, obfuscate.MERGED}
    assert result.metrics.positives > 100
    assert result.metrics.ap >= 0.99
