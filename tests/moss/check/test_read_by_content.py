"""Programs under names that do not tell their language are compared with the class, not lost as prose."""

import re
from pathlib import Path

import pytest

from tests.fingerprint.languages.test_every_language import GOLDEN, RENAMED, with_other_name
from tests.support.read_classes import languages, ranked, score
from tests.support.uploads import HandIn


def program(name: str) -> str:
    return (GOLDEN / name).read_text(encoding="utf-8")


def renamed(text: str) -> str:
    return re.sub(rf"\b(?:{'|'.join(RENAMED)})\b", with_other_name, text, flags=re.IGNORECASE)


@pytest.mark.long
@pytest.mark.parametrize(
    ("golden", "written_name", "other_name"),
    [
        ("java.java", "Main.java", "Main.java.txt"), ("java.java", "Main.java", "answer.txt"),
        ("java.java", "Sketch.pde", "Sketch.pde.txt"), ("java.java", "Main.java", "Main.java.bak"),
        ("python.py", "solve.py", "solve.txt"), ("cpp.cpp", "kernel.cu", "main.cpp"),
        ("cpp.cpp", "blink.ino", "blink.ino.txt"), ("c.c", "main.c", "main.txt"),
        ("fsharp.fs", "Program.fs", "Program.fsx"), ("glsl.frag", "shader.glsl", "shader.fs"),
        ("structured-text.st", "plc.st", "plc.scl"), ("gas.s", "tides.s", "tides.asm"),
        ("hack.asm", "swing.asm", "swing.asm.txt"), ("dafny.dfy", "swing.dfy", "swing.dfy.txt"),
    ],
)  # fmt: skip
def test_a_copy_under_another_name_is_read_in_the_language_of_its_original(
    tmp_path: Path, golden: str, written_name: str, other_name: str
) -> None:
    files = {f"ada/{written_name}": program(golden), f"ben/{other_name}": renamed(program(golden))}
    report = ranked(tmp_path, files | {"cleo/notes.txt": "The tide comes twice a day.\n"})
    read = languages(report)
    assert read[f"ada:{written_name}"] == read[f"ben:{other_name}"]
    assert score(report, "ada", "ben") > 0.8


FRAGMENT = """total += level(day) * weight;
if (total > limit && day < days) {
    total = limit - level(day);
    days -= 1;
} else {
    limit = 2 * total + days;
}
while (days > 0) { total += weight; days -= level(total); }
"""


def test_a_text_that_may_be_any_program_is_read_in_the_language_of_the_class(tmp_path: Path) -> None:
    files = {f"{name}/main.java": program("java.java") for name in ("ada", "ben")}
    files |= {"cleo/part.txt": FRAGMENT, "dora/essay.txt": "The tide comes twice a day.\n"}
    read = languages(ranked(tmp_path, files))
    assert read["cleo:part.txt"] == "java"
    assert read["dora:essay.txt"] == "text"


def test_without_a_class_such_a_text_is_prose(tmp_path: Path) -> None:
    read = languages(ranked(tmp_path, {"ada/part.txt": FRAGMENT, "ben/part.txt": "The tide comes.\n"}))
    assert set(read.values()) == {"text"}


@pytest.mark.long
def test_the_class_decides_in_the_service_too(hand_in: HandIn) -> None:
    from tests.support.sample_class import zipped  # noqa: PLC0415 - loads Django

    files = {f"{name}/main.java": program("java.java") for name in ("ada", "ben")}
    batch = hand_in(zipped({**files, "cleo/part.txt": FRAGMENT, "dora/answer.txt": program("java.java")}))
    read = {
        file.submission.name: file.document.language
        for submission in batch.submissions.all()
        for file in submission.files.select_related("document", "submission")
    }
    assert read == {"ada": "java", "ben": "java", "cleo": "java", "dora": "java"}
