"""The colours of passages, told apart by everybody and readable on everything that they stand on."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from submissions.pages.source_view.highlight import COLOURS

CSS = Path(__file__).resolve().parent.parent / "submissions" / "static" / "submissions" / "moss.css"
# What each deficiency makes of linear RGB: Machado, Oliveira and Fernandes 2009, severity 1.
SEEN = {
    "normal": np.eye(3),
    "protan": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deutan": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritan": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1.0, 1.089])
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


def linear(colour: str) -> np.ndarray:
    channels = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Contrast ratio of the WCAG."""
    low, high = sorted(float(TO_XYZ[1] @ linear(colour)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(rgb: np.ndarray) -> np.ndarray:
    x, y, z = np.cbrt(np.clip(TO_XYZ @ np.clip(rgb, 0, 1) / WHITE, 0.008856, None))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("sight", SEEN)
def test_any_two_passages_differ_to_every_eye(scheme: str, sight: str) -> None:
    seen = [lab(SEEN[sight] @ linear(SCHEMES[scheme][f"p{n + 1}"])) for n in range(COLOURS)]
    nearest = min(float(np.linalg.norm(one - other)) for one, other in combinations(seen, 2))
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
