"""A web application that answers when the file exists that GATE names; when it is asked, it makes another."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def application(_environ: dict[str, Any], start_response: Callable[..., object]) -> Sequence[bytes]:
    gate = Path(os.environ["GATE"])
    gate.with_suffix(".asked").touch()
    while not gate.exists():
        time.sleep(0.05)
    start_response("200 OK", [("Content-Length", "6")])
    return [b"answer"]
