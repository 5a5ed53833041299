"""The units of deploy/systemd: systemd accepts them, and each runs one part of the service."""

import configparser
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from moss.cli import main
from moss.operations.doctor import SYSTEMD
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


def test_who_stops_the_target_stops_all_and_no_client_starts_the_web_server_again() -> None:
    of_target = {name for name in UNITS if section(name, "Unit").get("PartOf") == "moss.target"}
    assert of_target == {*UNITS} - {"moss.target", "moss-backup.service", "moss-backup.timer"}
    assert SYSTEMD.stop == "Run `systemctl stop moss.target`."


def test_the_target_wants_every_part_that_all_need_and_all_are_alike() -> None:
    wanted = section("moss.target", "Unit")["Wants"].split()
    assert wanted == [
        "moss-web.service", "moss-worker.service", "moss-interactive.service", "moss-maintenance.service",
    ]  # fmt: skip
    assert {*SERVICES} - {*wanted} == {"moss-listen.service", "moss-backup.service"}
    once = {"Type", "Restart", "RestartSec", "StateDirectory"}
    differing = {"ExecStart", "KillMode", "TimeoutStopSec"}
    common = {
        name: {key: value for key, value in section(name, "Service").items() if key not in differing}
        for name in SERVICES
    }
    backup, parts = common.pop("moss-backup.service"), list(common.values())
    assert parts[1:] == parts[:-1]
    assert parts[0]["ExecStartPre"] == f"{PROGRAM} manage migrate --check"
    assert {key: value for key, value in backup.items() if key not in once} == {
        key: value for key, value in parts[0].items() if key not in once
    }


def test_the_timer_writes_backups_into_a_folder_that_its_service_makes() -> None:
    assert section("moss-backup.timer", "Timer")["Persistent"] == "true"
    assert section("moss-backup.timer", "Install")["WantedBy"] == "timers.target"
    folder = section("moss-backup.service", "Service")["ExecStart"].rpartition(" ")[2]
    made = section("moss-backup.service", "Service")["StateDirectory"].split()
    assert folder in {f"/var/lib/{name}" for name in made}
