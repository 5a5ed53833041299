"""Tests in another order: `pytest --shuffle SEED` shuffles the files, and the tests of each file."""

from collections.abc import Iterable
from hashlib import blake2b

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", metavar="SEED", help="run the files, and the tests of each, in another order")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shuffle the tests, in each process in the same way."""
    seed = config.getoption("--shuffle")
    if seed is not None:
        order = {name: place for place, name in enumerate(shuffled([item.nodeid for item in items], seed))}
        items.sort(key=lambda item: order[item.nodeid])


def shuffled(names: Iterable[str], seed: str) -> list[str]:
    """Return the names of tests in an order of its own for each seed; those of a file stay together."""

    def place(text: str) -> bytes:
        return blake2b(text.encode("utf-8", "surrogatepass"), key=seed.encode()).digest()

    return sorted(names, key=lambda name: (place(name.partition("::")[0]), place(name)))
