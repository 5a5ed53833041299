"""Files that are read together have the readings that each has alone."""

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings as examples, strategies as st

from fingerprint.languages.language_table import LANGUAGES
from fingerprint.reading import Reading, Unreadable, read, read_together
from tests.fingerprint.languages.test_every_language import program

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
