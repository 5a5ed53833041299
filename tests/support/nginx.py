"""An nginx that runs until a block ends."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.conftest import wait_until


@contextmanager
def running_nginx(folder: Path, http: str) -> Iterator[None]:
    """Run nginx with the contents of its block `http`, and its files in a folder."""
    text = f"daemon off; pid {folder}/nginx.pid; events {{}} http {{ {http} }}"
    (folder / "nginx.conf").write_text(text)
    server = subprocess.Popen(["nginx", "-e", folder / "error.log", "-c", folder / "nginx.conf"])
    try:
        wait_until(lambda: (folder / "nginx.pid").exists() or server.poll() is not None, what="nginx")
        assert server.poll() is None, (folder / "error.log").read_text()
        yield
    finally:
        server.terminate()
        server.wait(60)
