"""What the flags of a pair say."""

import pytest
from django.template.loader import render_to_string

from submissions.models import Pair
from submissions.pairs.read import Flag
from tests.support.html import Page


@pytest.mark.parametrize(
    ("flag", "words"),
    [
        (Flag("identical"), "identical"),
        (Flag("layout"), "identical except layout and comments"),
        (Flag("names"), "identical except names"),
        (Flag("values"), "identical except names, values and types"),
        (Flag("team"), "same team"),
        (Flag("own", term="2024"), "the same student, 2024"),
        (Flag("model"), "model solution"),
        (Flag("partly", left=True, right=True), "both partly read"),
        (Flag("partly", left=True), "left partly read"),
        (Flag("partly", right=True), "right partly read"),
        (Flag("late", left=True, right=True), "both late"),
        (Flag("late", left=True), "left late"),
        (Flag("late", right=True), "right late"),
    ],
)
def test_a_flag_says_what_is_alike_and_of_which_side_it_is(flag: Flag, words: str) -> None:
    page = Page(render_to_string("submissions/pair/_flags.html", {"pair": Pair(), "flags": [flag]}))
    assert page.texts(f".flag.{flag.kind}") == page.texts(".flag") == [words]


def test_a_pair_across_languages_is_flagged_as_translated_beside_its_other_flags() -> None:
    context = {"pair": Pair(translated=True), "flags": [Flag("team")]}
    page = Page(render_to_string("submissions/pair/_flags.html", context))
    assert page.texts(".flag") == ["translated", "same team"]
