"""The units of deploy/systemd: systemd accepts them, and each runs one part of the service."""

import configparser
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from moss.cli import main
from tests.support.paths import ROOT
from tests.support.processes import completed

FOLDER = ROOT / "deploy" / "systemd"
PROGRAM = "/opt/moss/bin/moss"
UNITS = sorted(path.name for path in FOLDER.iterdir())
SERVICES = [name for name in UNITS if name.endswith(".service")]


def section(name: str, title: str) -> configparser.SectionProxy:
    # Keys with several lines are read by systemd, and by the test that runs it.
    parser = configparser.RawConfigParser(strict=False, interpolation=None)
    setattr(parser, "optionxform", str)  # noqa: B010 - as its documentation says
    parser.read_string((FOLDER / name).read_text())
    return parser[title]


def test_systemd_accepts_every_unit(tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    for name in UNITS:
        # Any program that exists: the real one is where the administrator installed it.
        (tmp_path / name).write_text((FOLDER / name).read_text().replace(PROGRAM, sys.executable))
    command = ["systemd-analyze", "verify", *(str(tmp_path / name) for name in UNITS)]
    done = completed(command)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", SERVICES)
def test_every_unit_runs_a_part_that_the_program_has(name: str) -> None:
    program, *arguments = section(name, "Service")["ExecStart"].split()
    assert program == PROGRAM
    result = CliRunner().invoke(main, [*arguments, "--help"])
    assert result.exit_code == 0, result.output


def test_the_socket_is_at_the_address_that_the_web_server_would_take_alone() -> None:
    options = section("moss-web.service", "Service")["ExecStart"].split()[2:]
    address = dict(zip(options[::2], options[1::2], strict=True))
    stream = section("moss-web.socket", "Socket")["ListenStream"]
    assert stream == f"{address['--host']}:{address['--port']}"
    assert section("moss-web.service", "Unit")["Requires"] == "moss-web.socket"


def test_the_target_wants_every_service_and_all_are_alike() -> None:
    assert section("moss.target", "Unit")["Wants"].split() == [
        "moss-web.service", "moss-worker.service", "moss-interactive.service", "moss-maintenance.service",
    ]  # fmt: skip
    assert set(section("moss.target", "Unit")["Wants"].split()) == set(SERVICES)
    differing = {"ExecStart", "KillMode", "TimeoutStopSec"}
    common = [
        {key: value for key, value in section(name, "Service").items() if key not in differing}
        for name in SERVICES
    ]
    assert common[1:] == common[:-1]
    assert common[0]["ExecStartPre"] == f"{PROGRAM} manage migrate --check"
