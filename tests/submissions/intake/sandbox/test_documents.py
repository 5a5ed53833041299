"""Documents are read in a child: with the same result, and a file that ends it is refused alone."""

import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest

from fingerprint import engine
from fingerprint.engine import TokenStream, Unreadable
from submissions.intake.entries import Entry
from submissions.intake.packed_readings import span_columns, syntax_spans
from submissions.intake.sandbox.documents import DocumentReader
from tests.fingerprint import languages
from tests.fingerprint.test_reading import plain
from tests.support import harmful_jobs
from tests.support.long_rows import rest_is_long
from tests.support.notebooks import notebook_with, wrong_notebooks

pytestmark = pytest.mark.slow

MEMORY = 1_000_000_000
SECONDS = 5.0
GOLDEN = [path for path in sorted((Path(languages.__file__).parent / "golden").iterdir()) if path.suffix != ".tokens"]
# Files that are read with what is imported only when it is needed.
UNUSUAL = {
    "a.sol": b"contract A { uint x = 1; function f() public { x += 2; } }\n",
    "a.md": b"# Tides\n\n```lua\nlocal x = string.format('a')\n```\n",
    "a.lua": b"local x = string.format('a')\n",
    "a.asy": b"draw((0,0)--(1,1));\n",
    "a.unheard-of": b"int main() { return 0; }\n",
    "russian.txt": "Съешь же ещё этих мягких французских булок.\n".encode("cp1251"),
    "japanese.txt": "いろはにほへと ちりぬるを わかよたれそ\n".encode("cp932") * 5,
    "wide.txt": "\ufeffa wide text\n".encode("utf-16-le"),
    "future.ipynb": notebook_with(nbformat_minor=99),
}
ALL = {path.name: path.read_bytes() for path in GOLDEN} | UNUSUAL


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    reader = DocumentReader(MEMORY, harmful_jobs.__name__)
    yield reader
    reader.close()


def check_reads(reader: DocumentReader) -> None:
    assert len(reader.read(b"x = f(1)\n", "python", SECONDS).tokens) == 4


@pytest.mark.parametrize("name", ALL)
def test_a_child_reads_what_this_process_reads(reader: DocumentReader, name: str) -> None:
    expected = engine.read(ALL[name], name, coarse=True)
    (language,) = reader.identify([Entry(name, len(ALL[name]), data=ALL[name])], "", SECONDS)
    assert isinstance(language, str)
    read = reader.read(ALL[name], language, SECONDS, coarse=True)
    assert read.language == language == expected.language
    columns = (read.tokens.kinds, read.tokens.starts, read.tokens.ends, read.lines, *read.lexical)
    tokens = expected.tokens
    expected_columns = (tokens.kinds, tokens.starts, tokens.ends, expected.lines, *expected.lexical)
    for column, wanted in zip(columns, expected_columns, strict=True):
        np.testing.assert_array_equal(column, wanted)
    assert (read.share, read.unclosed) == (expected.share, expected.unclosed)
    assert (read.coarse is None) == (expected.coarse is None)
    if read.coarse and expected.coarse:
        assert read.coarse.family == expected.coarse.family
        np.testing.assert_array_equal(read.coarse.tokens.kinds, expected.coarse.tokens.kinds)
        np.testing.assert_array_equal(read.coarse.terms, expected.coarse.terms)
    spans = span_columns(syntax_spans(expected.text, language))
    assert read.spans is not None
    assert [list(column) for column in read.spans] == [list(column) for column in spans]


def outcome(read: Callable[[bytes], TokenStream], data: bytes) -> int | str:
    """Return the number of tokens, or the reason of the refusal."""
    try:
        return len(read(data))
    except Unreadable as error:
        return engine.storable(str(error))


def test_a_child_refuses_what_this_process_refuses(reader: DocumentReader) -> None:
    def in_child(data: bytes) -> TokenStream:
        return reader.read(data, "notebook", SECONDS).tokens

    def here(data: bytes) -> TokenStream:
        return engine.read(data, "", "notebook").tokens

    for data in wrong_notebooks().values():
        assert outcome(in_child, data) == outcome(here, data)


def test_files_read_together_are_those_read_alone_and_each_refusal_is_its_own(reader: DocumentReader) -> None:
    files = [b"x = f(1)\n", b"\x89PNG" + bytes(50), b"def f(a):\n    return 'two words'\n"]
    first, refused, second = reader.read_together(files, "python", SECONDS, coarse=True)
    for together, data in ((first, files[0]), (second, files[2])):
        assert plain(together) == plain(reader.read(data, "python", SECONDS, coarse=True))
    assert isinstance(refused, Unreadable)
    with pytest.raises(Unreadable, match=re.escape(str(refused))):
        reader.read(files[1], "python", SECONDS)


@pytest.mark.parametrize("harm", ["fail", "crash", "nonsense"])
def test_several_files_of_which_one_harms_the_reader_are_refused_together_and_the_next_one_is_read(
    reader: DocumentReader, harm: str
) -> None:
    files = [b"x = 1\n", f"harm: {harm}\nx = 1\n".encode()]
    with pytest.raises(Unreadable):
        reader.read_together(files, "python", SECONDS)
    check_reads(reader)


@pytest.mark.parametrize(
    ("harm", "reason"),
    rest_is_long(
        [
            ("allocate", r"reading it as python takes more memory than the 1 GB that it may use"),
            ("compute", r"reading it as python took longer than 0\.2 s"),
            ("crash", r"reading it as python ended the program that reads files, twice \(SIGSEGV\)"),
            ("fail", r"the lexer failed \(KeyError\)"),
            ("nonsense", r"the program that reads files answered with nonsense \(starts\)"),
            ("symbols", r"the program that reads files answered with nonsense \(starts\)"),
            ("leave", r"reading it as python ended the program that reads files, twice \(exit status 0\)"),
        ],
        first=6,
    ),
)
def test_a_file_that_harms_its_reader_is_refused_and_the_next_one_is_read(
    reader: DocumentReader, harm: str, reason: str
) -> None:
    with pytest.raises(Unreadable, match=reason):
        reader.read(f"harm: {harm}\nx = 1\n".encode(), "python", 0.2, coarse=harm == "symbols")
    check_reads(reader)


def test_the_log_says_where_a_reader_broke(reader: DocumentReader, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(Unreadable):
        reader.read(b"harm: fail\n", "python", SECONDS)
    assert "in fail" in caplog.text
    assert "unheard of" not in caplog.text


@pytest.mark.long
def test_a_reader_that_does_nothing_is_ended(reader: DocumentReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("submissions.intake.sandbox.documents.GRACE_SECONDS", 0.5)
    started = time.monotonic()
    with pytest.raises(Unreadable, match=r"took longer than 0\.2 s"):
        reader.read(b"harm: sleep\n", "python", 0.2)
    assert time.monotonic() - started < 60
    check_reads(reader)


def test_a_slow_lexer_is_ended_by_the_time_limit_and_the_child_goes_on(reader: DocumentReader) -> None:
    child = reader.start().pid
    with pytest.raises(Unreadable, match=r"reading it as python took longer than 0\.02 s"):
        reader.read(b"a " * 1_000_000, "python", 0.02)
    assert reader.start().pid == child


def test_a_child_outlives_signals_of_a_stop_and_a_killed_one_is_replaced(reader: DocumentReader) -> None:
    with pytest.raises(Unreadable, match="no language is called 'klingon'"):
        reader.read(b"nuqneH", "klingon", SECONDS)
    child = reader.start()
    child.wait_until_ready()
    os.kill(child.pid, signal.SIGTERM)
    os.kill(child.pid, signal.SIGINT)
    check_reads(reader)
    assert reader.start().pid == child.pid
    psutil.Process(child.pid).kill()
    check_reads(reader)


@pytest.mark.long
def test_a_child_ends_after_many_files(reader: DocumentReader, monkeypatch: pytest.MonkeyPatch) -> None:
    first = reader.start().pid
    monkeypatch.setattr(reader, "max_jobs", 1)
    check_reads(reader)
    assert reader.start().pid != first


@pytest.mark.long
def test_a_file_is_read_although_its_child_is_killed_meanwhile(reader: DocumentReader) -> None:
    child = reader.start()
    child.wait_until_ready()
    kill = threading.Timer(0.3, os.kill, (child.pid, signal.SIGKILL))
    kill.start()
    tokens = reader.read(b"x = f(1)\n" * 200_000, "python", 60).tokens
    kill.join()
    assert len(tokens) == 800_000
    assert reader.start().pid != child.pid
