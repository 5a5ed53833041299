"""Figures, written as small PNG files."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from matplotlib.axes import Axes

WIDTH, HEIGHT, DPI = 4.6, 3.4, 100


@contextmanager
def plot(path: Path, columns: int = 1) -> Iterator[list[Axes]]:
    """Yield `columns` axes side by side, and write the figure to `path` at the end of the block.

    The same data and version of matplotlib give the same file, because it has no metadata.
    """
    import matplotlib as mpl  # noqa: PLC0415 - it takes long to load, and the figures of a test need none
    from matplotlib.figure import Figure  # noqa: PLC0415

    with mpl.rc_context({"font.size": 8, "axes.grid": True, "grid.alpha": 0.3}):
        figure = Figure(figsize=(WIDTH * columns, HEIGHT), dpi=DPI, layout="constrained")
        yield list(figure.subplots(1, columns, squeeze=False)[0])
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Software": None})


def image(path: Path, title: str) -> str:
    """Return Markdown that shows the figure, for a page in the parent of the figure's folder."""
    return f"![{title}]({path.parent.name}/{path.name})"
