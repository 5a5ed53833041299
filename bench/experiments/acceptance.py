"""The filter P(6,14,2): the formula against a simulation (near-duplicate-features, Figures 1 and 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench.experiments.plotting import image, plot
from bench.tables import markdown
from fingerprint.sketches.minwise import Filter, acceptance, features, shared_features

if TYPE_CHECKING:
    from pathlib import Path

FILTER = Filter(6, 14, 2)
UNION = 200  # number of values in the union of two sets
RESEMBLANCES = (0.5, 0.6, 0.65, 0.7, 0.74, 0.77, 0.8, 0.83, 0.86, 0.89, 0.91, 0.93, 0.95, 0.975, 0.99)
PAPER = {0.5: "< 0.00000006", 0.77: "< 0.01", 0.91: "0.5 at 0.909", 0.975: "> 0.99", 0.99: "> 0.99978"}


class AcceptanceTrials(NamedTuple):
    """Trials at one resemblance, and how many of them the filter accepted."""

    resemblance: float
    accepted: int
    trials: int

    @property
    def share(self) -> float:
        return self.accepted / self.trials

    @property
    def error(self) -> float:
        """Three standard errors of the share that the formula predicts."""
        expected = acceptance(self.resemblance, *FILTER)
        return float(3 * np.sqrt(expected * (1 - expected) / self.trials))


def trial(resemblance: float, seed: int) -> bool:
    """Return whether two random sets of this resemblance share enough features to be accepted."""
    values = np.random.default_rng(seed).integers(0, 2**64, UNION, dtype=np.uint64)
    different = round((1 - resemblance) * UNION)
    left, right = values[: UNION - different // 2], values[(different + 1) // 2 :]
    first, second = (features(side, FILTER.k, FILTER.s, seed) for side in (left, right))
    return shared_features(first, second) >= FILTER.r


def measure(trials: int) -> list[AcceptanceTrials]:
    """Run trials at each resemblance; each trial has its own random sets and permutations."""
    points = []
    for number, rho in enumerate(RESEMBLANCES):
        seeds = range(number * trials, (number + 1) * trials)
        points.append(AcceptanceTrials(rho, sum(trial(rho, seed) for seed in seeds), trials))
    return points


def _draw(points: list[AcceptanceTrials], path: Path) -> None:
    rho = np.linspace(0.3, 1, 500)
    curve = acceptance(rho, *FILTER)
    positive = [point for point in points if point.accepted]
    with plot(path, 2) as both:
        for axes, scale in zip(both, ("linear", "log"), strict=True):
            axes.plot(rho, curve, label="P(6,14,2)")
            plotted = positive if scale == "log" else points
            axes.errorbar(
                [point.resemblance for point in plotted],
                [point.share for point in plotted],
                yerr=[point.error for point in plotted],
                fmt=".",
                label=f"{points[0].trials:,} pairs of sets, 3 standard errors",
            )
            axes.set(xlabel="resemblance", ylabel="accepted", yscale=scale)
            axes.legend()
        both[1].set_ylim(float(curve[0]), 2)


def section(points: list[AcceptanceTrials], path: Path) -> str:
    """Draw the figure to `path` and return the section of the report, as Markdown."""
    _draw(points, path)
    rows = [
        [
            f"{point.resemblance:.3f}",
            f"{acceptance(point.resemblance, *FILTER):.8f}",
            PAPER[point.resemblance],
            f"{point.share:.4f}",
            f"{point.error:.4f}",
        ]
        for point in points
        if point.resemblance in PAPER
    ]
    outside = sum(
        abs(point.share - acceptance(point.resemblance, *FILTER)) > max(point.error, 1 / point.trials)
        for point in points
    )
    header = ["resemblance", "P(6,14,2)", "paper", "measured", "3 standard errors"]
    return f"""## P(6,14,2) on both scales (near-duplicate-features, Figures 1 and 2)

{image(path, "P(6,14,2), linear and logarithmic")}

{markdown(header, rows)}

{outside} of {len(points)} measured points are more than 3 standard errors away from the curve. The paper says
that less than 0.01 of the pairs at 97.5% are missed. This is a rounded value of 1 - P(0.975) =
{1 - acceptance(0.975, *FILTER):.4f}.
"""
