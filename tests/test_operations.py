"""docs/do/operations.md and its proxy, run by a real nginx in front of a real server, and its figures."""

import re
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from http.client import HTTPResponse
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from tests.support.nginx import running_nginx
from tests.support.paths import ROOT
from tests.support.ports import free_port_number
from tests.support.web_server import ask, web_server

TEXT = (ROOT / "docs" / "do" / "operations.md").read_text()
NGINX = (ROOT / "deploy" / "debian" / "nginx.conf").read_text()
HOST = "moss.example.org"


def block(language: str) -> str:
    match = re.search(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    assert match
    return match[1]


def make_certificate(folder: Path) -> None:
    command = f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN={HOST}".split()
    files = ["-keyout", f"{folder}/key.pem", "-out", f"{folder}/certificate.pem"]
    subprocess.run([*command, *files], check=True, capture_output=True)


@pytest.fixture(scope="module")
def ports(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, int]]:
    """Run a server with the variables of the document behind its nginx; return the ports of nginx."""
    if not shutil.which("nginx") or not shutil.which("openssl"):
        pytest.skip("nginx or openssl is not installed")
    folder, plain, encrypted = tmp_path_factory.mktemp("nginx"), free_port_number(), free_port_number()
    make_certificate(folder)
    variables = dict(line.split("=", 1) for line in block("sh").splitlines())
    with web_server(**variables) as port:
        text = NGINX.replace("127.0.0.1:8000", f"127.0.0.1:{port}")
        for installed, here in (("certs/moss.pem", "certificate.pem"), ("private/moss.pem", "key.pem")):
            text = text.replace(f"/etc/ssl/{installed}", f"{folder}/{here}")
        text = text.replace("listen 80;", f"listen 127.0.0.1:{plain};")
        text = text.replace("listen 443 ssl;", f"listen 127.0.0.1:{encrypted} ssl;")
        with running_nginx(folder, text):
            yield plain, encrypted


def get(port: int, path: str, **headers: str) -> HTTPResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    request = Request(f"https://127.0.0.1:{port}{path}", headers={"Host": HOST, **named})
    response: HTTPResponse = urlopen(request, timeout=60, context=trusting)
    with response:
        response.read()
    return response


@pytest.mark.long
def test_the_proxy_sends_everybody_to_https(ports: tuple[int, int]) -> None:
    answer = ask(ports[0], "/accounts/login/?next=/", Host=HOST)
    assert (answer.status, answer.headers["Location"]) == (301, f"https://{HOST}/accounts/login/?next=/")


@pytest.mark.long
def test_the_service_is_answered_over_https_and_names_the_request(ports: tuple[int, int]) -> None:
    claims = {"X_Forwarded_Proto": "http", "X_Forwarded_For": "203.0.113.7", "X_Request_ID": "of-the-client"}
    answer = get(ports[1], "/accounts/login/", **claims)
    assert answer.status == 200
    assert answer.headers["Strict-Transport-Security"].startswith("max-age=")
    assert "__Host-csrftoken" in answer.headers["Set-Cookie"]
    assert re.fullmatch("[0-9a-f]{32}", answer.headers["X-Request-ID"])


@pytest.mark.slow
def test_every_figure_of_the_metrics_is_explained() -> None:
    sources = (ROOT / "moss/operations/monitoring.py").read_text()
    written = set(re.findall(r'"(moss_[a-z_]+)"', sources)) | {"moss_info"}
    explained = set(re.findall(r"moss_[a-z_]+", "".join(re.findall(r"^\| (`moss_.*?) \|", TEXT, re.MULTILINE))))
    assert explained == written


def test_the_command_reads_variables_as_systemd_does(tmp_path: Path) -> None:
    values = {"MOSS_OIDC_NAME": "Campus of Ada", "MOSS_MAIL_PASSWORD": "a$b`c`\\d'e=f #g", "MOSS_URL": ""}
    lines = [f"{name}={value}" for name, value in values.items()]
    (tmp_path / "moss.env").write_text("\n".join(["# A comment", "", "; another", *lines, 'QUOTED="in quotes"']))
    (tmp_path / "owner.env").write_text("DATABASE_OWNER_PASSWORD=secret word\n")
    text = (ROOT / "deploy" / "debian" / "moss").read_text()
    for installed, here in (
        ("/etc/moss/", f"{tmp_path}/"),
        ("/var/lib/moss", str(tmp_path)),
        ("exec runuser", "env #"),
    ):
        text = text.replace(installed, here)
    for arguments, owner in ((["doctor"], False), (["manage", "migrate"], True), (["restore", "x"], True)):
        done = subprocess.run(["sh", "-c", text, "moss", *arguments], capture_output=True, text=True, check=True)
        printed = done.stdout.splitlines()
        assert [f"{name}={value}" for name, value in values.items() if f"{name}={value}" not in printed] == []
        assert "QUOTED=in quotes" in printed
        assert ("DATABASE_OWNER_PASSWORD=secret word" in printed) == owner
