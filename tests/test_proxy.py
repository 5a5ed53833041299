"""The proxy of compose.yaml, run by a real nginx in front of nothing: its own answers, and its log."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.conftest import wait_until
from tests.support.web_server import ask
from tests.test_compose import COMPOSE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif(not shutil.which("nginx"), reason="nginx is not installed"),
]


def configuration(folder: Path, port: int) -> str:
    """Return the configuration with paths and ports of the test."""
    text: str = COMPOSE["configs"]["proxy"]["content"]
    text = re.sub(r"\$\{\w+:-(\w+)\}", r"\1", text).replace("$$", "$")
    for name, here in (("/dev/stdout", f"{folder}/access.log"), ("/dev/stderr", f"{folder}/error.log")):
        text = text.replace(name, here)
    text = text.replace("web:8000", "127.0.0.1:1").replace("listen 8000", f"listen 127.0.0.1:{port}")
    return f"daemon off; pid {folder}/nginx.pid; events {{}} http {{ {text} }}"


@pytest.fixture
def proxy(tmp_path: Path, free_port: int) -> Iterator[int]:
    """Return the port of the proxy."""
    (tmp_path / "nginx.conf").write_text(configuration(tmp_path, free_port))
    server = subprocess.Popen(["nginx", "-e", tmp_path / "error.log", "-c", tmp_path / "nginx.conf"])
    try:
        wait_until(lambda: (tmp_path / "nginx.pid").exists() or server.poll() is not None, what="nginx")
        assert server.poll() is None, (tmp_path / "error.log").read_text()
        yield free_port
    finally:
        server.terminate()
        server.wait(30)


def test_answers_of_the_proxy_itself_have_headers(proxy: int) -> None:
    answer = ask(proxy, "/")
    assert answer.status == 502
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Server"] == "nginx"


def test_the_log_has_paths_without_share_links_and_searches(proxy: int, tmp_path: Path) -> None:
    ask(proxy, "/shared/the-secret-token/pairs/1/2/?q=Ada+Lovelace")
    ask(proxy, "/results/7/the-secret-key/match0.html")
    ask(proxy, "/assignments/1/?q=Ada+Lovelace")
    ask(proxy, "/moss/shared/the-secret-token/cases/")
    ask(proxy, "/moss/results/7/the-secret-key/match0.html")
    wait_until(lambda: (tmp_path / "access.log").read_text().count("\n") == 5, what="five lines")
    log = (tmp_path / "access.log").read_text()
    assert " 127.0.0.1 GET /shared/-/pairs/1/2/ 502 " in log
    assert " 127.0.0.1 GET /results/- 502 " in log
    assert " 127.0.0.1 GET /moss/shared/-/cases/ 502 " in log
    assert " 127.0.0.1 GET /moss/results/- 502 " in log
    assert " 127.0.0.1 GET /assignments/1/ 502 " in log
    everything = log + (tmp_path / "error.log").read_text()
    assert "Ada" not in everything
    assert "secret" not in everything
