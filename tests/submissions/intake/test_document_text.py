"""The texts of documents are taken out in a child, line by line; what is broken or hostile is one refusal."""

import base64
import io
from collections.abc import Callable
from threading import get_ident

import pytest
from hypothesis import given, strategies as st
from pypdf import PdfWriter

from fingerprint.engine import read
from submissions.intake import document_text
from submissions.intake.document_text import FORMATS
from submissions.intake.entries import Entry
from submissions.intake.limits import Budget, Limits, RefusalError
from submissions.intake.sandbox import archives
from submissions.intake.sandbox.archives import UploadedFile, unpack_opened
from submissions.intake.sandbox.process import Child
from submissions.intake.unpacking import unpack
from tests.fingerprint.languages.test_diagrams import Diagram, model
from tests.fingerprint.languages.test_every_language import program
from tests.fingerprint.languages.test_pasted_code import preformatted
from tests.support import documents
from tests.support.archives import zipped

MEMORY = 1_000_000_000
WAYS = [(ending, write) for ending, ways in documents.WRITERS.items() for write in ways]
CODE = [line.expandtabs() for line in program("java").splitlines()]


def text_of(ending: str, data: bytes, limits: Limits = Limits()) -> str:  # noqa: B008 - it is frozen
    return document_text.document_text(FORMATS[ending], data, Budget(limits)).decode()


def in_child(name: str, data: bytes) -> list[Entry]:
    return list(archives.unpack(UploadedFile(name, len(data), lambda: io.BytesIO(data)), MEMORY))


LINES = st.lists(st.text(st.sampled_from("ab <&>\"'(){}\\;  \té"), max_size=30), min_size=1, max_size=8).filter(
    lambda lines: any(line.strip() for line in lines)
)


@given(LINES, st.sampled_from([way for way in WAYS if way[0] != ".pdf"]))
def test_the_lines_of_a_document_are_taken_out_as_they_were_typed(
    lines: list[str], way: tuple[str, Callable[[list[str]], bytes]]
) -> None:
    ending, write = way
    taken = [line.rstrip() for line in text_of(ending, write(lines)).splitlines()]
    assert "\n".join(taken).rstrip("\n") == "\n".join(line.rstrip() for line in lines).rstrip("\n")


@pytest.mark.parametrize(("ending", "write"), WAYS)
def test_a_program_in_a_document_is_read_as_one(ending: str, write: Callable[[list[str]], bytes]) -> None:
    text = text_of(ending, write(CODE))
    assert [line for line in text.splitlines() if line] == [line for line in CODE if line]
    alone = read("\n".join(CODE).encode(), "Main.java")
    for name in (f"Report{ending}", f"Main.java{ending}"):
        reading = read(text.encode(), name)
        assert reading.language == "java"
        assert reading.tokens.kinds.tolist() == alone.tokens.kinds.tolist()
    (entry,) = in_child(f"Report{ending}", write(CODE))
    assert (entry.reason, entry.data) == ("", text.encode())
    lines = ["The tide comes twice a day.", "It is high at six; it is low at noon.", "That is all I know."]
    assert read(text_of(ending, write(lines)).encode(), f"essay{ending}").language == "text"


def test_marks_of_a_word_processor_are_those_that_were_typed_and_what_was_moved_away_is_no_text() -> None:
    stops = '<w:pPr><w:tabs><w:tab w:pos="720"/><w:tab w:pos="900"/></w:tabs></w:pPr>'
    moved = "<w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom>"
    word = documents.word(f"<w:p>{stops}{moved}<w:r><w:t>def f():</w:t></w:r></w:p>")
    assert text_of(".docx", word) == "def f():\n"
    curly = documents.docx(["\u201ct\u201d \u2013 \u2018a\u2019 \u2026\xa0x"])
    assert text_of(".docx", curly) == "\"t\" - 'a' ... x\n"


def test_a_live_script_is_read_as_its_code_with_its_words_as_comments() -> None:
    code = ["function y = swing(x)", "  y = max(x) - min(x);", "end"]
    text = text_of(".mlx", documents.mlx(code))
    assert text == "% A tide\n" + "\n".join(code) + "\n"
    reading = read(text.encode(), "tide.mlx")
    assert reading.language == "matlab"
    assert reading.tokens.kinds.tolist() == read("\n".join(code).encode(), "t.m").tokens.kinds.tolist()


def test_a_model_is_read_as_its_blocks() -> None:
    diagram = Diagram([0, 1, 2, 3, 4, 0], [(0, 1), (1, 2), (2, 3)])
    text = model(diagram)
    system = text[text.index("<?xml") :]
    data = documents.slx({"simulink/systems/system_root.xml": system, "simulink/configSet0.xml": "<x/>"})
    taken = text_of(".slx", data).encode()
    reading = read(taken, "plant.slx")
    assert reading.language == "scratch"
    assert reading.text == read(text.encode(), "plant.slx").text
    assert b"configSet" not in taken


def encrypted() -> bytes:
    writer, file = PdfWriter(), io.BytesIO()
    writer.add_blank_page(90, 90)
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(file)
    return file.getvalue()


def bomb(part: str) -> bytes:
    return documents.packed({part: "<a>" + "<b/>" * 2_000_000 + "</a>"})


DEEP = documents.word("<w:p>" * 100_000)
ENTITIES = "<!DOCTYPE d [<!ENTITY a 'b'><!ENTITY c '&a;&a;'>]><d><p><t>&c;</t></p></d>"
PART = {".docx": "word/document.xml", ".odt": "content.xml", ".mlx": "matlab/document.xml"}
HOSTILE = [
    *((ending, bomb(part), "200 times") for ending, part in PART.items()),
    *((ending, documents.packed({part: ENTITIES}), "declares entities") for ending, part in PART.items()),
    *((ending, documents.packed({part: "no XML"}), "no .* document") for ending, part in PART.items()),
    *((ending, documents.packed({"other.xml": "<a/>"}), "no text") for ending in PART),
    (".docx", b"PK\x03\x04 cut off", "no Word document"),
    (".docx", DEEP, "no Word document"),
    (".slx", bomb("simulink/blockdiagram.xml"), "200 times"),
    (".slx", documents.slx({}), "no text"),
    (".rtf", b"{\\rtf1" + b"{\\pict 00" * 10_000, "no text"),
    (".pdf", b"%PDF-1.4\nnothing", "no PDF document"),
    (".pdf", documents.pdf([""]), "no text"),
    (".pdf", encrypted(), "encrypted"),
]


@pytest.mark.parametrize(("ending", "data", "reason"), HOSTILE)
def test_a_broken_or_hostile_document_is_refused_with_a_reason(ending: str, data: bytes, reason: str) -> None:
    with pytest.raises(RefusalError, match=reason):
        text_of(ending, data)


@pytest.mark.parametrize(("ending", "write"), WAYS)
def test_a_text_above_the_limit_is_refused(ending: str, write: Callable[[list[str]], bytes]) -> None:
    with pytest.raises(RefusalError, match="more than 1 kB"):
        text_of(ending, write(["x = 1"] * 300), Limits(file_bytes=1000))


def test_a_document_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_text, "DOCUMENT_SECONDS", 0.05)
    with pytest.raises(RefusalError, match=r"longer than 0.05 s"):
        text_of(".pdf", documents.pdf(["x = 1"] * 6_000))


@given(st.binary(max_size=300), st.sampled_from([*FORMATS]))
def test_any_bytes_are_read_or_refused(data: bytes, ending: str) -> None:
    kind = FORMATS[ending]
    try:
        assert document_text.document_text(kind, kind.start + data, Budget(Limits()))
    except RefusalError as refusal:
        assert str(refusal)  # noqa: PT017 - either of them


@given(st.data())
def test_a_damaged_document_is_read_or_refused(data: st.DataObject) -> None:
    ending, write = data.draw(st.sampled_from(WAYS))
    whole = write(CODE[:9])
    at = data.draw(st.integers(0, len(whole) - 1))
    damaged = whole[:at] + bytes([data.draw(st.integers(0, 255))]) + whole[at + data.draw(st.integers(0, 40)) :]
    try:
        assert document_text.document_text(FORMATS[ending], damaged, Budget(Limits()))
    except RefusalError as refusal:
        assert str(refusal)  # noqa: PT017 - either of them


CLASS = {
    "alice/Main.docx": documents.docx(CODE),
    "bob/Main.pdf": documents.pdf(CODE),
    "carl/essay.docx": ENTITIES.encode(),
    "dora/essay.odt": documents.packed({"content.xml": ENTITIES}),
    "emil/Main.java": "\n".join(CODE).encode(),
}
TEXT = "\n".join(line for line in CODE if line)


def checked(entries: list[Entry]) -> None:
    taken = {entry.name: entry.data for entry in entries if entry.data}
    assert taken.keys() == {*CLASS} - {"dora/essay.odt"}
    for name in ("alice/Main.docx", "bob/Main.pdf"):
        lines = (taken[name] or b"").decode().splitlines()
        assert "\n".join(line for line in lines if line) == TEXT
    assert taken["carl/essay.docx"] == CLASS["carl/essay.docx"]
    (refused,) = [entry for entry in entries if not entry.data]
    assert (refused.name, refused.reason) == ("dora/essay.odt", "its XML declares entities")


@pytest.mark.slow
@pytest.mark.usefixtures("new_children")
def test_documents_of_an_upload_are_read_in_its_child() -> None:
    checked(in_child("class.zip", zipped(CLASS)))
    (entry,) = in_child("Main.docx", CLASS["alice/Main.docx"])
    assert (entry.name, entry.size) == ("Main.docx", len(CLASS["alice/Main.docx"]))
    assert entry.data == text_of(".docx", CLASS["alice/Main.docx"]).encode()


@pytest.mark.slow
@pytest.mark.usefixtures("new_children")
def test_a_process_that_is_not_confined_has_all_documents_read_in_one_child(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One that ended is followed by another; a document that is refused changes nothing for the next."""
    started = []

    class Counted(Child):
        def __init__(self, jobs: str, memory: int) -> None:
            started.append(jobs)
            super().__init__(jobs, memory)

    monkeypatch.setattr("submissions.intake.sandbox.process.Child", Counted)
    monkeypatch.setattr("submissions.intake.sandbox.archives.Child", Counted)
    archives._document_child.cache_clear()
    for number in (1, 2):
        for _ in range(2):
            checked(list(unpack("class.zip", io.BytesIO(zipped(CLASS)), in_child=unpack_opened)))
        assert len(started) == number
        archives._document_child(get_ident()).start().end()


def test_the_texts_of_all_documents_take_a_limited_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_text, "_loaded", True)
    file = io.BytesIO(zipped(dict.fromkeys(("a.pdf", "b.pdf"), CLASS["bob/Main.pdf"])))
    entries = list(unpack("class.zip", file, Limits(documents_seconds=0.0)))
    assert [bool(entry.data) for entry in entries] == [True, False]
    assert "longer than 0 s" in entries[1].reason
    assert [entry.incomplete for entry in entries] == [False, True]


@pytest.mark.parametrize("name", ["Main.java", "Main.doc", "Main.txt", "Main.java.rtf"])
@pytest.mark.usefixtures("new_children")
def test_rich_text_is_read_under_any_name(name: str) -> None:
    (entry,) = in_child(name, documents.rtf([*CODE, "// \u201cok\u201c"]))
    assert (entry.reason, read(entry.data or b"", name).language) == ("", "java")
    assert (entry.data or b"").decode().splitlines() == [*CODE, '// "ok"']


@pytest.mark.parametrize("ending", [".mht", ".eml"])
def test_a_program_in_a_saved_page_is_read_as_one(ending: str) -> None:
    page = base64.encodebytes(preformatted("\n".join(CODE)).encode())
    data = b"Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64\n\n" + page
    reading = read(text_of(ending, data).encode(), f"Main{ending}")
    assert reading.language == "java"
    assert reading.tokens.kinds.tolist() == read("\n".join(CODE).encode(), "Main.java").tokens.kinds.tolist()


UNKNOWN_ENCODINGS = [
    (".rtf", b"{\\rtf1\\mac\\ansicpg10000 x = 1}"),
    (".eml", b"Content-Type: text/plain; charset=unknown-8bit\n\nx = 1"),
    (".eml", b"Content-Type: text/plain; charset=hex\n\nx = 1"),
]


@pytest.mark.parametrize(("ending", "data"), UNKNOWN_ENCODINGS)
def test_an_encoding_that_nobody_knows_refuses_no_document(ending: str, data: bytes) -> None:
    assert text_of(ending, data).strip() == "x = 1"


def test_both_halves_of_a_character_in_rich_text_are_one() -> None:
    assert text_of(".rtf", b"{\\rtf1 x = '\\u-10179?\\u-8704?'}").strip() == "x = '\N{GRINNING FACE}'"


def test_a_labview_program_is_refused_by_its_name() -> None:
    with pytest.raises(ValueError, match="LabVIEW"):
        read(b"RSRC\r\n\x00\x03LVINLBVW\0\0", "plant.vi")
