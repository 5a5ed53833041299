import time
from contextlib import suppress

import pytest

from fingerprint.languages import front_end
from fingerprint.languages.token_rows import token_lines
from fingerprint.lextables.lexer import TooSlow, time_limit
from fingerprint.params import Params
from fingerprint.reading import Unreadable, identify, profile_of, read


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
    with pytest.raises(Unreadable, match=r"longer than 0\.05 s"):
        read(source, "a.py", seconds=0.05)


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
