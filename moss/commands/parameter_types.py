"""Types of the parameters of commands: paths, dates, percentages and names of layouts."""

from __future__ import annotations

import os
from datetime import datetime, time, timedelta
from pathlib import Path

import click


class InputPath(click.Path):
    """A regular file or a folder. Pipes and devices are refused: reading one could block for ever."""

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> Path:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if not path.is_file() and not path.is_dir():
            self.fail(f"{click.format_filename(path)!r} is neither a regular file nor a folder.", param, ctx)
        return path


class LayoutKey(click.ParamType[str]):
    """The key of a layout, or `auto`, which becomes an empty string."""

    name = "layout"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from submissions.intake.layouts.registry import LAYOUTS

        if value and value != "auto" and value not in LAYOUTS:
            keys = ", ".join(LAYOUTS)
            self.fail(f"there is no layout {value!r}; choose auto or one of: {keys}.", param, ctx)
        return "" if value == "auto" else value


class DueDate(click.ParamType[datetime]):
    """A date, of which the whole day counts, or a time; without a zone it is of this machine's zone."""

    name = "date"

    def convert(
        self, value: str | datetime, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        if isinstance(value, datetime):
            return value
        try:
            due = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is no date; write it as 2026-03-31 or 2026-03-31T23:59.", param, ctx)
        if len(value) <= len("2026-03-31") and due.time() == time.min:
            due += timedelta(days=1, microseconds=-1)
        return due if due.tzinfo else due.astimezone()


class Renaming(click.ParamType[tuple[str, str]]):
    """Two names with an equals sign between them."""

    name = "renaming"

    def convert(
        self, value: str | tuple[str, str], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        old, equals, new = value.partition("=")
        if not equals:
            self.fail(f"{value!r} has no equals sign; write OLD=NEW.", param, ctx)
        return old.strip(), new.strip()


class OutputPath(click.Path):
    """A file to write. A path that cannot be created is refused before the ranking starts."""

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> Path:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        folder = click.format_filename(path.parent)
        # The methods of pathlib raise an error for a path in a folder that may not be searched.
        if not os.path.isdir(path.parent):  # noqa: PTH112
            self.fail(f"there is no folder {folder!r} that can be read.", param, ctx)
        if not os.path.exists(path) and not os.access(path.parent, os.W_OK | os.X_OK):  # noqa: PTH110
            self.fail(f"the folder {folder!r} is not writable.", param, ctx)
        return path


class NumberOrPercentage(click.ParamType[float]):
    """A number of submissions from 1 on, or a percentage of them, which becomes a part below 1."""

    name = "number"

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        digits, percentage = str(value).removesuffix("%"), str(value).endswith("%")
        highest = 99 if percentage else None
        if not digits.isdecimal() or int(digits) < 1 or (highest and int(digits) > highest):
            self.fail(f"{value!r} is neither a number from 1 on nor a percentage from 1% to 99%.", param, ctx)
        return int(digits) / 100 if percentage else float(digits)
