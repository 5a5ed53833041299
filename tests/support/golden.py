"""Golden files: expected results as text, compared exactly and rewritten by `pytest --update-goldens`."""

from collections.abc import Callable
from pathlib import Path

import pytest

Golden = Callable[[Path, str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens",
        action="store_true",
        help="write the current results; read the diff before committing it",
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Return a function that compares a text with its golden file."""

    def compare(path: Path, actual: str) -> None:
        if request.config.getoption("--update-goldens"):
            path.write_text(actual, encoding="utf-8")
        assert path.exists(), f"{path.name} is missing: run pytest --update-goldens and read what it writes"
        assert actual == path.read_text(encoding="utf-8")

    return compare
