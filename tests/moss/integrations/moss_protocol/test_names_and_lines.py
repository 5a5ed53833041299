"""The lines of the protocol and the names in them, as pure functions."""

import pytest

from fingerprint.engine import choices
from moss.integrations.moss_protocol.protocol import (
    LANGUAGES,
    Options,
    ProtocolError,
    SentNames,
    file_line,
    relative_path,
    shown_name,
    split,
)

STATED = (
    "c cc java ml pascal ada lisp scheme haskell fortran ascii vhdl perl matlab python mips prolog "
    "spice vb csharp modula2 a8086 javascript plsql verilog"
)


def test_every_language_of_the_clients_has_a_tuned_front_end() -> None:
    assert set(LANGUAGES) == set(STATED.split())
    assert set(LANGUAGES.values()) <= {name for name, _ in choices()}


def test_a_file_line_is_number_language_size_and_a_name_that_may_have_blanks() -> None:
    assert file_line(b"3 c 120 my file.c") == (3, 120, b"my file.c")
    assert file_line(b"0 c 120 base.c").is_base
    assert split(b"file 1 c 2 a.c\r\n") == ("file", b"1 c 2 a.c")


@pytest.mark.parametrize(
    "rest", [b"", b"1", b"1 c", b"1 c 10", b"1 c 10 ", b"x c 10 a", b"1 c -1 a", b"1 c 1e3 a", b"-1 c 10 a",
             b"1 c " + b"9" * 19 + b" a", "1 c \u0661 a".encode()]
)  # fmt: skip
def test_a_file_line_with_a_broken_number_is_refused(rest: bytes) -> None:
    with pytest.raises(ProtocolError):
        file_line(rest)


def test_limits_beyond_what_can_be_stored_count_as_the_largest() -> None:
    options = Options(language="c")
    options.set("maxmatches", "99999999999")
    options.set("show", "0")
    options.set("directory", "1")
    assert str(options) == "-l c -d -m 1000000 -n 1"
    options.set("maxmatches", "1")
    assert options.common_limit == 2
    with pytest.raises(ProtocolError, match="-5"):
        options.set("maxmatches", "-5")
    with pytest.raises(ProtocolError, match="GET"):
        options.set("GET", "/ HTTP/1.1")


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        (b"a b\tc.c", "a_b_c.c"),
        ("größe.c".encode(), "größe.c"),
        ("größe.c".encode("latin-1"), "größe.c"),
        (b"a\\b.c", "a/b.c"),
        (b"a\x00b\x1b.c", "a\ufffdb\ufffd.c"),
    ],
)
def test_names_are_text_without_blanks_and_control_characters(raw: bytes, name: str) -> None:
    assert shown_name(raw) == name


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("../hw1/a.c", "hw1/a.c"),
        ("/etc/passwd", "etc/passwd"),
        ("./a/../../b.c", "a/b.c"),
        ("..", "file"),
        ("", "file"),
        ("x" * 500, "x" * 400),
    ],
)
def test_paths_stay_inside_the_upload(name: str, path: str) -> None:
    assert relative_path(name) == path


def test_the_clients_names_are_kept_where_the_archive_has_others() -> None:
    names = SentNames(directory=False)
    assert [names.path(raw) for raw in (b"a.c", b"../a.c", b"b/a.c")] == ["a.c", "a (2).c", "b/a.c"]
    assert names.sent == {"a (2).c": "../a.c"}


def test_in_directory_mode_each_directory_is_one_folder() -> None:
    names = SentNames(directory=True)
    paths = [names.path(raw) for raw in (b"hw/ada/a.c", b"hw-ada/a.c", b"hw/ada/b.c", b"a.c")]
    assert paths == ["hw-ada/a.c", "hw-ada (2)/a.c", "hw-ada/b.c", "file/a.c"]
    assert names.sent == {"hw-ada": "hw/ada/", "hw-ada (2)": "hw-ada/", "file": "./"}
