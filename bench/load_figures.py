"""The figures of `bench.load` as Markdown, and their section in a document."""

from __future__ import annotations

import os
import re
import time
from itertools import chain
from statistics import quantiles
from typing import TYPE_CHECKING

from bench.load_readers import LINK
from bench.tables import markdown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bench.load_readers import Step
    from bench.load_site import Run, Sizes

BEGIN, END = "<!-- written by python -m bench.load -->", "<!-- end of what bench.load writes -->"
HEADER = ("page", "requests", "errors", "p50, ms", "p95, ms", "p99, ms", "kB")


def section(runs: Sequence[Run], sizes: Sizes, seconds: float, think: float) -> str:
    """Return the figures of all runs."""
    intro = (
        f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores that also run the {sizes.readers} readers "
        f"(load average {os.getloadavg()[0]:.1f} at the end), two web processes, two workers; a class of "
        f"{sizes.submissions} Java programs. Every reader is signed in and walks the report, its sorted and "
        f"filtered lists, pairs and submissions, with {think:g} s on each page; one step in a hundred is a "
        f"decision. The last run took {seconds:.0f} s."
    )
    return "\n\n".join([intro, *map(_run_section, runs)])


def write_section(path: Path, text: str) -> None:
    """Replace the section between the marks in a document, or add it at the end."""
    block = f"{BEGIN}\n\n{text}\n\n{END}\n"
    before = path.read_text() if path.exists() else ""
    marked = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}\n?", re.DOTALL)
    if marked.search(before):
        path.write_text(marked.sub(lambda _: block, before))
    else:
        path.write_text(f"{before.rstrip()}\n\n## Figures\n\n{block}")


def _run_section(run: Run) -> str:
    rows = [_row(kind, steps) for kind, steps in sorted(run.steps.items())]
    read = [steps for kind, steps in run.steps.items() if "upload" not in kind and not kind.startswith(LINK)]
    by_link = [steps for kind, steps in run.steps.items() if kind.startswith(LINK)]
    if by_link:
        rows.append(_row("all pages by the link", list(chain.from_iterable(by_link))))
    everything = list(chain.from_iterable(read))
    rows.append(_row("all pages of who is signed in" if by_link else "all pages", everything))
    rate = f"{len(everything) / run.seconds:.0f} pages a second"
    if run.processor:
        rate += f", {run.processor / max(len(everything), 1) * 1_000:.0f} ms of processor time each"
    return f"**{run.title[0].upper()}{run.title[1:]}** ({rate}).{_memory(run)}\n\n{markdown(HEADER, rows)}"


def _row(kind: str, steps: Sequence[Step]) -> tuple[str, ...]:
    errors = [step.error for step in steps if step.error]
    milliseconds = sorted(step.seconds * 1_000 for step in steps)
    points = quantiles(milliseconds, n=100, method="inclusive") if len(steps) > 1 else milliseconds * 99
    sizes = sorted(step.size for step in steps)
    figures = [f"{points[percent - 1]:,.0f}" for percent in (50, 95, 99)]
    seen = f"{len(errors)} ({', '.join(sorted(set(errors)))})" if errors else "0"
    return (kind, f"{len(steps):,}", seen, *figures, f"{sizes[len(sizes) // 2] / 1_000:,.0f}")


def _memory(run: Run) -> str:
    if not run.memory:
        return ""
    quarters = [run.memory[len(run.memory) * part // 4] for part in range(4)]
    over_time = ", ".join(f"{size:.0f}" for size in (*quarters, run.memory[-1]))
    return f" Memory of the web processes in MB, over the run: {over_time}; at most {max(run.memory):.0f}."
