"""The preview of an upload as tables for a terminal."""

from __future__ import annotations

import io
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from moss.commands.table import WIDTH, printable
from submissions.intake.limits import format_size

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from submissions.intake.preview import Preview, PreviewedSubmission, SkippedGroup

# The columns that are figures.
FIGURES = {"files", "size", "entries"}


def preview_text(preview: Preview) -> str:
    """Return the summary, the layouts, the submissions, what does not count, and the warnings.

    Examples that do not fit beside their reason go on in the next line.
    """
    output = io.StringIO()
    console = Console(file=output, width=max(WIDTH, get_terminal_size().columns), highlight=False)
    for part in _parts(preview):
        console.print(part)
    return "".join(f"{line.rstrip()}\n" for line in output.getvalue().splitlines())


def _parts(preview: Preview) -> Iterator[Text | Table]:
    yield Text(preview.summary + ".")
    yield Text(_layouts(preview))
    if preview.languages:
        yield Text(f"Languages of the files: {preview.languages}.")
    yield Text()
    rows = [_submission_row(one) for one in preview.submissions]
    yield _table("submission", ("id", "files", "size", "attempt", "handed in"), rows)
    groups = (*preview.ignored, *preview.left_out, *preview.refused)
    if groups:
        yield Text()
        table = _table(
            "does not count", ("entries", "size", "such as"), [_skipped_row(one) for one in groups]
        )
        table.columns[-1].no_wrap = False
        yield table
    if preview.warnings:
        yield Text("\nPlease check:")
    for warning in preview.warnings:
        yield Text(f"- {printable(warning.text)}")


def _layouts(preview: Preview) -> str:
    used, runner_up = preview.grouping.layout, preview.runner_up
    text = f"The layout is {used.label} (--layout {used.key}, fits {preview.score:.0%})."
    if runner_up:
        other = runner_up.layout
        text += f" Next: {other.label} (--layout {other.key}, fits {runner_up.score:.0%})."
    return text


def _table(first: str, others: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, heading in enumerate((first, *others)):
        figures = heading in FIGURES
        width = max(map(len, (heading, *(row[number] for row in rows)))) if figures else None
        table.add_column(heading, justify="right" if figures else "left", min_width=width, no_wrap=True)
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    return table


def _submission_row(submission: PreviewedSubmission) -> tuple[str, ...]:
    grouped = submission.grouped
    attempt = f"{grouped.attempt} of {grouped.attempts}" if grouped.attempts > 1 else ""
    time = f"{grouped.submitted:%Y-%m-%d %H:%M}" if grouped.submitted else ""
    return (
        submission.name,
        grouped.identifier,
        f"{submission.files:,}",
        format_size(submission.size),
        attempt,
        f"{time} (late)" if grouped.late else time,
    )


def _skipped_row(group: SkippedGroup) -> tuple[str, ...]:
    examples = ", ".join(group.examples) + (", ..." if group.entries > len(group.examples) else "")
    return group.reason, f"{group.entries:,}", format_size(group.size), examples
