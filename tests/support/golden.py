"""Expected results that a person reads: compared as they are, rewritten by `pytest --update-goldens`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Golden = Callable[[Path, str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens",
        action="store_true",
        help="write what the code gives now; read the diff before committing it",
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compare a text with the file that holds what it should be."""

    def compare(path: Path, actual: str) -> None:
        if request.config.getoption("--update-goldens"):
            path.write_text(actual, encoding="utf-8")
        assert path.exists(), f"{path.name} is missing: run pytest --update-goldens and read what it writes"
        assert actual == path.read_text(encoding="utf-8")

    return compare
