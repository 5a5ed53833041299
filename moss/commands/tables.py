"""Tables for a terminal: ranked pairs with the notes below them, and the preview of an upload."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from gettext import NullTranslations
from itertools import chain
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from submissions.intake.limits import format_size
from submissions.matches.ranked_pairs import NO_PASSAGE, PairRow, percent_text

if TYPE_CHECKING:
    from rich.table import Table

    from moss.check.inputs import SkippedInput
    from moss.check.rank import LocalReport
    from submissions.intake.preview import Preview, PreviewedSubmission, SkippedGroup

HEADINGS = ("#", "left", "right", "similarity", "left share", "right share", "tokens", "lines", "longest", "")
# Of the names, and of all columns that begin at the left.
NAMES, TEXTS = (1, 2), (1, 2, 9)
GAP, LEAST_NAME = "  ", 16
# Wide enough for two names of usual length and the figures; longer cells are cut off with an ellipsis.
WIDTH = 120

# Columns that a narrow terminal has no room for, the first one first: longest, lines, tokens, shares.
DROPPED, NOTES = (8, 7, 6, 5, 4), 9
# Files that were skipped for one reason and are named; more are counted.
NAMED = 3
# Warnings of a preview that are also written beside a ranking: of choices and the roster.
RANKING_WARNINGS = (
    "layout", "unknown-name", "no-time", "late", "unmatched", "roster", "roster-unknown", "roster-absent",
)  # fmt: skip

# The columns that are figures.
FIGURES = {"files", "size", "entries"}


def printable(name: str) -> str:
    """Replace the unprintable characters of a name: control codes and changes of the text direction."""
    if name.isprintable():
        return name
    return "".join(char if char.isprintable() else "\ufffd" for char in name)


def _share(share: float, without_common: float) -> str:
    """Return a share, and in parentheses without common code if that is another percentage."""
    both, without = percent_text(share), percent_text(without_common)
    return both if both == without else f"{both} ({without})"


def _counts(row: PairRow) -> tuple[str, str, str]:
    if row.mark == NO_PASSAGE:
        return ("-", "-", "-")
    if not row.tokens:
        return ("common code only" if row.left_share != 0 else "no passage", "", "")
    return (str(row.tokens), str(row.lines), str(row.longest))


def pairs_text(
    rows: Iterable[PairRow], notes: Mapping[tuple[str, str], str] | None = None, *, on_screen: bool = False
) -> Iterator[str]:
    """Yield the lines of a table: rank, names, similarity, both shares, tokens, lines, longest passage.

    Where common code changes a share, the share without it follows in parentheses, and a line says so.
    `notes` maps pairs of names to a note, which is written in a last column with the marks of pairs.
    No line is wider than a terminal `on_screen`, where columns are left out for that.
    """
    rows, notes = list(rows), notes or {}
    if not rows:
        yield "No two submissions share anything.\n"
        return
    widths = [0] * len(HEADINGS)
    for cells in chain([HEADINGS], _cells(rows, notes)):
        widths = list(map(max, widths, map(_columns, cells)))
    screen = get_terminal_size().columns
    widths = _fitted(_without_columns(widths, screen), screen) if on_screen else _fitted(widths, max(WIDTH, screen))
    for cells in chain([HEADINGS], _cells(rows, notes)):
        yield _line(cells, widths)
    if widths[DROPPED[-1]] and any(_share(row.left_share, row.left_without_common).endswith(")") for row in rows):
        yield "In parentheses: the share without common code.\n"
    if on_screen:
        yield "\n"


def _cells(rows: Iterable[PairRow], notes: Mapping[tuple[str, str], str]) -> Iterator[tuple[str, ...]]:
    for number, row in enumerate(rows, 1):
        yield (
            str(number),
            printable(row.left),
            printable(row.right),
            percent_text(row.similarity),
            _share(row.left_share, row.left_without_common),
            _share(row.right_share, row.right_without_common),
            *_counts(row),
            " ".join(filter(None, (row.mark, row.flag, notes.get((row.left, row.right), "")))),
        )


def _without_columns(widths: list[int], screen: int) -> list[int]:
    """Return the widths of the columns that a terminal has room for beside short names, 0 for the others."""
    spare = sum(max(widths[name] - LEAST_NAME, 0) for name in NAMES)
    for column in DROPPED:
        if _total(widths) - spare > screen:
            widths[column] = 0
    widths[NOTES] -= min(max(_total(widths) - spare - screen, 0), widths[NOTES])
    return widths


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (sum(map(bool, widths)) - 1)


def _fitted(widths: list[int], screen: int) -> list[int]:
    """Return the widths of columns in a terminal; the names get what the other columns leave."""
    space = screen - _total(widths)
    if space < 0:
        both = max(space + sum(widths[name] for name in NAMES), 2 * LEAST_NAME)
        longest = max(both // 2, both - min(widths[name] for name in NAMES))
        for name in NAMES:
            widths[name] = min(widths[name], longest)
    return widths


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (
        _padded(cell, width, is_text=number in TEXTS)
        for number, (cell, width) in enumerate(zip(cells, widths, strict=True))
        if width
    )
    return GAP.join(padded).rstrip() + "\n"


def _columns(cell: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if cell.isascii():
        return len(cell)
    from rich.cells import cell_len

    return cell_len(cell)


def _padded(cell: str, width: int, *, is_text: bool) -> str:
    spaces = width - _columns(cell)
    if spaces < 0:
        from rich.cells import set_cell_size

        return f"{set_cell_size(cell, width - 1)}\u2026"
    return f"{cell}{' ' * spaces}" if is_text else f"{' ' * spaces}{cell}"


def notes(report: LocalReport, unlisted: str, *, every_name: bool) -> Iterator[str]:
    """Yield what is not listed, how the path was read, and what is to be known of it."""
    from moss.check.outputs import shared_places, shared_sentence
    from submissions.intake.warnings import languages_read, reading_warnings

    files, count = report.read_files, report.class_size
    if unlisted:
        yield unlisted
    yield f"Read as {report.all_inputs.layout}: {count} submission{'' if count == 1 else 's'}."
    if files:
        yield f"Languages of the files: {languages_read(file.language for file in files)}."
    yield from _skipped_lines(report, every_name=every_name)
    grouped = (warning for warning in report.all_inputs.warnings if warning.kind in RANKING_WARNINGS)
    yield from (warning.text for warning in (*grouped, *reading_warnings(files)))
    yield from _other_work(report)
    if shared := shared_sentence(report):
        places = [*map(str, shared_places(report))]
        more = [f"and {len(places) - NAMED} more"] if len(places) > NAMED else []
        yield f"{shared}. See {'; '.join([*places[:NAMED], *more])}."
    if mates := report.pairs_of_mates:
        yield f"Pairs not compared because they have one student or team: {mates:,}."


def fitting(lines: Iterable[str], above: Iterable[str]) -> Iterator[str]:
    """Yield the lines that fit in a terminal below those `above` and a prompt, and how many do not."""
    columns, rows = get_terminal_size()
    space = rows - 1 - sum(_rows(line, columns) for line in above)
    lines = list(map(printable, lines))
    for number, line in enumerate(lines):
        space -= _rows(line, columns)
        if space < (number < len(lines) - 1):
            yield f"({len(lines) - number} more notes: -v.)"
            return
        yield line


def _rows(line: str, columns: int) -> int:
    """Return how many rows of a terminal a line takes."""
    return max(-(-_columns(line.rstrip("\n")) // columns), 1) if line else 0


def _other_work(report: LocalReport) -> Iterator[str]:
    """Yield how much was compared that is not of the class, and how similar pairs of earlier classes are."""
    from moss.check.rank import earlier_classes

    if earlier := report.all_inputs.earlier:
        yield (
            f"Earlier work: {earlier} submission{'' if earlier == 1 else 's'}, compared with these and not "
            "with each other."
        )
        if classes := earlier_classes(report):
            yield classes.sentence(NullTranslations())
    if solutions := report.all_inputs.solutions:
        yield f"Model solutions: {solutions}, compared with the class only, and counted nowhere."


def _skipped_lines(report: LocalReport, *, every_name: bool) -> Iterator[str]:
    """Yield what was not compared and why; without `every_name` many files with one reason take one line.

    Reasons are one if they differ only in brackets, such as `(at offset 4)`.
    """
    kinds: dict[tuple[str, str], list[SkippedInput]] = {}
    for skipped in report.skipped:
        noun = "folders" if skipped.name.endswith("/") else "files"
        kinds.setdefault((noun, skipped.reason.partition(" (")[0]), []).append(skipped)
    for (noun, reason), entries in kinds.items():
        if len(entries) > NAMED and not every_name:
            yield f"skipped {len(entries):,} {noun}, such as {entries[0].name}: {reason}"
        else:
            yield from (f"skipped {entry.name}: {entry.reason}" for entry in entries)
    if not every_name and any(len(entries) > NAMED for entries in kinds.values()):
        yield "(-v names each of them.)"


def preview_text(preview: Preview) -> str:
    """Return the summary, the layouts, the submissions, what does not count, and the warnings.

    Examples that do not fit beside their reason go on in the next line.
    """
    from rich.console import Console

    output = io.StringIO()
    width = max(WIDTH, get_terminal_size().columns)
    console = Console(file=output, width=width, highlight=False, markup=False, emoji=False)
    for part in _parts(preview):
        console.print(part)
    return "".join(f"{line.rstrip()}\n" for line in output.getvalue().splitlines())


def _parts(preview: Preview) -> Iterator[str | Table]:
    yield preview.summary + "."
    yield _layouts(preview)
    if preview.languages:
        yield f"Languages of the files: {preview.languages}."
    yield ""
    rows = [_submission_row(one) for one in preview.submissions]
    yield _table("submission", ("id", "files", "size", "attempt", "handed in"), rows)
    groups = (*preview.ignored, *preview.left_out, *preview.refused)
    if groups:
        yield ""
        table = _table("does not count", ("entries", "size", "such as"), [_skipped_row(one) for one in groups])
        table.columns[-1].no_wrap = False
        yield table
    if preview.warnings:
        yield "\nPlease check:"
    for warning in preview.warnings:
        yield f"- {printable(warning.text)}"


def _layouts(preview: Preview) -> str:
    used, runner_up = preview.grouping.layout, preview.runner_up
    text = f"The layout is {used.label} (--layout {used.key}, fits {preview.score:.0%})."
    if runner_up:
        other = runner_up.layout
        text += f" Next: {other.label} (--layout {other.key}, fits {runner_up.score:.0%})."
    return text


def _table(first: str, others: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, heading in enumerate((first, *others)):
        figures = heading in FIGURES
        width = max(map(len, (heading, *(row[number] for row in rows)))) if figures else None
        table.add_column(heading, justify="right" if figures else "left", min_width=width, no_wrap=True)
    for row in rows:
        table.add_row(*map(printable, row))
    return table


def local_time(time: datetime) -> str:
    """Return a time of this machine's zone with its offset from UTC: `2026-03-31 23:59+02:00`."""
    return time.astimezone().isoformat(sep=" ", timespec="minutes")


def _submission_row(submission: PreviewedSubmission) -> tuple[str, ...]:
    grouped = submission.grouped
    attempt = f"{grouped.attempt} of {grouped.attempts}" if grouped.attempts > 1 else ""
    time = local_time(grouped.submitted) if grouped.submitted else ""
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
