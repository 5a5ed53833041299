"""Bytes in any encoding are decoded to text, or refused with what they seem to be."""

import bz2
import gzip
import io
import zipfile

import pytest
from hypothesis import given, strategies as st

from fingerprint.languages import Decoded, NotText, decode

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
def test_characters_with_a_zero_byte_are_decoded_in_utf_16_without_a_mark(
    program: str, encoding: str
) -> None:
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
        ("\ufeffa\0b".encode("utf-16-le"), "NUL character (at offset 1)"),
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
