"""`moss check` says in which languages it read the files, and which of them it read badly."""

import json
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from fingerprint.engine import import_encodings
from fingerprint.languages import front_end
from fingerprint.reading import read, read_share
from moss.check import readings as cache
from moss.check.inputs import InputOptions
from moss.check.rank import RankingOptions, preview_path, rank_path
from moss.check.readings import ReadingCache, reading_key
from moss.compiling import cache_folder
from submissions.intake.warnings import ReadFile, languages_read, reading_warnings
from tests.fingerprint.languages.construct_tables import PATHS, table
from tests.fingerprint.languages.test_every_language import CODE, program
from tests.moss.check.test_check import check, folder
from tests.moss.check.test_refusals import assert_refused
from tests.support.read_classes import ranked
from tests.support.sample_class import CLASS

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
NOBODY = 65_534
LINK = "a symbolic link"
DENIED = "cannot be read: Permission denied"


def warnings(root: Path, files: dict[str, str]) -> dict[str, str]:
    return {one.kind: one.text for one in reading_warnings(ranked(root, files).read_files)}


def test_the_languages_of_files_are_counted_the_most_frequent_first() -> None:
    languages = ["java"] * 48 + ["text"] * 2 + ["julia"]
    assert languages_read(languages) == "48 Java, 2 read as prose, 1 julia"


@pytest.mark.parametrize(("name", "text", "line"), UNCLOSED)
def test_a_literal_that_never_ends_is_named_with_its_line(tmp_path: Path, name: str, text: str, line: int) -> None:
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
def test_files_read_otherwise_than_the_class_are_named(tmp_path: Path, name: str, text: str, title: str) -> None:
    files = {"ada/A.java": JAVA, "ben/A.java": JAVA, f"cleo/{name}": text}
    expected = f"These are not Java, as most of the class is: cleo/{name} ({title})."
    assert warnings(tmp_path, files)["read-otherwise"] == expected


@pytest.mark.parametrize(("usual", "other"), [("c", "cpp"), ("javascript", "typescript"), ("python", "notebook")])
def test_languages_of_one_family_are_not_read_otherwise(usual: str, other: str) -> None:
    files = [ReadFile(who, "main", language, 1) for who, language in (("ada", usual), ("ben", usual), ("cleo", other))]
    assert list(reading_warnings(files)) == []


@pytest.mark.parametrize("name", CODE)
def test_most_of_a_program_becomes_tokens(name: str) -> None:
    assert read_share(front_end(name).scan(program(name))) > 0.7


def test_files_of_which_little_became_tokens_are_named() -> None:
    files = [ReadFile("ada", "A.java", "java", 10, 0.4), ReadFile("ben", "A.java", "java", 10, 0.6)]
    (warning,) = reading_warnings(files)
    assert warning.text == "Less than half of the code could be read: ada/A.java."


def test_what_was_read_badly_is_the_same_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have a class in the current folder, and no rights of the superuser, whom no permission stops."""
    # These load every module, which another user may not be able to.
    import_encodings()
    check(folder(tmp_path / "class", CLASS))
    check(tmp_path / "class", "--preview")
    for name, mode in (("closed", 0), ("sealed", 0o555)):
        (tmp_path / name).mkdir(mode)
    tmp_path.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    superuser = os.geteuid() == 0
    if superuser:
        os.setresuid(NOBODY, NOBODY, 0)
    yield
    if superuser:
        os.setresuid(0, 0, 0)
    for path in tmp_path.glob("**/closed*"):
        path.chmod(0o755)


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    """A class with folders and a file that nobody may read, a pipe, and links that lead nowhere."""
    root = folder(tmp_path / "class", {"ada/closed/part.py": "x", "ada/closed.py": "x", "closed/main.py": "x"})
    for name in ("ada/closed", "ada/closed.py", "closed"):
        (root / name).chmod(0)
    os.mkfifo(root / "ada" / "pipe.py")
    for name, target in (("dangling", "nowhere"), ("loop", "again"), ("again", "loop"), ("up", "..")):
        (root / "ada" / name).symlink_to(target)
    return root


@pytest.fixture
def shared_memory() -> None:
    """Skip where a user without rights cannot start child processes; `moss check` says so there."""
    if not Path("/dev/shm").stat().st_mode & stat.S_IWOTH:
        pytest.skip("not every user may write to /dev/shm")


@pytest.mark.usefixtures("shared_memory", "closed", "here")
def test_what_cannot_be_read_is_skipped_with_its_reason_and_the_rest_is_compared() -> None:
    result = check("class", "--format", "json")
    assert {one["name"]: one["reason"] for one in json.loads(result.stdout)["skipped"]} == {
        "ada/again": LINK, "ada/closed.py": DENIED, "ada/closed/": DENIED, "ada/dangling": LINK,
        "ada/loop": LINK, "ada/pipe.py": "not a file but a device, pipe or socket", "ada/up": LINK,
        "closed/": DENIED,
    }  # fmt: skip
    assert json.loads(result.stdout)["pairs"] != []
    assert "skipped 4 files, such as ada/again: a symbolic link" in result.stderr


@pytest.mark.usefixtures("closed", "here")
def test_a_preview_shows_reasons_and_examples_whole_and_names_whose_work_is_missing() -> None:
    text = check("class", "--preview").stdout
    assert " ".join(text.split()).count("ada/again, ada/dangling, ada/loop, ...") == 1
    assert "not a file but a device, pipe or socket  " in text
    assert "ignored, left out or unreadable: closed." in text
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("path", "reason"),
    [("sealed", "'sealed' is not writable"), ("closed/inner", "there is no folder 'closed/inner'")],
)
def test_an_output_that_cannot_be_written_is_refused(path: str, reason: str) -> None:
    assert_refused(check("class", "-o", f"{path}/pairs.csv"), "'-o'", reason)


@pytest.mark.usefixtures("here")
def test_a_cache_folder_that_cannot_be_made_is_named_with_the_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MOSS_CACHE", "sealed/cache")
    assert_refused(check("class"), "sealed/cache cannot be used", "set MOSS_CACHE=off")


def test_added_readings_are_found_when_the_cache_is_opened_again(tmp_path: Path) -> None:
    with closing(ReadingCache(tmp_path)) as first:
        first.add({b"a": b"one", b"b": b"two"})
    with closing(ReadingCache(tmp_path)) as second:
        assert second.find([b"a", b"b", b"c", b"a"]) == {b"a": b"one", b"b": b"two"}


def test_thousands_of_readings_are_found_in_one_call(tmp_path: Path) -> None:
    readings = {str(n).encode(): bytes(3) for n in range(3 * cache.MAX_VARIABLES + 1)}
    with closing(ReadingCache(tmp_path)) as reading_cache:
        reading_cache.add(readings)
        assert reading_cache.find(readings) == readings


def test_the_least_recently_used_is_deleted_first_beyond_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MAX_BYTES", 250)
    for name in (b"a", b"b"):
        with closing(ReadingCache(tmp_path)) as reading_cache:
            reading_cache.add({name: bytes(100)})
    with closing(ReadingCache(tmp_path)) as reading_cache:
        reading_cache.find([b"a"])
        reading_cache.add({b"c": bytes(100)})
        assert reading_cache.find([b"a", b"b", b"c"]).keys() == {b"a", b"c"}


def test_a_key_depends_on_the_bytes_the_name_and_the_forced_language() -> None:
    keys = {
        reading_key(b"x", "a.py", ""),
        reading_key(b"y", "a.py", ""),
        reading_key(b"x", "b.py", ""),
        reading_key(b"x", "a.py", "c"),
    }
    assert len(keys) == 4
    assert reading_key(b"x", "one/a.py", "") == reading_key(b"x", "two/a.py", "")


def test_the_folder_is_that_of_the_variable_or_the_users_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSS_CACHE", "/somewhere")
    assert cache_folder() == Path("/somewhere")
    monkeypatch.setenv("MOSS_CACHE", "off")
    assert cache_folder() is None
    monkeypatch.delenv("MOSS_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert cache_folder() == Path("/caches/moss-server")


def test_a_damaged_file_is_a_database_error(tmp_path: Path) -> None:
    (tmp_path / "readings.sqlite3").write_bytes(b"not a database" * 100)
    with pytest.raises(sqlite3.DatabaseError):
        ReadingCache(tmp_path)
    left_open = [Path(link).resolve() for link in Path("/proc/self/fd").iterdir()]
    assert tmp_path / "readings.sqlite3" not in left_open
