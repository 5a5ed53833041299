"""Shared fixtures: real services, a fixed cast of users, and a real worker."""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import psycopg
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from hypothesis import HealthCheck, settings as examples

from moss.embedded import client
from moss.embedded.client import SERVICE_ROLE, ensure_services, installation_paths, release_services
from submissions.models import Membership
from submissions.uploads.read import LATER
from tests.support.kept_classes import fixed_id
from tests.support.other_sessions import empty_tables_quickly, end_other_sessions, wait_for_other_sessions
from tests.support.template_database import copy_migrated_template

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_django.plugin import DjangoDbBlocker

    from submissions.models import Assignment

# A kernel is compiled at its first call and machines are busy: no example has a time limit.
examples.register_profile(
    "all", deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
# The same examples on every machine, so that a change is judged by what it changes; `all` draws new ones.
examples.register_profile("some", parent=examples.get_profile("all"), max_examples=20, derandomize=True)
examples.register_profile("few", parent=examples.get_profile("all"), max_examples=8)
examples.load_profile("all")

PASSWORD = "correct horse battery staple"

pytest_plugins = [
    "tests.support.ports", "tests.support.browser", "tests.support.golden", "tests.support.moss_clients",
    "tests.support.uploads", "tests.support.pair_page", "tests.support.paused_tasks",
    "tests.support.previews", "tests.support.sessions", "tests.support.shared_worker",
    "tests.support.shuffled", "tests.support.small_disks", "tests.support.summary",
    "tests.support.task_queue", "tests.support.unselected", "tests.support.every_page",
    "tests.support.one_student", "tests.support.withheld", "tests.support.archive", "tests.support.days",
    "tests.support.empty_cache", "tests.support.hostile_class", "tests.support.campus",
    "tests.support.oidc_provider", "tests.support.identity_provider", "tests.support.saml_sign_out",
    "tests.support.platform", "tests.support.inbox", "tests.support.kept_children",
    "tests.support.installed_wheel", "tests.support.receiver", "tests.support.git_server",
    "tests.support.planned_rankings",
]  # fmt: skip


# Fixtures that start servers, a worker or a browser; `make test-fast` skips the tests that need one.
SERVICES = {"services", "browser"}
# What lets a database outlive a crash of its machine: a commit that does not wait for the disk takes 3 ms
# instead of 15. Autovacuum sees tables between two tests, when they are empty: plans are then for no row.
TURNED_OFF = ("fsync", "full_page_writes", "synchronous_commit", "autovacuum")
# New objects after which garbage is searched for, and searches after which older objects are included.
SEARCHES = (20_000, 20, 20)
# Seconds that requests of tests wait for a preview, however busy the machine is.
PATIENT_SECONDS = 60.0
# Files with a test of ten seconds or more come first: at the end, the other processes would wait for it.
DEAREST = (
    "tests/moss/serving/test_supervisor.py",
    "tests/browser/test_whole_way.py",
    "tests/browser/test_every_page.py",
    "tests/submissions/reports/test_same_figures.py",
    "tests/test_under_path.py",
)
# Fixtures after which every table is emptied, because they commit.
REAL_TRANSACTIONS = {"transactional_db", "live_server"}


def pytest_configure() -> None:
    os.umask(0o022)  # some tests read as another user what they wrote
    empty_tables_quickly()
    LATER.seconds = PATIENT_SECONDS


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect the tests without a search for garbage: there is little, and it took a quarter of the time.

    No later search looks at what was loaded until then, and there are fewer of them, which took an eighth.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        gc.set_threshold(*SEARCHES)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need real services or a browser, and begin with the dearest."""
    items.sort(key=lambda item: not item.nodeid.startswith(DEAREST))
    for item in items:
        if item.get_closest_marker("django_db") or SERVICES & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.services)


def _wait_until_stopped(home: Path) -> None:
    """Return when no daemon of the installation at `home` is running."""
    if home.exists():
        with (home / "daemon.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
    for daemon in client._daemons.pop(home, []):
        daemon.wait()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the servers and delete their home when the last test process ends."""
    if not hasattr(config, "workerinput"):
        release_services()
        home = Path(os.environ["MOSS_TEST_HOME"])
        _wait_until_stopped(installation_paths(home).home)
        shutil.rmtree(home)
        return
    release_services()
    for daemon in chain.from_iterable(client._daemons.values()):
        # The process above waits for its end; without a result, Popen would warn that it still runs.
        daemon.returncode = 0


@pytest.fixture(scope="session")
def services() -> None:
    """Start one Postgres and one Valkey, which all test processes share."""
    ensure_services()
    with psycopg.connect(settings.DATABASE_URL, autocommit=True) as server:
        for parameter in TURNED_OFF:
            server.execute(f"ALTER SYSTEM SET {parameter} TO off")
        server.execute("SELECT pg_reload_conf()")
        # In a test, workers connect as the service and other sessions as the owner.
        server.execute(f"GRANT pg_read_all_stats TO {SERVICE_ROLE}")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    services: None, django_db_modify_db_settings_parallel_suffix: None, django_db_blocker: DjangoDbBlocker
) -> None:
    """Start the services before pytest-django creates its database, as a copy of the migrated template."""
    with django_db_blocker.unblock():
        copy_migrated_template()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Create the test database, and end the sessions that are left before it is dropped."""
    yield
    with django_db_blocker.unblock():
        end_other_sessions()


@pytest.fixture(autouse=True)
def _idle_sessions(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let other sessions end their transactions before the tables are emptied."""
    marker = request.node.get_closest_marker("django_db")
    is_real = REAL_TRANSACTIONS & set(request.fixturenames) or (marker and marker.kwargs.get("transaction"))
    if is_real:
        request.getfixturevalue("transactional_db")
    yield
    if is_real:
        wait_for_other_sessions()


def _user(name: str, **rights: bool) -> User:
    return User.objects.create_user(name, f"{name}@example.org", PASSWORD, id=fixed_id(User, name), **rights)


@pytest.fixture
def alice(db: None) -> User:
    """A user who teaches a course."""
    return _user("alice")


@pytest.fixture
def bob(db: None) -> User:
    """A user who teaches another course."""
    return _user("bob")


@pytest.fixture
def charlie(db: None) -> User:
    """A user who has an account but no access to anybody's course."""
    return _user("charlie")


@pytest.fixture
def admin(db: None) -> User:
    return _user("admin", is_staff=True, is_superuser=True)


@pytest.fixture
def colleague(assignment: Assignment) -> User:
    """A user who is an instructor of Alice's course."""
    user = _user("colin")
    Membership.objects.create(course=assignment.course, user=user, role=Membership.Role.INSTRUCTOR)
    return user


def _signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def alice_client(alice: User) -> Client:
    return _signed_in(alice)


@pytest.fixture
def colleague_client(colleague: User) -> Client:
    return _signed_in(colleague)


@pytest.fixture
def bob_client(bob: User) -> Client:
    return _signed_in(bob)


@pytest.fixture
def charlie_client(charlie: User) -> Client:
    return _signed_in(charlie)


@pytest.fixture
def admin_client(admin: User) -> Client:
    return _signed_in(admin)


def wait_until(condition: Callable[[], bool], seconds: float = 60.0, *, what: str = "it") -> None:
    """Return when the condition holds; fail when it does not within the time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"waited {seconds:.0f} s for {what} in vain")
        time.sleep(0.05)


def worker_environment() -> dict[str, str]:
    database = urlsplit(settings.PATHS.database_url)._replace(path=f"/{connection.settings_dict['NAME']}")
    return {**os.environ, "DATABASE_URL": database.geturl(), "DJANGO_SETTINGS_MODULE": "tests.settings"}


@contextmanager
def running_worker(log: Path, **variables: str) -> Iterator[Path]:
    """Run a worker that uses the test database and queue; yield the file with its output."""
    options = ["--concurrency=1", "--without-gossip", "--without-mingle"]
    with log.open("wb") as output:
        worker = subprocess.Popen(
            [sys.executable, "-m", "celery", "--quiet", "-A", "moss", "worker", *options],
            env=worker_environment() | variables,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=settings.BASE_DIR,
        )
    try:
        wait_until(lambda: b" ready." in log.read_bytes() or worker.poll() is not None, what="the worker")
        assert worker.poll() is None, log.read_text()
        yield log
    finally:
        worker.terminate()
        worker.wait(60)
