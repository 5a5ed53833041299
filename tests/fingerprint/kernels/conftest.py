from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fingerprint.kernels import library as building
from fingerprint.kernels.library import Library, processor_level
from fingerprint.kernels.registry import Kernel
from tests.fingerprint.kernels.samples import KERNELS

Call = "Callable[..., Any]"


class Built:
    """A library of the sample kernels, and how often its progress was reported."""

    def __init__(self, folder: Any) -> None:
        self.announced, self.advances = 0, 0
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(building, "exported_kernels", lambda: KERNELS)
            patch.setattr(building, "STORED", ())  # of no use beside the samples
            building.build(folder / "library", processor_level(), self.start)
        self._library = Library(folder / "library")

    def start(self, functions: int) -> Callable[[], None]:
        self.announced = functions
        return self.advance

    def advance(self) -> None:
        self.advances += 1

    def kernel(self, kernel: Kernel[Any, Any]) -> Callable[..., Any]:
        return self._library.kernel(kernel.name)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built(tmp_path_factory.mktemp("library"))
