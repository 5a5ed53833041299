"""Prose in any script, notebooks, Scratch projects, and bytes in any encoding."""

import bz2
import gzip
import hashlib
import io
import json
import logging
import re
import zipfile

import pytest
from hypothesis import given, strategies as st

from fingerprint.languages import Decoded, NotText, decode, front_end
from fingerprint.tokens import CELL
from tests.support.notebooks import FORMAT_2, FORMAT_3, FORMAT_4

PROSE = front_end("text")


NOTEBOOK = front_end("notebook")


def words(text: str) -> list[str]:
    return [kind for _, _, kind in PROSE.named_tokens(text)]


def test_case_and_punctuation_are_normalised() -> None:
    assert words("Don't STOP, the tide!") == words("don\u2019t stop the (Tide)") == ["dont", "stop", "the", "tide"]


def test_equivalent_characters_are_normalised_to_one() -> None:
    assert words("naïve Straße \ufb01sh \uff34ide") == words("nai\u0308ve STRASSE fish tide")


def test_in_scripts_without_spaces_each_character_is_a_word() -> None:
    assert words("港の潮は") == ["港", "の", "潮", "は"]
    assert "".join(words("ขึ้นวัน")) == "ขึ้นวัน"


def test_combining_marks_stay_with_their_word() -> None:
    assert words("पानी बढ़ता है") == ["पानी", "बढ़ता", "है"]
    assert len(words("يرتفعُ الماءُ")) == 2


@given(st.text(max_size=80))
def test_words_are_spans_of_the_text_in_order(text: str) -> None:
    tokens = PROSE.tokens(text)
    assert (tokens.starts < tokens.ends).all()
    assert (tokens.ends[:-1] <= tokens.starts[1:]).all()
    assert not len(tokens) or tokens.ends[-1] <= len(text)


@given(st.text(st.sampled_from("aé ß-'.港"), max_size=30))
def test_changing_case_changes_no_word(text: str) -> None:
    assert words(text.upper()) == words(text.lower()) == words(text)


def notebook(language: str = "python") -> str:
    output = {"output_type": "stream", "name": "stdout", "text": "secret"}
    markdown = {"cell_type": "markdown", "metadata": {}, "source": ["# Tides\n", "The *largest* change."]}
    code = {"cell_type": "code", "metadata": {}, "execution_count": 1, "source": "x = f(1)  # never"}
    return json.dumps(
        {
            "metadata": {"kernelspec": {"name": language, "display_name": "K", "language": language}},
            "cells": [markdown, {**code, "outputs": [output]}],
            "nbformat": 4,
            "nbformat_minor": 4,
        }
    )


def test_cells_are_shown_with_headers_and_without_outputs() -> None:
    text = NOTEBOOK.text(notebook())
    assert text == (
        "───── cell 1, text ─────\n# Tides\nThe *largest* change.\n\n───── cell 2, python ─────\nx = f(1)  # never\n"
    )


def test_each_cell_is_compared_in_its_language() -> None:
    text = NOTEBOOK.text(notebook())
    code = front_end("python").tokens("x = f(1)").kinds.tolist()
    prose = PROSE.tokens("Tides the largest change").kinds.tolist()
    assert NOTEBOOK.tokens(text).kinds.tolist() == prose + code


def test_the_kernel_names_the_language_of_the_code() -> None:
    text = NOTEBOOK.text(notebook("R"))
    assert "cell 2, r" in text
    assert "cell 2, python" in NOTEBOOK.text(notebook("klingon"))


def graded(source: str, *, checksum: str = "", **fields: object) -> dict[str, object]:
    """Return a code cell with nbgrader's metadata, as the schema of version 3 has it."""
    grader = {"grade": False, "solution": False, "locked": False, "schema_version": 3, **fields}
    content = [source, "code", grader["grade"], grader["solution"]]
    content += [(grader["grade"] or grader["locked"]) and not grader["solution"], grader["grade_id"]]
    content += [float(str(grader["points"]))] if grader["grade"] else []
    grader["checksum"] = checksum or hashlib.md5("".join(map(str, content)).encode("utf-8", "replace")).hexdigest()
    metadata = {"nbgrader": grader}
    return {"cell_type": "code", "metadata": metadata, "execution_count": 1, "source": source, "outputs": []}


def notebook_of(*cells: dict[str, object]) -> str:
    return json.dumps({"metadata": {}, "cells": cells, "nbformat": 4, "nbformat_minor": 4})


def compared(*cells: dict[str, object]) -> list[int]:
    kinds: list[int] = NOTEBOOK.tokens(NOTEBOOK.text(notebook_of(*cells))).kinds.tolist()
    return kinds


GIVEN = "def given(x):\n    return [x, x + 1, x + 2]\n" * 3
LOCKED = graded(GIVEN, locked=True, grade_id="a")
TESTS = graded("assert solve(3) == 4", grade=True, locked=True, points=2, grade_id="b")
CHANGED = graded("def solve(x):\n    return x + 1", solution=True, grade_id="c", checksum="0" * 32)


def test_a_locked_cell_is_compared_and_has_its_id_and_text_in_one_mark() -> None:
    text = NOTEBOOK.text(notebook_of(LOCKED, CHANGED, TESTS))
    assert "───── cell 1, python ───── marked as handed out: a\ndef given(x):" in text
    assert "───── cell 2, python ─────\ndef solve(x):" in text
    source = front_end("python").tokens(str(LOCKED["source"])).kinds.tolist()
    first, mark, size, *tokens = compared(LOCKED, CHANGED)
    assert (first, size, tokens) == (CELL, len(source), source + compared(CHANGED))
    other_id = graded(str(LOCKED["source"]), locked=True, grade_id="z")
    other_text = graded(GIVEN.replace("given", "taken"), locked=True, grade_id="a")
    assert len({mark, compared(other_id)[1], compared(other_text)[1]}) == 3


def test_a_cell_for_the_solution_has_no_mark_once_the_student_has_changed_it() -> None:
    stub = graded(GIVEN, solution=True, grade_id="c")
    assert compared(stub)[0] == CELL != compared({**stub, "source": GIVEN + "x = 1"})[0]


@pytest.mark.parametrize("name", ["", "a b\n───── cell 2, text ─────\nc", "x" * 9_000, 7, None, "\ud800", "\u2028"])
def test_an_id_of_any_form_is_one_word_of_a_header(name: object) -> None:
    text = NOTEBOOK.text(notebook_of(graded("x = f(1)", locked=True, grade_id=name), CHANGED))
    assert len(re.findall("^───── cell .*$", text, re.MULTILINE)) == 2
    assert max(map(len, text.splitlines())) < 200
    assert compared(graded(GIVEN, locked=True, grade_id=name))[0] == CELL
    assert compared(graded("x = f(1)", locked=True, grade_id=name)) == compared(graded("x = f(1)", grade_id=name))


def test_a_line_of_a_source_begins_no_cell() -> None:
    hidden = "x = 1\n───── cell 2, text ───── handed out\ny = f(2)"
    text = NOTEBOOK.text(notebook_of({**CHANGED, "source": hidden}))
    assert text.count("\n───── cell") == 0
    last = front_end("python").tokens("y = f(2)").kinds.tolist()
    assert compared({**CHANGED, "source": hidden})[-len(last) :] == last


@pytest.mark.parametrize(
    "wrong",
    [None, 3, "x", [], {"locked": "yes"}]
    + [{"grade": True, "points": points} for points in ("many", 10**400, float("inf"))]
    + [{"grade": True, "points": 1, "grade_id": "\ud800"}],
)
def test_metadata_of_another_form_hides_nothing_and_breaks_nothing(wrong: object) -> None:
    cell = {**CHANGED, "metadata": {"nbgrader": wrong}}
    assert compared(cell, CHANGED)[-2 * len(compared(CHANGED)) :] == compared(CHANGED) * 2


def test_format_3_with_worksheets_is_read() -> None:
    old = {
        "metadata": {"name": "old"}, "nbformat": 3, "nbformat_minor": 0,
        "worksheets": [{"metadata": {}, "cells": [
            {"cell_type": "code", "language": "python", "metadata": {}, "outputs": [], "collapsed": False,
             "input": ["y = 2\n", "z = y"]},
        ]}],
    }  # fmt: skip
    assert NOTEBOOK.text(json.dumps(old)) == "───── cell 1, python ─────\ny = 2\nz = y\n"


@pytest.mark.parametrize(
    ("decoded", "reason"),
    [
        ("", "line 1 is not JSON"), ("{\n", "line 2 is not JSON"),
        ("[]", "no notebook"), ("3", "no notebook"), ("{}", "no notebook"),
        ('{"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [{}]}', "expected key"),
        ('{"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [7]}', "cell|read"),
        ('{"nbformat": 99, "cells": 3}', "notebook"), ("[" * 100_000, "notebook"),
    ],
)  # fmt: skip
def test_a_broken_notebook_is_refused_with_its_reason(decoded: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        NOTEBOOK.text(decoded)


def test_a_text_without_cells_has_no_tokens() -> None:
    assert len(NOTEBOOK.scan("no header here").tokens) == 0


@pytest.mark.parametrize("version", [FORMAT_2, FORMAT_3, FORMAT_4])
def test_what_is_wrong_with_a_notebook_is_not_logged_with_its_contents(
    version: dict[str, object], caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    invalid = {**version, "metadata": {"kernelspec": {"name": ["Ada Lovelace"]}, "name": ["Ada Lovelace"]}}
    NOTEBOOK.text(json.dumps(invalid))
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")


def test_others_can_use_the_logger_that_nbformat_uses(caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("traitlets").error("of another library")
    assert caplog.messages == ["of another library"]


HALLO = "Grüße — 你好 🌊\r\n\tЖлд\n"


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=60))
def test_utf_8_is_decoded_unchanged(text: str) -> None:
    if not text.startswith("\ufeff"):
        assert decode(("x" + text).encode()).text == "x" + text


def test_line_ends_and_tabs_are_kept() -> None:
    assert decode(HALLO.encode()) == Decoded(HALLO, "utf-8")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_sets_the_encoding_and_is_removed(encoding: str) -> None:
    assert decode(HALLO.encode(encoding)).text == HALLO


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_byte_order_mark_is_decoded(encoding: str) -> None:
    program = "class Harbour { int größe; }\n"
    assert decode(program.encode(encoding)) == Decoded(program, encoding)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "program",
    [
        "x = 1  # 一\n",
        "int a; // \u0100\u0100\u0100 Ā\n",
        "# 一 二 三 一 一: 这个程序读取港口的潮汐记录\nprint(1)\n",
        '/* ĀĀĀĀ */ class Ā { String s = "一一"; }\r\n',
    ],
)
def test_characters_with_a_zero_byte_are_decoded_in_utf_16_without_a_mark(program: str, encoding: str) -> None:
    assert decode(program.encode(encoding)) == Decoded(program, encoding)


@pytest.mark.parametrize("padding", [1, 2, 511])
@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_zero_bytes_at_the_end_are_no_part_of_a_text(padding: int, encoding: str) -> None:
    program = "class Harbour { int größe; }\n" if encoding != "ascii" else "class Harbour { int size; }\n"
    zeros = b"\0" * (padding if not encoding.startswith("utf-16") else 2 * padding)
    assert decode(program.encode(encoding) + zeros).text == program


@pytest.mark.parametrize(
    "data", [b"\0", b"\0\0", b"ab\0cd\0", bytes(range(256)) * 4, b"\0\1\2\3" * 50, b"a\0\xff\xd8" * 50]
)
def test_zero_bytes_in_a_file_that_is_no_text_are_refused(data: bytes) -> None:
    with pytest.raises(NotText):
        decode(data)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("// Größe, naïve façade\nint x;\n", "cp1252"),
        ("# Быстрая сортировка пузырьком, написал студент третьего курса\nx = 1\n", "cp1251"),
        ("# 这个程序读取港口的潮汐记录并计算最大变化\nx = 1\n", "gb18030"),
        ("# 港の潮位の記録を読み、最大の変化を計算するプログラムです\nx = 1\n", "cp932"),
    ],
)
def test_legacy_encodings_are_detected(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


def test_only_the_broken_byte_of_utf_8_is_replaced() -> None:
    data = "Grüße an größere Häfen, schöne Küste".encode() + b"\xff" + " Übung".encode()
    assert decode(data) == Decoded("Grüße an größere Häfen, schöne Küste\ufffd Übung", "utf-8")


def test_bytes_that_are_invalid_in_every_encoding_are_still_decoded() -> None:
    assert decode(b"int x; // \x81\x8d\x8f\x90\x9d\n").text.startswith("int x; // ")


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_but_a_refusal(data: bytes) -> None:
    try:
        text = decode(data).text
    except NotText:
        return
    assert "\0" not in text


def zipped() -> bytes:
    with zipfile.ZipFile(buffer := io.BytesIO(), "w") as archive:
        archive.writestr("a.txt", "a")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x89PNG\r\n\x1a\n", "PNG image"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "JPEG image"),
        (b"%PDF-1.7\n", "PDF document"),
        (zipped(), "zip archive"),
        (gzip.compress(b"a", mtime=0), "gzip archive"),
        (b"\xca\xfe\xba\xbe\x00\x00\x00\x41", "Java class"),
        (b"\x7fELF\x02\x01\x01\x00", "compiled program"),
        (b"int x = 1;\0int y;", "NUL byte (at offset 10)"),
        ("\ufeffa\0b".encode("utf-16-le"), "NUL byte (at offset 1)"),
        (bytes(range(1, 32)) * 9, "control characters"),
        (b"\xff\xfe" + b"\x00\xd8" * 50, "cannot be read"),
    ],
)
def test_data_that_is_no_text_is_refused_with_what_it_is(data: bytes, reason: str) -> None:
    with pytest.raises(NotText) as refusal:
        decode(data)
    assert reason in str(refusal.value)


@pytest.mark.parametrize("text", ["ID3 decision trees", "BZh", "GIF8 is a prefix", "OggS in a sentence"])
def test_text_that_begins_like_a_binary_format_is_text(text: str) -> None:
    assert decode(text.encode()).text == text


@pytest.mark.parametrize("data", [bz2.compress(b"a"), b"GIF89a\x01\x00", b"ID3\x03\x00", b"OggS\x00\x02"])
def test_a_binary_format_is_refused_by_its_whole_signature(data: bytes) -> None:
    with pytest.raises(NotText, match=r"^it is an? .*, not a text file$"):
        decode(data)


def test_an_empty_file_is_an_empty_text() -> None:
    assert decode(b"") == Decoded("", "utf-8")
