"""`moss check` says in which languages it read the files, and which of them it read badly."""

from pathlib import Path

import pytest

from fingerprint.languages import front_end
from fingerprint.reading import read, read_share
from moss.check.inputs import InputOptions
from moss.check.rank import RankingOptions, preview_path, rank_path
from submissions.intake.warnings import ReadFile, languages_read, reading_warnings
from tests.fingerprint.languages.construct_tables import PATHS, table
from tests.fingerprint.languages.test_every_language import CODE, program
from tests.support.read_classes import ranked

JAVA = program("java")
# A construct that never ends, the file that it is in, and the line in which it begins.
UNCLOSED = [
    ("Main.java", 'class A {\n  int a = 1;\n  String s = "never ends;\n  int b = 2;\n}\n', 3),
    ("main.py", 'a = 1\nb = """never ends\nc = 3\nd = 4\n', 2),
    ("main.c", 'int main() {\n  puts("never ends);\n  return 0;\n}\n', 2),
    ("main.js", "let a = 1;\nlet b = `never ends;\nlet c = 2;\n", 2),
    ("main.go", 'package main\n\nvar a = "never ends\nvar b = 2\n', 3),
    ("Main.hs", 'main = do\n  putStrLn "never ends\n  print 2\n', 2),
]


def warnings(root: Path, files: dict[str, str]) -> dict[str, str]:
    return {one.kind: one.text for one in reading_warnings(ranked(root, files).read_files)}


def test_the_languages_of_files_are_counted_the_most_frequent_first() -> None:
    languages = ["java"] * 48 + ["text"] * 2 + ["julia"]
    assert languages_read(languages) == "48 Java, 2 read as prose, 1 julia"


@pytest.mark.parametrize(("name", "text", "line"), UNCLOSED)
def test_a_literal_that_never_ends_is_named_with_its_line(
    tmp_path: Path, name: str, text: str, line: int
) -> None:
    text_of_kind = warnings(tmp_path, {f"ada/{name}": text, f"ben/{name}": text.replace("never ends", "")})
    assert f"ada/{name} (opened in line {line})" in text_of_kind["unclosed"]


@pytest.mark.parametrize("name", CODE)
def test_no_literal_of_a_valid_program_is_said_never_to_end(name: str) -> None:
    assert read(program(name).encode(), "", name).unclosed == ()


def test_nine_of_ten_literals_without_their_end_are_found() -> None:
    parts = [table(path) for path in PATHS]
    tables = [of for of in parts if of.language in CODE]
    texts = [
        (of.language, of.head + of.first + construct + of.second)
        for of in tables
        for construct in of.constructs["unclosed"]
    ]
    count = sum(bool(front_end(language).scan(text).unclosed) for language, text in texts)
    assert count > 0.9 * len(texts)


@pytest.mark.parametrize(
    "text",
    ["", "// Only a comment.\n", "/* One\n   over lines */\n// and one more\n", "import java.util.*;\n"],
)
def test_a_submission_without_code_is_named(tmp_path: Path, text: str) -> None:
    files = {"ada/A.java": JAVA, "ben/A.java": JAVA, "cleo/A.java": text, "cleo/B.java": "// none\n"}
    assert warnings(tmp_path, files)["without-code"] == "Without code: cleo."


@pytest.mark.long
@pytest.mark.parametrize("handed_in", [JAVA, f"// My name\n{JAVA}", JAVA.replace("\n", "\n\n")])
def test_a_submission_of_handed_out_code_alone_is_named(tmp_path: Path, handed_in: str) -> None:
    starter = tmp_path / "starter.java"
    starter.write_text(JAVA, encoding="utf-8")
    other = program("csharp").replace("using", "import")
    root = tmp_path / "class"
    files = {"ada/A.java": JAVA + other, "ben/A.java": other + JAVA, "cleo/A.java": handed_in}
    ranked(root, files)
    report = rank_path(root, RankingOptions(boilerplate=(starter,)))
    text_of_kind = {one.kind: one.text for one in reading_warnings(report.read_files)}
    assert text_of_kind["without-code"] == "Without code: cleo."


def test_a_submission_with_one_file_of_code_is_not_named(tmp_path: Path) -> None:
    files = {"ada/A.java": JAVA, "ben/A.java": JAVA, "ben/B.java": "// none\n"}
    assert "without-code" not in warnings(tmp_path, files)


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("notes.txt", "The tide comes twice a day.\n", "Plain text"),
        ("solve.py", "def f(x):\n    return x\n", "Python"),
        ("index.html", "<p>The tide comes.</p>\n", "HTML"),
    ],
)
def test_files_read_otherwise_than_the_class_are_named(
    tmp_path: Path, name: str, text: str, title: str
) -> None:
    files = {"ada/A.java": JAVA, "ben/A.java": JAVA, f"cleo/{name}": text}
    expected = f"Read in another language than the class (Java): cleo/{name} ({title})."
    assert warnings(tmp_path, files)["read-otherwise"] == expected


@pytest.mark.parametrize(
    ("usual", "other"), [("c", "cpp"), ("javascript", "typescript"), ("python", "notebook")]
)
def test_languages_of_one_family_are_not_read_otherwise(usual: str, other: str) -> None:
    files = [
        ReadFile(who, "main", language, 1)
        for who, language in (("ada", usual), ("ben", usual), ("cleo", other))
    ]
    assert list(reading_warnings(files)) == []


@pytest.mark.parametrize("name", CODE)
def test_most_of_a_program_becomes_tokens(name: str) -> None:
    assert read_share(front_end(name).scan(program(name))) > 0.7


def test_files_of_which_little_became_tokens_are_named() -> None:
    files = [ReadFile("ada", "A.java", "java", 10, 0.4), ReadFile("ben", "A.java", "java", 10, 0.6)]
    (warning,) = reading_warnings(files)
    assert warning.text == "Less than half of the code could be read: ada/A.java."


def test_what_was_read_badly_is_the_same_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOSS_CACHE", str(tmp_path / "cache"))
    files = {f"{who}/Main.java": UNCLOSED[0][1].replace("int a", f"int {who}") for who in ("ada", "ben")}
    first, second = (warnings(tmp_path / "class", files) for _ in range(2))
    assert first == second
    assert "unclosed" in second


def test_a_preview_says_in_which_languages_files_are_going_to_be_read(tmp_path: Path) -> None:
    ranked(tmp_path, {"ada/A.java": JAVA, "ben/A.java.txt": JAVA, "cleo/notes.txt": "The tide comes.\n"})
    preview = preview_path(tmp_path, InputOptions())
    assert preview.languages == "2 Java, 1 read as prose"
    assert "cleo/notes.txt (Plain text)" in preview.warnings[-1].text
