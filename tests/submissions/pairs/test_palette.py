"""The colours of passages: distinct with every colour vision, and readable on every background."""

import re
from itertools import combinations

import pytest
from coloraide import Color

from submissions.matches.source_html import COLOURS
from tests.support.paths import ROOT

STATIC = ROOT / "submissions" / "static" / "submissions"
VISIONS = ("normal", "protan", "deutan", "tritan")
TEXT_COLOURS = (
    "ink",
    "soft",
    "bad",
    *(f"c-{sort}" for sort in ("comment", "keyword", "string", "number", "name")),
)


def schemes() -> dict[str, dict[str, str]]:
    light, dark = ((STATIC / name).read_text().split("/* Ground */")[0] for name in ("moss.css", "dark.css"))
    variables = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", part)) for part in (light, dark)]
    return {"light": variables[0], "dark": variables[0] | variables[1]}


SCHEMES = schemes()


def contrast(colour: str, background: str) -> float:
    """Return the contrast ratio of the WCAG."""
    return Color(colour).contrast(background, method="wcag21")


def seen_colour(colour: str, vision: str) -> Color:
    """Return a colour as somebody with this colour vision sees it."""
    return Color(colour) if vision == "normal" else Color(colour).filter(vision, method="machado")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("vision", VISIONS)
def test_any_two_passages_differ_to_every_eye(scheme: str, vision: str) -> None:
    colours = [seen_colour(SCHEMES[scheme][f"p{n + 1}"], vision) for n in range(COLOURS)]
    smallest = min(first.delta_e(second, method="76") for first, second in combinations(colours, 2))
    assert smallest > 12, smallest  # 2.3 is just noticeable


@pytest.mark.parametrize("scheme", SCHEMES)
def test_code_can_be_read_on_every_passage(scheme: str) -> None:
    colours = SCHEMES[scheme]
    for number in range(1, COLOURS + 1):
        for name in (*TEXT_COLOURS, "c-ignored"):
            assert contrast(colours[name], colours[f"t{number}"]) >= 4.5, (name, number)
            assert contrast(colours[name], colours[f"g{number}"]) >= 4.5, (name, number)
    assert contrast(colours["ink"], colours["common"]) >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_passages_number_and_edge_stand_out(scheme: str) -> None:
    colours = SCHEMES[scheme]
    for number in range(1, COLOURS + 1):
        assert contrast(colours["on-p"], colours[f"p{number}"]) >= 4.5
        for background in ("card", "page", f"t{number}"):
            assert contrast(colours[f"p{number}"], colours[background]) >= 3
