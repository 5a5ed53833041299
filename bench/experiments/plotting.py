"""Figures as small PNG files."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import matplotlib as mpl
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from matplotlib.axes import Axes

WIDTH, HEIGHT, DPI = 4.6, 3.4, 100


@contextmanager
def plot(path: Path, columns: int = 1) -> Iterator[list[Axes]]:
    """Axes side by side, written to `path` at the end; two runs of one version write the same file."""
    with mpl.rc_context({"font.size": 8, "axes.grid": True, "grid.alpha": 0.3}):
        figure = Figure(figsize=(WIDTH * columns, HEIGHT), dpi=DPI, layout="constrained")
        yield list(figure.subplots(1, columns, squeeze=False)[0])
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Software": None})


def image(path: Path, title: str) -> str:
    """Markdown that shows the figure in a page of the folder above it."""
    return f"![{title}]({path.parent.name}/{path.name})"
