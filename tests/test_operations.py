"""docs/do/operations.md and its proxy, run by a real nginx in front of a real server, and its figures."""

import os
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


OWNER = {"DATABASE_OWNER_PASSWORD": "secret word"}
# Lines of a file of variables, and what systemd reads from them; None where the command refuses the line.
LINES: list[tuple[str, dict[str, str] | None]] = [
    ("MOSS_OIDC_NAME=Campus of Ada", {"MOSS_OIDC_NAME": "Campus of Ada"}),
    ('A=a$b`c`d\'e=f #g "h"', {"A": 'a$b`c`d\'e=f #g "h"'}),
    ("A=", {"A": ""}),
    ("  # A comment\n \t\n; another \\", {}),
    (" \tA = x y \t\r\nB=1\r", {"A": "x y", "B": "1"}),
    ("A=\" in 'quotes' \" \nB='\\d\"'", {"A": " in 'quotes' ", "B": '\\d"'}),
    (
        'A="-----BEGIN-----\n# no comment=\n\n-----END-----"\nB=1',
        {"A": "-----BEGIN-----\n# no comment=\n\n-----END-----", "B": "1"},
    ),
    ("export A=1\nno variable\n1A=2\nÄ=3\n=4\nB=1", {"B": "1"}),
    *(
        (f"B=1\n{line}", None)
        for line in ("A=a\\b", "A=\\", 'A="x\\"y"', 'A="\\\\"', 'A="1" 2', 'A="1\n2', "A='1", "A=1\r2")
    ),
]


@pytest.mark.parametrize(("text", "expected"), LINES)
def test_the_command_reads_variables_as_systemd_does(
    text: str, expected: dict[str, str] | None, tmp_path: Path
) -> None:
    (tmp_path / "moss.env").write_bytes(text.encode())
    (tmp_path / "owner.env").write_text("DATABASE_OWNER_PASSWORD=secret word\n")
    command = (ROOT / "deploy" / "debian" / "moss").read_text()
    for installed, here in (
        ("/etc/moss/", f"{tmp_path}/"),
        ("/var/lib/moss", str(tmp_path)),
        ("exec runuser", "env -0 #"),
    ):
        command = command.replace(installed, here)
    for arguments, owner in ((["doctor"], {}), (["manage", "migrate"], OWNER), (["restore", "x"], OWNER)):
        done = subprocess.run(
            ["sh", "-c", command, "moss", *arguments],
            env={"PATH": os.environ["PATH"]},
            capture_output=True,
            check=False,
        )
        if expected is None:
            assert (done.returncode, b"moss.env, line 2: " in done.stderr, done.stdout) == (1, True, b""), done
            continue
        printed = dict(line.split("=", 1) for line in done.stdout.decode().split("\0")[:-1])
        assert printed | expected | owner == printed, done
        shell = {"PATH", "MOSS_HOME", "HOME", "PWD", "OLDPWD"}
        assert printed.keys() - shell == expected.keys() | owner.keys(), done
    assert done.stderr.count(b"This is no NAME=value, and left out.") == (5 if "export" in text else 0)
