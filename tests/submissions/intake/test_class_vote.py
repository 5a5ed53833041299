"""The files of a class that are certainly in one language decide about those that leave doubt."""

from collections.abc import Iterable, Sequence

import pytest

from fingerprint.languages import detect
from submissions.intake.file_languages import settled_languages

PROLOG = ":- use_module(library(lists)).\nparent(tom, bob).\n"
PERL = "use strict;\nmy $n = 3;\n"
# Neither Prolog nor Perl shows here; without more it is taken for Perl.
DOUBTFUL = "% to do\n"
RUNS = [("run.py", "x = 1\n")] * 3
MATLAB = "function y = f(x)\nend\n"
OBJECTIVE_C = "@interface A\n@end\n"


def settled(files: Sequence[tuple[str, str]]) -> list[str]:
    def again(numbers: Sequence[int], likely: str) -> Iterable[str]:
        return [detect(*files[number], likely) for number in numbers]

    return settled_languages([name for name, _ in files], [detect(*one) for one in files], again)


@pytest.mark.parametrize(
    ("files", "languages"),
    [
        # One certain file decides about three that only seem to be Perl.
        ([("a.pl", PROLOG), *[("b.pl", DOUBTFUL)] * 3], ["prolog"] * 4),
        ([("a.pl", PERL), *[("b.pl", DOUBTFUL)] * 3], ["perl"] * 4),
        # The certain ones keep their language whatever the others are in.
        ([("a.pl", PROLOG), *[("b.pl", PERL)] * 3], ["prolog", *["perl"] * 3]),
        ([*[("a.pl", PROLOG)] * 2, ("b.pl", PERL), ("c.pl", DOUBTFUL)], ["prolog"] * 2 + ["perl", "prolog"]),
        # A name that is certain decides, but only where the doubtful name may mean its language.
        ([("a.cpp", "int x;\n"), *[("b.h", "int y;\n")] * 3], ["cpp"] * 4),
        ([("a.c", "int x;\n"), *[("b.h", "int y;\n")] * 3], ["c"] * 4),
        ([*RUNS, ("a.pl", PROLOG), ("b.pl", DOUBTFUL)], ["python", "python", "python", "prolog", "prolog"]),
        ([*RUNS, ("a.m", OBJECTIVE_C), ("b.m", "\n")], ["python"] * 3 + ["objective-c"] * 2),
        ([("a.m", MATLAB), ("b.m", "x\n"), ("c.m", "\n")], ["matlab"] * 3),
        # Texts are no programs, and a class without any decides nothing.
        ([("a.txt", "Dear all,\n"), ("b.pl", DOUBTFUL)], ["text", "perl"]),
        ([], []),
    ],
)  # fmt: skip
def test_certain_files_decide_about_doubtful_ones(files: list[tuple[str, str]], languages: list[str]) -> None:
    assert settled(files) == languages


@pytest.mark.parametrize("order", range(4))
def test_the_order_of_the_files_makes_no_difference(order: int) -> None:
    files = [("a.pl", PROLOG), *[("b.pl", DOUBTFUL)] * 3]
    assert settled(files[order:] + files[:order]) == ["prolog"] * 4
