"""Reading of files, alone and together, and digests of documents that differ in layout or names only."""

import dataclasses
import os
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings as examples, strategies as st

from fingerprint.kernels import usable_cores
from fingerprint.languages import front_end
from fingerprint.languages.language_table import LANGUAGES
from fingerprint.languages.token_rows import token_lines
from fingerprint.lextables.deadline import TooSlow, time_limit
from fingerprint.reading import Reading, Unreadable, identify, profile_of, read, read_together
from fingerprint.winnowing import Params
from tests.fingerprint.languages.test_every_language import program


def test_a_file_is_read_in_the_language_of_its_name() -> None:
    assert read(b"x = 1\n", "a.py").language == "python"
    assert read(b"class A { }\n", "A.java").language == "java"


def test_a_language_can_be_forced_on_any_name() -> None:
    assert read(b"x = 1\n", "a.txt", "python").language == "python"


def test_an_unknown_language_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="klingon"):
        identify(b"x = 1\n", "a.py", "klingon")


def test_a_binary_is_unreadable() -> None:
    with pytest.raises(Unreadable):
        read(bytes(range(256)) * 20, "a.py")


def test_a_broken_notebook_is_unreadable() -> None:
    with pytest.raises(Unreadable):
        read(b'{"cells": [', "a.ipynb")


def test_a_file_that_takes_too_long_is_cut_off_with_the_limit_in_the_message() -> None:
    source = b"x = [" + b"1, " * 400_000 + b"]\n"
    with pytest.raises(Unreadable, match=r"longer than 0\.005 s"):
        read(source, "a.py", seconds=0.005)


def test_the_time_limit_ends_with_its_block() -> None:
    with time_limit(0.05):
        pass
    time.sleep(0.1)


def test_the_time_limit_cannot_be_swallowed_by_an_except_in_the_body() -> None:
    def swallow_errors() -> None:
        while True:
            with suppress(Exception):  # as a careless lexer may do
                time.sleep(1)

    with pytest.raises(TooSlow), time_limit(0.05):
        swallow_errors()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_count_from_one_with_any_line_end(end: str) -> None:
    text = end.join(["a = 1", "", "b = 2"])
    reading = read(text.encode(), "a.py")
    assert reading.lines.tolist() == token_lines(reading.text, reading.tokens).tolist() == [1, 1, 1, 3, 3, 3]


def test_a_profile_names_everything_that_fingerprints_depend_on() -> None:
    used_front_end = front_end(read(b"x = 1\n", "a.py").language)
    assert profile_of(used_front_end, Params(k=9, window=4)).key == f"python.{used_front_end.version}-k9w4-e1"


@pytest.mark.parametrize(("k", "window"), [(0, 4), (9, 0)])
def test_k_and_window_below_one_are_refused(k: int, window: int) -> None:
    with pytest.raises(ValueError, match="is 0; a"):
        Params(k, window)


def test_the_guarantee_threshold_is_window_plus_k_less_one() -> None:
    assert Params(k=9, window=4).guarantee == 12


# There is a row for each of fifty languages.
FEWER = examples(max_examples=max(5, examples().max_examples // 10))


# What students' files end in, lack, or hold by mistake.
CHANGES = (
    lambda text: text,
    lambda text: text.rstrip("\n"),
    lambda text: text.replace("\n", "\r\n"),
    lambda text: text.replace("\n", " \t\n"),
    lambda text: text.replace("\n", "\r", 2),
    lambda text: text + '"',
    lambda text: "'" + text,
    lambda text: text + "/* never ends\n",
    lambda text: text.replace("(", "\U0001d538é(", 3),
    lambda text: "\ufeff" + text,
    lambda text: text[: len(text) // 3],
    lambda _: "",
    lambda text: text * 4,
)


def alone(file: tuple[bytes, str], language: str, **wanted: bool) -> Reading | Unreadable:
    data, name = file
    try:
        return read(data, name, language, **wanted)
    except Unreadable as error:
        return error


def plain(value: Any) -> Any:
    """Return a reading as lists, which can be compared."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.tolist()
    if isinstance(value, tuple):
        return [plain(one) for one in value]
    if dataclasses.is_dataclass(value):
        return [plain(getattr(value, field.name)) for field in dataclasses.fields(value)]
    return str(value) if isinstance(value, Unreadable) else value


def assert_same(files: list[tuple[bytes, str]], language: str, **wanted: bool) -> None:
    together = read_together(files, language, **wanted)
    assert list(map(plain, together)) == [plain(alone(file, language, **wanted)) for file in files]


@pytest.mark.slow
@pytest.mark.parametrize("name", [row.name for row in LANGUAGES])
@FEWER
@given(data=st.data())
def test_files_read_together_have_the_readings_that_each_has_alone(name: str, data: st.DataObject) -> None:
    text = program(name)
    half = text.rindex("\n", 0, len(text) // 2) + 1
    texts = st.tuples(st.sampled_from((text, text[:half], text[half:])), st.sampled_from(CHANGES))
    drawn = data.draw(st.lists(texts, min_size=2, max_size=5))
    files = [(change(part).encode(), "program") for part, change in drawn]
    kinds = ("coarse", "spans", "spelling", "words")
    assert_same(files, name, **{kind: data.draw(st.booleans()) for kind in kinds})


def test_a_file_that_is_no_text_says_so_and_the_others_are_read() -> None:
    files = [(b"x = 1\n", "a.py"), (b"\x89PNG" + b"\0" * 50, "b.py"), (b"y = [2]\n" * 99, "c.py")]
    first, second, third = read_together(files, "python")
    assert isinstance(first, Reading)
    assert "PNG" in str(second)
    assert isinstance(third, Reading)
    assert third.lines.tolist()[-1] == 99
    assert_same([files[1]] * 2, "python")


def test_the_time_limit_is_for_all_of_them() -> None:
    with pytest.raises(Unreadable, match=r"reading it as java took longer than 0\.001 s"):
        read_together([(b"int a = 1;\n" * 20_000, "A.java")] * 9, "java", 0.001)


PROGRAM = "from fingerprint.kernels import usable_cores; print(usable_cores())"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no affinity of processes")
def test_a_process_that_is_limited_to_one_core_uses_one() -> None:
    one = min(os.sched_getaffinity(0))
    command = f"import os; os.sched_setaffinity(0, [{one}]); {PROGRAM}"
    assert int(subprocess.check_output([sys.executable, "-c", command])) == 1


def test_there_is_at_least_one_core_and_no_more_than_the_machine_has() -> None:
    assert 1 <= usable_cores() <= (os.cpu_count() or 1)
