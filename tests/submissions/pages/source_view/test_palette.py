"""The colours of passages, told apart by everybody and readable on everything that they stand on."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from coloraide import Color

from submissions.pages.source_view.render import COLOURS
from tests.support.paths import ROOT

CSS = ROOT / "submissions" / "static" / "submissions" / "moss.css"
SIGHTS = ("normal", "protan", "deutan", "tritan")
WRITTEN = (
    "ink",
    "soft",
    "bad",
    *(f"c-{sort}" for sort in ("comment", "keyword", "string", "number", "name")),
)


def schemes() -> dict[str, dict[str, str]]:
    light, dark = CSS.read_text().split("/* Ground */")[0].split("(prefers-color-scheme: dark)")
    found = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", part)) for part in (light, dark)]
    return {"light": found[0], "dark": found[0] | found[1]}


SCHEMES = schemes()


def contrast(one: str, other: str) -> float:
    """Contrast ratio of the WCAG."""
    return Color(one).contrast(other, method="wcag21")


def seen(colour: str, sight: str) -> Color:
    """Return a colour as somebody with this sight sees it."""
    return Color(colour) if sight == "normal" else Color(colour).filter(sight, method="machado")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("sight", SIGHTS)
def test_any_two_passages_differ_to_every_eye(scheme: str, sight: str) -> None:
    colours = [seen(SCHEMES[scheme][f"p{n + 1}"], sight) for n in range(COLOURS)]
    nearest = min(one.delta_e(other, method="76") for one, other in combinations(colours, 2))
    assert nearest > 12, nearest  # 2.3 is just noticeable


@pytest.mark.parametrize("scheme", SCHEMES)
def test_code_can_be_read_on_every_passage(scheme: str) -> None:
    colours = SCHEMES[scheme]
    for number in range(1, COLOURS + 1):
        for written in (*WRITTEN, "c-ignored"):
            assert contrast(colours[written], colours[f"t{number}"]) >= 4.5, (written, number)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_passages_number_and_edge_stand_out(scheme: str) -> None:
    colours = SCHEMES[scheme]
    for number in range(1, COLOURS + 1):
        assert contrast(colours["on-p"], colours[f"p{number}"]) >= 4.5
        for ground in ("card", "page", f"t{number}"):
            assert contrast(colours[ground], colours[f"p{number}"]) >= 3
