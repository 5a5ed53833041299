"""Run docs/start/department.md in this machine, a bare Debian 13 that it changes: `.ci/bare` makes one for it.

Its lines run as they are. What packages are installed from needs the network of this machine; all after that runs in a
network of its own. Where no systemd runs, `systemctl` is this file, which runs the lines of the units as they stand.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import socket
import struct
import subprocess
import sys
import time
from fcntl import ioctl
from http.cookiejar import CookieJar
from pathlib import Path
from ssl import create_default_context
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, HTTPSHandler, Request, build_opener

HERE = Path(__file__).resolve()
SOURCES = HERE.parents[1]
PAGE = (SOURCES / "docs" / "start" / "department.md").read_text()
LINES = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)[0].splitlines()
UNITS = Path("/etc/systemd/system")
HOST = "moss.example.org"
PASSWORD = "only-for-this-trial"
MOST_LINES, MOST_MINUTES = 12, 15
# What Debian starts when it is installed, where there is a systemd; here nothing is started by a package.
STARTED = ("pg_ctlcluster 17 main start", "valkey-server /etc/valkey/valkey.conf")
SIOCGIFFLAGS, SIOCSIFFLAGS, UP = 0x8913, 0x8914, 1


def run(line: str) -> str:
    """Run a line of the shell, print and return what it prints."""
    print(f"$ {line}", flush=True)
    done = subprocess.run(["bash", "-euc", line], cwd=SOURCES, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, end="", flush=True)
    if done.returncode:
        raise SystemExit(f"It ended with status {done.returncode}: {line}")
    return done.stdout


def systemctl(verb: str, *names: str) -> None:
    """Do what systemd does for the lines of the page and for the upgrade of units."""
    for name in (one for one in names if not one.startswith("-")):
        for unit in _wanted(name):
            if verb in ("stop", "restart"):
                _stop(unit)
            if verb in ("enable", "start", "restart"):
                _start(unit)


def _wanted(name: str) -> list[str]:
    if name == "nginx":
        return [name]
    name = name if "." in name else f"{name}.service"
    if name.endswith(".timer"):
        return []  # its service is run below
    return _values(name, "Wants") if name.endswith(".target") else [name]


def _values(unit: str, key: str) -> list[str]:
    words = re.findall(rf"^{key}=(.*)$", (UNITS / unit).read_text(), re.MULTILINE)
    return [word for line in words for word in line.split()]


def _line(unit: str, key: str) -> str:
    return re.findall(rf"^{key}=(.*)$", (UNITS / unit).read_text(), re.MULTILINE)[0]


def _environment(unit: str) -> dict[str, str]:
    lines = Path(_line(unit, "EnvironmentFile")).read_text().splitlines()
    lines += _values(unit, "Environment")
    variables = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **variables}


def _as_user(unit: str, key: str) -> list[str]:
    user, group = _line(unit, "User"), _line(unit, "Group")
    confined = ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"]
    return ["setpriv", f"--reuid={user}", f"--regid={group}", "--init-groups", *confined, *_line(unit, key).split()]


def _start(unit: str) -> None:
    if unit == "nginx":
        subprocess.run(["nginx"], check=True)
        return
    options = {"env": _environment(unit), "cwd": "/", "umask": int(_line(unit, "UMask"), 8)}
    subprocess.run(_as_user(unit, "ExecStartPre"), check=True, **options)
    command = _as_user(unit, "ExecStart")
    if _line(unit, "Type") == "oneshot":
        subprocess.run(command, check=True, **options)
        return
    with Path(f"/run/{unit}.log").open("ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True, **options)
    Path(f"/run/{unit}.pid").write_text(str(process.pid))


def _stop(unit: str) -> None:
    file = Path("/run/nginx.pid" if unit == "nginx" else f"/run/{unit}.pid")
    if not file.exists():
        return
    number = int(file.read_text())
    os.kill(number, 15)
    while Path(f"/proc/{number}").exists() and "\nState:\tZ" not in Path(f"/proc/{number}/status").read_text():
        time.sleep(0.1)
    file.unlink(missing_ok=True)


def install() -> None:
    """Run the lines that need a package index, then the others in a network of their own."""
    if len(LINES) > MOST_LINES:
        raise SystemExit(f"The page has {len(LINES)} commands.")
    Path("/usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
    stand_in = Path("/usr/local/sbin/systemctl")
    stand_in.write_text(f'#!/bin/sh\nexec /usr/bin/python3 {HERE} systemctl "$@"\n')
    for file in ("/usr/sbin/policy-rc.d", stand_in):
        Path(file).chmod(0o755)
    os.environ["DEBIAN_FRONTEND"] = "noninteractive"
    begun = time.monotonic()
    number = next(at for at, line in enumerate(LINES) if line.startswith("deploy/"))
    for line in LINES[:number]:
        run(line)
    run("du -sm /opt/moss")
    with Path("/etc/hosts").open("a") as hosts:
        hosts.write(f"127.0.0.1 {HOST}\n")
    rest = ["unshare", "--net", sys.executable, str(HERE), "rest", str(number)]
    subprocess.run(rest, check=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    minutes, worked = (time.monotonic() - begun) / 60, (used.ru_utime + used.ru_stime) / 60
    print(
        f"== {len(LINES)} commands and the first class took {minutes:.1f} minutes, {worked:.1f} of them of a processor"
    )
    # A machine that does other things meanwhile takes longer for the same.
    if worked > MOST_MINUTES:
        raise SystemExit(f"That is more than {MOST_MINUTES} minutes.")


def _bring_up_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        flags = struct.unpack("16sh22x", ioctl(any_socket, SIOCGIFFLAGS, struct.pack("16sh22x", b"lo", 0)))[1]
        ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", flags | UP))


def rest(number: int) -> None:
    """Run the other lines, then the first class, and a restored backup under another key."""
    _bring_up_loopback()
    run(STARTED[0])
    subprocess.Popen(STARTED[1].split(), stdout=subprocess.DEVNULL)
    printed = ""
    for line in LINES[number:]:
        printed += _until_it_works(line) if line.startswith(("curl", "moss doctor")) else run(line)
    _choose_password(re.findall(rf"https://{HOST}\S+/key/\S+|https://{HOST}/accounts/password\S+", printed)[-1])
    if "SECRET_KEY" in printed:
        raise SystemExit("The doctor has something to say about a new key.")
    _first_class()
    _configure_again()
    _restore_under_another_key()
    print("== a department has been adopted")


def _until_it_works(line: str) -> str:
    """Run a line again while the parts that were started come up, as a person does."""
    for _ in range(60):
        if not subprocess.run(["bash", "-euc", line], capture_output=True, check=False).returncode:
            return run(line)
        time.sleep(2)
    for log in Path("/run").glob("*.log"):
        print(log, log.read_text()[-2000:])
    return run(line)


def _choose_password(address: str) -> None:
    """Open the address of the invitation, choose a password, and sign in with it."""
    jar = CookieJar()
    context = create_default_context(cafile="/etc/ssl/certs/moss.pem")
    opener = build_opener(HTTPCookieProcessor(jar), HTTPSHandler(context=context))

    def post(page: str, **fields: str) -> str:
        with opener.open(page) as answer:
            token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', answer.read().decode())
            page = answer.url
        body = urlencode({"csrfmiddlewaretoken": token and token[1], **fields}).encode()
        with opener.open(Request(page, body, {"Referer": page})) as answer:
            return str(answer.read().decode())

    post(address, password1=PASSWORD, password2=PASSWORD)
    if "ada" not in post(f"https://{HOST}/accounts/login/", login="ada", username="ada", password=PASSWORD):
        raise SystemExit("The first owner cannot sign in.")
    print("== the first owner signed in")


def _first_class() -> None:
    token = run("moss token create ada --name trial --scope write").split()[-1]
    os.environ |= {"MOSS_TOKEN": token, "REQUESTS_CA_BUNDLE": "/etc/ssl/certs/moss.pem"}
    curl = "curl -sf --cacert /etc/ssl/certs/moss.pem"
    send = f"{curl} -H 'Authorization: Bearer {token}' -H 'Content-Type: application/json'"
    run(f'{send} -d \'{{"name": "Programming 1"}}\' https://{HOST}/api/v1/courses')
    submit = f"/opt/moss/bin/moss submit https://{HOST} moss/sample/submissions"
    printed = run(f"{submit} --course 'Programming 1' --assignment 'Sheet 1'")
    if "amara-okafor" not in printed or "jonas-weidler" not in printed:
        raise SystemExit("The planted pair is not among the first.")
    metrics = f'curl -sf --cacert /etc/ssl/certs/moss.pem -H "Authorization: Bearer $MOSS_METRICS_TOKEN" https://{HOST}/metrics'
    figures = run(f". /etc/moss/moss.env; {metrics} | grep -c ^moss_")
    print(f"== {figures.strip()} figures of the monitoring", flush=True)


def _refused(line: str, reason: str) -> None:
    done = subprocess.run(["bash", "-euc", line], cwd=SOURCES, capture_output=True, text=True, check=False)
    print(f"$ {line}\n{done.stderr}", end="", flush=True)
    if not done.returncode or reason not in done.stderr:
        raise SystemExit(f"It was not refused with {reason!r}: {line}")


def _configure_again() -> None:
    """Configure for another host, without the files of /etc/moss, and with a copy that has other passwords."""
    again = f"deploy/debian/configure {HOST}"
    _refused("deploy/debian/configure new.example.org", "MOSS_ALLOWED_HOSTS")
    run("mv /etc/moss/owner.env /etc/moss/moss.env /root/")
    _refused(again, "put your copy of /etc/moss back")
    run("sed 's/^DATABASE_PASSWORD=.*/DATABASE_PASSWORD=ofAnotherMachine1/' /root/moss.env >/etc/moss/moss.env")
    run(f"{again} && moss setup && moss doctor && moss account list")
    run(f"mv /root/moss.env /root/owner.env /etc/moss/ && {again} && moss setup && moss doctor")


def _restore_under_another_key() -> None:
    run("systemctl start moss-backup.service")
    backup = max(Path("/var/lib/moss/backups").iterdir())
    run(f"moss restore --check {backup}")
    refused = subprocess.run(["moss", "restore", "--replace", str(backup)], capture_output=True, text=True, check=False)
    if not refused.returncode:
        raise SystemExit("A backup was restored while the service ran.")
    print(refused.stderr)
    run("systemctl stop moss.target")
    run("sed -i 's/^SECRET_KEY=.*/SECRET_KEY=another-key-of-the-machine-that-came-after-the-first/' /etc/moss/moss.env")
    run(f"moss restore --replace --unsigned {backup} </dev/null")
    run("systemctl start moss.target")
    _until_it_works(LINES[-1])
    listed = f"curl -sf --cacert /etc/ssl/certs/moss.pem -H 'Authorization: Bearer {os.environ['MOSS_TOKEN']}' https://{HOST}/api/v1/courses"
    if "Programming 1" not in run(listed):
        raise SystemExit("The restored service does not have the course.")


def main() -> None:
    match sys.argv[1:]:
        case ["systemctl", verb, *names]:
            systemctl(verb, *names)
        case ["rest", number]:
            rest(int(number))
        case _:
            shutil.rmtree(UNITS / "moss.target.wants", ignore_errors=True)
            install()


if __name__ == "__main__":
    main()
