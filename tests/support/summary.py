"""Three lines at the end of a run: what was skipped and why, what was left out, and how long it took."""

import os
import time
from collections import Counter
from collections.abc import Iterable

import pytest

STARTED = time.time()
TARGETS = {"long": "make test-long", "hostile": "make test-hostile"}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for line in lines(
        terminalreporter.stats.get("skipped", []),
        str(config.option.markexpr),
        time.time() - float(os.environ.get("TESTS_STARTED", STARTED)),
    ):
        terminalreporter.write_line(line)


def lines(skipped: Iterable[pytest.TestReport], selection: str, seconds: float) -> list[str]:
    """Return what was skipped and why, what the selection leaves out, and the time from the start."""
    reasons = Counter(_reason(report) for report in skipped)
    names = [f"{target} runs the {mark} tests" for mark, target in TARGETS.items() if f"not {mark}" in selection]
    return [
        "Skipped: " + ("; ".join(f"{count} ({reason})" for reason, count in reasons.items()) or "none"),
        "Not selected: " + ("; ".join(names) or "none"),
        f"Time: {int(seconds) // 60} min {int(seconds) % 60} s",
    ]


def _reason(report: pytest.TestReport) -> str:
    assert isinstance(report.longrepr, tuple)
    return str(report.longrepr[2]).removeprefix("Skipped: ")
