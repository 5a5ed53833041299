"""A department installs the service, works with it, loses a worker, upgrades, and erases a student.

One story on one installation: the wheel, the Postgres and Redis of the system, and each part as a process
with a home of its own.
"""

import contextlib
import csv
import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import pytest
import requests

from moss.embedded.servers import guarded
from tests.adoption.servers import ALPHABETICAL, OWNER, PASSWORD, SERVICE, Broker, Cluster
from tests.conftest import wait_until
from tests.support.html import Page
from tests.support.ports import free_port_number
from tests.support.processes import completed
from tests.support.programs import program, renamed
from tests.support.web_server import with_socket

ADMINISTRATOR, PASSWORD_OF_ADA = "ada", f"{PASSWORD} of the administrator"
OTHERS = ("MOSS_", "DJANGO_", "DATABASE_", "REDIS_", "SECRET_KEY", "PYTHON", "XDG_")
PARTS = {
    "web-1": ["web"],
    "web-2": ["web"],
    "worker": ["worker", "--processes=2"],
    "interactive": ["worker", "--interactive"],
    "maintenance": ["maintain"],
}


class Department:
    """The processes of one installation, started with the Python it is installed for."""

    def __init__(self, folder: Path, python: Path, cluster: Cluster, broker: Broker) -> None:
        self.folder, self.python, self.cluster = folder, python, cluster
        self.variables = {
            "DATABASE_URL": cluster.url(SERVICE),
            "REDIS_URL": broker.url,
            "SECRET_KEY": "a key that all parts of the installation share, as the document says",
            # A class of this test is cut into shards, as a large one is.
            "MOSS_SHARD_SECONDS": "0.03",
        }
        # As deploy/systemd has it, these stay open while a web server restarts.
        self.sockets = {n: socket.create_server(("127.0.0.1", 0)) for n in PARTS if n.startswith("web")}
        self.ports = {name: listener.getsockname()[1] for name, listener in self.sockets.items()}
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def run(self, home: str, *arguments: str | Path, **variables: str) -> str:
        """Return what a command of `moss` prints, run in the home of a part."""
        done = self.done(home, *arguments, **variables)
        assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stdout

    def done(self, home: str, *arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """Return a command of `moss` that has ended, with any status."""
        command = [self.python, "-m", "moss", *arguments]
        return completed(command, env=self._environment(home, **variables), cwd=self.folder)

    def run_as_owner(self, home: str, *arguments: str | Path) -> str:
        return self.run(home, *arguments, DATABASE_OWNER_URL=self.cluster.url(OWNER))

    def start(self, *names: str) -> None:
        """Start parts in groups of their own, and return when the web servers answer."""
        for name in names:
            command = guarded([str(self.python), "-m", "moss", *PARTS[name]], signal.SIGTERM)
            passed = [self.sockets[name]] if name in self.sockets else []
            for listener in passed:
                command = with_socket(command, listener)
            with (self.folder / f"{name}.log").open("ab") as log:
                self.processes[name] = subprocess.Popen(
                    command, env=self._environment(name), cwd=self.folder, stdout=log, stderr=log,
                    start_new_session=True, pass_fds=[listener.fileno() for listener in passed],
                )  # fmt: skip
        for name in names:
            if name in self.ports:
                wait_until(lambda name=name: self._answers(name), what=name)  # type: ignore[misc]

    def stop(self, *names: str) -> None:
        """End parts as systemd does, and wait until they have ended."""
        for name in names:
            self.processes[name].terminate()
        for name in names:
            self.processes[name].wait(90)

    def kill(self, name: str) -> None:
        """Kill a part with all its children."""
        os.killpg(self.processes[name].pid, signal.SIGKILL)
        self.processes[name].wait(60)

    def stop_all(self) -> None:
        for process in self.processes.values():
            with contextlib.suppress(ProcessLookupError):  # it has ended
                os.killpg(process.pid, signal.SIGTERM)
        for process in self.processes.values():
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(60)
        for listener in self.sockets.values():
            listener.close()

    def url(self, name: str = "web-1") -> str:
        return f"http://localhost:{self.ports[name]}"

    def _answers(self, name: str) -> bool:
        assert self.processes[name].poll() is None, (self.folder / f"{name}.log").read_text()
        try:
            return requests.get(self.url(name) + "/accounts/login/", timeout=30).ok
        except requests.RequestException:  # it has not begun, or it ended
            return False

    def _environment(self, home: str, **variables: str) -> dict[str, str]:
        folder = self.folder / "homes" / home
        (folder / "tmp").mkdir(parents=True, exist_ok=True)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(OTHERS)}
        homes = {"HOME": str(folder), "MOSS_HOME": str(folder / "moss"), "TMPDIR": str(folder / "tmp")}
        return inherited | self.variables | homes | variables


class Client:
    """A program that uses the API of one web server."""

    def __init__(self, url: str, token: str) -> None:
        self.api, self.session = f"{url}/api/v1", requests.Session()
        self.session.headers["Authorization"] = f"Bearer {token}"

    def get(self, path: str) -> Any:
        return self._checked(self.session.get(self.api + path, timeout=120))

    def post(self, path: str, **body: Any) -> Any:
        return self._checked(self.session.post(self.api + path, json=body, timeout=120))

    def put(self, path: str, **body: Any) -> Any:
        return self._checked(self.session.put(self.api + path, json=body, timeout=120))

    @staticmethod
    def _checked(answer: requests.Response) -> Any:
        assert answer.ok, answer.text
        return answer.json()


def signed_in(url: str) -> dict[str, str]:
    """Sign in on the page as a person does; return the cookies."""
    person, address = requests.Session(), f"{url}/accounts/login/"
    page = Page(person.get(address, timeout=60).text)
    (token,) = page.values("form.card [name=csrfmiddlewaretoken]", "value")
    fields = {"username": ADMINISTRATOR, "password": PASSWORD_OF_ADA, "csrfmiddlewaretoken": token}
    answer = person.post(address, fields, timeout=60)
    assert answer.url == f"{url}/", answer.text
    return dict(person.cookies)


def submit(department: Department, token: str, folder: Path, assignment: str, course: str) -> Sequence[Any]:
    """Upload a folder by `moss submit`, wait for its report, and return its pairs."""
    options = ["--course", course, "--assignment", assignment, "--json"]
    output = department.run("instructor", "submit", department.url(), folder, *options, MOSS_TOKEN=token)
    pairs: Sequence[Any] = json.loads(output)["pairs"]
    return pairs


SERVER_ERROR = 500
UNAVAILABLE = 503
FORBIDDEN = 403
# A request that is answered later is none for a person.
SECONDS = 120


class Readers:
    """Threads that ask for one page after another; `answers` counts what they got.

    An answer is a status, "503 Retry-After", "refused" where no server listens, or "broken off".
    """

    def __init__(self, number: int, ports: Sequence[int], pages: Sequence[str], cookies: dict[str, str]) -> None:
        self.ports, self.pages = ports, pages
        self.cookies = "; ".join(f"{name}={value}" for name, value in cookies.items())
        self.answers, self.lock = Counter[str](), threading.Lock()
        self.stopped = threading.Event()
        self.threads = [threading.Thread(target=self._read, args=[seed]) for seed in range(number)]

    @contextmanager
    def reading(self) -> Iterator[Self]:
        for thread in self.threads:
            thread.start()
        try:
            yield self
        finally:
            self.stopped.set()
            for thread in self.threads:
                thread.join()

    def errors(self) -> dict[str, int]:
        """Return what no reader may get: errors, and 503 without a word of when to come again."""
        fine = {"200", "503 Retry-After", "refused"}
        return {answer: count for answer, count in self.answers.items() if answer not in fine}

    def _read(self, seed: int) -> None:
        rng = random.Random(seed)
        while not self.stopped.is_set():
            answer = self._answer(rng.choice(self.ports), rng.choice(self.pages))
            with self.lock:
                self.answers[answer] += 1
            if answer != "200":
                self.stopped.wait(1)

    def _answer(self, port: int, page: str) -> str:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        try:
            connection.request("GET", page, headers={"Host": "localhost", "Cookie": self.cookies})
            response = connection.getresponse()
            response.read()
        except ConnectionRefusedError:
            return "refused"
        except (OSError, http.client.HTTPException) as error:
            return f"broken off ({type(error).__name__})"
        finally:
            connection.close()
        if response.status == UNAVAILABLE and response.headers.get("Retry-After"):
            return "503 Retry-After"
        return str(response.status)


pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]

COURSE, ERASED = "Programming 1", "Robin Quillfeather"
READERS, CONNECTIONS = 300, 100
# The least time of the readers, in seconds; they read until an upload has its report.
READING_SECONDS = 10
COPIED = 0.9
# Names that databases order in different ways.
NAMES = ("anna_b", "Anna-B", "annab", "Élodie", "eva", "Zoe", "zoe2", "_ghost")
RUNNING = "SELECT id, attempts FROM submissions_job WHERE kind = '{kind}' AND state = 'running'"
SAME = "SELECT count(*) FROM submissions_job WHERE id = {} AND attempts = {} AND state = 'running'"
SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
COLUMN_OF_NEXT = "SELECT count(*) FROM information_schema.columns WHERE column_name = 'note_of_next'"
TABLES_OF_NEXT = "column submissions_course.note_of_next: text\n"
BEFORE_UPGRADE = "before-upgrade.moss"
NEXT_MIGRATION = """
from django.db import migrations, models

class Migration(migrations.Migration):
    phase = "expand"
    dependencies = [("submissions", "{last}")]
    operations = [migrations.AddField("course", "note_of_next", models.TextField(null=True))]
"""


def say(sentence: str) -> None:
    """Print a figure of the run; `pytest -rP` shows it."""
    print(sentence)  # noqa: T201


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder that the account of Postgres may enter."""
    for path in (tmp_path, *tmp_path.parents[:2]):
        path.chmod(0o755)
    return tmp_path


@pytest.fixture
def department(programs: Path, folder: Path) -> Iterator[Department]:
    with ExitStack() as ends:
        cluster = Cluster(folder / "postgres", free_port_number())
        ends.callback(cluster.stop)
        broker = Broker(folder / "redis", free_port_number())
        ends.callback(broker.stop)
        say(f"Postgres of {cluster.programs}, broker {broker.program}")
        department = Department(folder, programs / "python", cluster, broker)
        ends.callback(department.stop_all)
        yield department


def test_a_department_adopts_the_service(department: Department, folder: Path) -> None:
    token = install(department)
    client = Client(department.url(), token)
    course = client.post("/courses", name=COURSE)["id"]
    assignment = hand_in_and_decide(department, client, token, folder)
    three_hundred_read_while_a_class_is_handed_in(department, client, token, course, assignment)
    a_worker_is_killed_in_the_middle_of_a_ranking(department, client, assignment)
    a_backup_is_restored_under_another_key_and_in_another_order(department, client, token, folder, assignment)
    former = department.python
    the_next_version_takes_over_while_people_read(department, client, token, course, assignment)
    the_former_version_comes_back(department, client, former, assignment)
    a_student_is_erased(department, client, assignment)


def install(department: Department) -> str:
    """Set up the database and start all parts; return a token of the administrator."""
    for home in department.ports:
        department.run_as_owner(home, "setup")
    department.start("web-1", "web-2", "worker", "interactive", "maintenance")
    account = {"USERNAME": ADMINISTRATOR, "PASSWORD": PASSWORD_OF_ADA, "EMAIL": "ada@example.org"}
    variables = {f"DJANGO_SUPERUSER_{name}": value for name, value in account.items()}
    department.run("web-1", "manage", "createsuperuser", "--noinput", **variables)
    wait_until(lambda: problems(department) == [], what="the doctor")
    return department.run("web-1", "token", "create", ADMINISTRATOR, "--name=adoption", "--scope=write").strip()


def problems(department: Department) -> list[str]:
    findings = json.loads(department.done("web-1", "doctor", "--json").stdout)
    return [f"{one['check']}: {one['message']}" for one in findings if one["state"] == "problem"]


def hand_in_and_decide(department: Department, client: Client, token: str, folder: Path) -> int:
    """Hand in a class with copies and decide on those; return the assignment."""
    write_class(folder / "class", random.Random(1), 80)
    pairs = submit(department, token, folder / "class", "Sheet 1", COURSE)
    (assignment,) = client.get(f"/courses/{client.get('/courses')['items'][0]['id']}/assignments")["items"]
    copied = pairs[: len(NAMES) // 2]
    assert all(pair["similarity"] > COPIED for pair in copied)
    for number, pair in enumerate(copied):
        path = f"/assignments/{assignment['id']}/pairs/{pair['left_id']}/{pair['right_id']}/decision"
        client.put(path, state=("confirmed", "clear")[number % 2], notes=f"Note {number}")
    return int(assignment["id"])


def write_class(folder: Path, rng: random.Random, size: int) -> None:
    """Write programs of which every two of NAMES, one after the other, are copies of each other."""
    texts = {f"student {number:03}": program(rng, 12) for number in range(size)} | {ERASED: program(rng, 12)}
    for first, second in zip(NAMES[::2], NAMES[1::2], strict=True):
        texts[first] = program(rng, 12)
        texts[second] = renamed(texts[first])
    for name, text in texts.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "main.py").write_text(f"# {name}\n{text}")


def decisions(client: Client, assignment: int) -> set[tuple[str, ...]]:
    rows = client.get(f"/assignments/{assignment}/exports/pairs.json")["pairs"]
    return {
        (*sorted((row["left"], row["right"])), row["decision"], row["notes"])
        for row in rows
        if row["decision"] != "undecided"
    }


def pages_of(client: Client, course: int, assignment: int) -> list[str]:
    pairs = client.get(f"/assignments/{assignment}/pairs?limit=20")["items"]
    of_pairs = [f"/assignments/{assignment}/pairs/{one['left_id']}/{one['right_id']}/" for one in pairs]
    return ["/", f"/courses/{course}/", *[f"/assignments/{assignment}/"] * 5, *of_pairs]


def three_hundred_read_while_a_class_is_handed_in(
    department: Department, client: Client, token: str, course: int, assignment: int
) -> None:
    pages, cookies = pages_of(client, course, assignment), signed_in(department.url())
    write_class(department.folder / "second", random.Random(2), 10)
    started, most = time.monotonic(), 0
    with Readers(READERS, [*department.ports.values()], pages, cookies).reading() as readers:
        with ThreadPoolExecutor(1) as background:
            upload = background.submit(submit, department, token, department.folder / "second", "Sheet 2", COURSE)
            while not upload.done() or time.monotonic() - started < READING_SECONDS:
                most = max(most, int(str(department.cluster.ask(SESSIONS)[0][0])))
                time.sleep(0.2)
        assert upload.result()
        department.run("maintenance", "maintain", "--check")
        took = time.monotonic() - started
    say(f"{READERS} readers for {took:.0f} s: {dict(readers.answers)}; up to {most} sessions of Postgres")
    assert readers.errors() == {}
    assert readers.answers["200"] > READERS
    assert most < CONNECTIONS


def a_worker_is_killed_in_the_middle_of_a_ranking(department: Department, client: Client, assignment: int) -> None:
    before, report = decisions(client, assignment), client.get(f"/assignments/{assignment}/report")["id"]
    for kind in ("score_shard", "rank") * 3:
        client.post(f"/assignments/{assignment}/report")
        if is_killed_during(department, kind):
            break
        ranked_after(client, assignment, report)
    else:
        pytest.fail("no worker was killed in the middle of a ranking")
    department.start("worker")
    ranked_after(client, assignment, report)
    assert decisions(client, assignment) == before


def is_killed_during(department: Department, kind: str) -> bool:
    """Kill the worker while a job of a kind runs; start it again where the job had ended."""
    deadline = time.monotonic() + 20
    while not (jobs := department.cluster.ask(RUNNING.format(kind=kind))):
        if time.monotonic() > deadline:
            return False
    department.kill("worker")
    if department.cluster.ask(SAME.format(*jobs[0])) == [(1,)]:
        return True
    department.start("worker")
    return False


def ranked_after(client: Client, assignment: int, report: int) -> None:
    def is_ranked() -> bool:
        time.sleep(0.5)  # A token may ask 300 times a minute.
        state = client.get(f"/assignments/{assignment}/report")
        return bool(state["state"] == "done" and state["id"] > report)

    wait_until(is_ranked, 120, what="the new report")


def a_backup_is_restored_under_another_key_and_in_another_order(
    department: Department, client: Client, token: str, folder: Path, assignment: int
) -> None:
    link = urlsplit(client.post(f"/assignments/{assignment}/shares", lasting="month")["url"]).path
    before, backup = decisions(client, assignment), folder / "department.moss"
    department.run("maintenance", "backup", backup)
    cluster = Cluster(folder / "other-postgres", free_port_number(), ALPHABETICAL)
    broker = Broker(folder / "other-redis", free_port_number())
    (folder / "restored").mkdir()
    restored = Department(folder / "restored", department.python, cluster, broker)
    restored.variables["SECRET_KEY"] = "the key of another installation, which signed no backup"
    try:
        refused = restored.done("web-1", "restore", backup, DATABASE_OWNER_URL=cluster.url(OWNER))
        assert "is not signed with this installation's SECRET_KEY" in refused.stderr
        restored.run_as_owner("web-1", "restore", "--unsigned", backup)
        restored.run_as_owner("web-1", "setup")
        restored.start("web-1")
        assert len(before) == len(NAMES) // 2
        assert decisions(Client(restored.url(), token), assignment) == before
        assert signed_in(restored.url())
        assert requests.get(restored.url() + link, timeout=60).status_code == FORBIDDEN
        (share,) = csv.DictReader(restored.run("web-1", "links").splitlines())
        assert requests.get(restored.url() + urlsplit(share["address"]).path, timeout=60).ok
    finally:
        restored.stop_all()
        broker.stop()
        cluster.stop()


def the_next_version_takes_over_while_people_read(
    department: Department, client: Client, token: str, course: int, assignment: int
) -> None:
    pages, cookies = pages_of(client, course, assignment), signed_in(department.url())
    python = department.python
    department.run("maintenance", "backup", department.folder / BEFORE_UPGRADE)
    with Readers(30, [*department.ports.values()], pages, cookies).reading() as readers:
        department.python = next_version(python, department.folder / "next")
        department.run_as_owner("web-1", "setup")
        # The code of the version before goes on with the new tables.
        write_class(department.folder / "third", random.Random(3), 10)
        submit(department, token, department.folder / "third", "Sheet 3", COURSE)
        for name in ("worker", "interactive", "maintenance", "web-2", "web-1"):
            department.stop(name)
            department.start(name)
    say(f"30 readers during the upgrade: {dict(readers.answers)}")
    assert readers.errors() == {}
    assert "refused" not in readers.answers
    wait_until(lambda: problems(department) == [], what="the doctor of the next version")


def next_version(python: Path, target: Path) -> Path:
    """Copy an installation as a version with one migration more; return its Python."""
    shutil.copytree(python.parents[1], target, symlinks=True)
    (packages,) = target.glob("lib/*/site-packages")
    folder = packages / "submissions" / "migrations"
    last = max(path.stem for path in folder.glob("[0-9]*.py"))
    (folder / "9999_next.py").write_text(NEXT_MIGRATION.format(last=last))
    with (packages / "moss" / "database_schema.txt").open("a") as schema:
        schema.write(TABLES_OF_NEXT)
    (metadata,) = packages.glob("moss_server-*.dist-info")
    lines = (metadata / "METADATA").read_text().replace("\nVersion: ", "\nVersion: 9.", 1)
    (metadata / "METADATA").write_text(lines)
    return target / "bin" / "python"


def the_former_version_comes_back(department: Department, client: Client, former: Path, assignment: int) -> None:
    before, backup = decisions(client, assignment), department.folder / BEFORE_UPGRADE
    assert department.cluster.ask(COLUMN_OF_NEXT) == [(1,)]
    department.stop(*PARTS)
    department.python = former
    department.run_as_owner("web-1", "restore", "--replace", backup)
    department.start(*PARTS)
    assert department.cluster.ask(COLUMN_OF_NEXT) == [(0,)]
    assert decisions(client, assignment) == before
    wait_until(lambda: problems(department) == [], what="the doctor of the former version")


def a_student_is_erased(department: Department, client: Client, assignment: int) -> None:
    before: set[Any] = decisions(client, assignment)
    assert ERASED in department.cluster.dump()
    arguments = ["student", "erase", ERASED, "--reason", "A letter of the student.", "--yes"]
    receipt = department.run("web-1", *arguments)
    assert receipt.splitlines()[-2].startswith("Receipt 1: ")
    assert ERASED not in department.cluster.dump()
    assert decisions(client, assignment) == before
