"""`moss doctor` has one line a check, says what to do, and ends with status 1 on a problem."""

import gzip
import json
import os
import socket
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from socketserver import BaseRequestHandler, TCPServer
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result
from django.core.cache import cache
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.test import override_settings
from django.utils import timezone
from pytest_django.fixtures import Settings

from fingerprint import engine
from moss.cli import main
from moss.operations import doctor as checks
from moss.operations.database import database_locale
from moss.operations.doctor import CHECKS
from submissions.work import heartbeats
from submissions.work.kinds import QUEUES
from tests.support.identity_provider import IdentityProvider
from tests.support.loopback import serving
from tests.support.rights import as_nobody, let_others_enter
from tests.test_compose import OURS


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["doctor", *arguments])


def states() -> dict[str, str]:
    return {finding["check"]: finding["state"] for finding in json.loads(run("--json").stdout)}


@pytest.fixture
def worker() -> Iterator[heartbeats.Worker]:
    """Return a worker of another version that just gave a sign of life for both queues."""
    now = timezone.now().isoformat()
    other = heartbeats.Worker("old@host", os.getpid(), [*QUEUES], 1, "0.0.1", "moss old", now)
    heartbeats.save_worker(other)
    yield other
    heartbeats.delete_worker(other.name)


@pytest.mark.django_db
def test_each_check_is_one_line_and_services_that_answer_are_ok() -> None:
    result = run()
    lines = result.stdout.splitlines()
    assert len(lines) == len(CHECKS)
    assert {line.split()[0] for line in lines} <= {"ok", "warning", "problem"}
    assert any(line.startswith("ok       database: Postgres") for line in lines)
    assert any(line.startswith("ok       broker: Valkey") for line in lines)
    assert {"migrations", "clock", "mail"} <= {name for name, state in states().items() if state == "ok"}


@pytest.mark.django_db
def test_without_a_server_workers_are_a_warning_of_the_private_set_up(no_worker: None) -> None:
    # The tests set the variable that this check refuses.
    with override_settings(SILENCED_SYSTEM_CHECKS=["async.E001"]):
        result = run()
    assert states()["workers"] == "warning"
    assert "Start `moss serve`" in result.stdout
    assert result.exit_code == 0


@pytest.mark.django_db
def test_without_workers_a_set_up_with_its_own_database_has_a_problem(
    monkeypatch: pytest.MonkeyPatch, no_worker: None
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://elsewhere/moss")
    monkeypatch.setenv("REDIS_URL", "redis://elsewhere")
    assert checks.workers().state == "problem"


@pytest.mark.django_db
def test_a_worker_of_another_version_is_a_problem(worker: heartbeats.Worker) -> None:
    result = run()
    assert result.exit_code == 1
    assert "old@host (0.0.1)" in result.stdout
    assert "Restart these workers" in result.stdout


@pytest.mark.django_db
def test_a_broker_that_does_not_answer_is_a_problem_with_advice(tmp_path: Path) -> None:
    with override_settings(REDIS_URL=f"unix://{tmp_path}/nobody.sock"):
        result = run()
    assert result.exit_code == 1
    [line] = [line for line in result.stdout.splitlines() if line.startswith("problem  ") and "settings:" not in line]
    assert line.startswith("problem  broker:")
    assert "; not checked: connections, workers, maintenance, backups. Start Valkey." in line


@pytest.mark.django_db(transaction=True)
def test_a_database_that_does_not_answer_is_one_problem_and_the_other_checks_go_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    connection.close()
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "HOST", str(tmp_path))
        found = {finding["check"]: finding for finding in json.loads(run("--json").stdout)}
        connection.close()
    needing = "collation, pooling, connections, migrations, rights, maintenance, clock, sealed"
    assert found["database"]["state"] == "problem"
    assert found["database"]["message"].endswith(f"; not checked: {needing}")
    assert not {"migrations", "clock"} & found.keys()
    assert found["broker"]["state"] == "ok"


class RefusingPostgres(BaseRequestHandler):
    """Answers as Postgres does that takes no session: with a fatal error, its code and its text."""

    text = ""

    def handle(self) -> None:
        self.request.recv(8)
        self.request.sendall(b"N")  # no encryption
        self.request.recv(1000)
        fields = b"SFATAL\0VFATAL\0C53100\0M" + self.text.encode() + b"\0\0"
        self.request.sendall(b"E" + (len(fields) + 4).to_bytes(4) + fields)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("could not write init file: No space left on device", "Make room on the disk of Postgres:"),
        ('password authentication failed for user "moss"', "It runs: correct DATABASE_URL and DATABASE_PASSWORD."),
        ("sorry, too many clients already", "Postgres runs; its log may say more."),
        ("", "Start Postgres. Else correct DATABASE_URL and DATABASE_PASSWORD."),
    ],
)
@pytest.mark.django_db(transaction=True)
def test_the_advice_for_a_database_follows_its_error(
    monkeypatch: pytest.MonkeyPatch, free_port: int, text: str, advice: str
) -> None:
    monkeypatch.setattr(RefusingPostgres, "text", text)
    with serving(TCPServer(("127.0.0.1", 0), RefusingPostgres)) as server, monkeypatch.context() as patch:
        connection.close()
        port = server.server_address[1] if text else free_port
        for name, value in (("HOST", "127.0.0.1"), ("PORT", str(port))):
            patch.setitem(connection.settings_dict, name, value)
        [found] = [one for one in checks.findings() if one.check == "database"]
        connection.close()
    assert (found.state, text in found.message, found.advice.startswith(advice)) == ("problem", True, True), found


@pytest.mark.django_db
def test_a_database_that_answers_with_an_error_is_not_to_be_started() -> None:
    with pytest.raises(DatabaseError) as missing, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM missing")
    assert checks._advice("database", missing.value) == "Postgres runs; its log may say more."


@pytest.mark.django_db
def test_a_database_that_allows_no_temporary_files_is_ok() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL temp_file_limit = 0")
        assert checks.database().state == "ok"


def test_a_home_that_this_user_may_not_write_is_a_problem(settings: Settings, tmp_path: Path) -> None:
    let_others_enter(tmp_path)
    settings.MOSS_HOME, settings.MEDIA_ROOT = tmp_path / "home", tmp_path / "home" / "media"
    settings.MEDIA_ROOT.mkdir(parents=True)
    assert checks.home().state == "ok"
    advice = "As root, `install -d -o nobody -m 700 FOLDER` makes a new folder for this user"
    with as_nobody():
        found = checks.home()
    assert (found.state, found.message) == ("problem", f"{settings.MOSS_HOME}: Permission denied. {advice}")
    os.chown(settings.MOSS_HOME, 65534, 65534)
    with as_nobody():
        assert checks.home().message == f"{settings.MEDIA_ROOT}: Permission denied. {advice}"


def test_a_home_that_is_read_only_is_a_problem_and_lacks_no_rights(settings: Settings, small_disk: Path) -> None:
    settings.MOSS_HOME = small_disk
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    message = "Read-only file system; it is read-only here (ReadWritePaths of the unit, :ro of the volume)"
    assert checks.home().message == f"{small_disk}: {message}"


@pytest.fixture
def no_backup() -> Iterator[None]:
    ends = (heartbeats.WRITTEN, heartbeats.FAILED)
    cache.delete_many(ends)
    yield
    cache.delete_many(ends)


@pytest.mark.usefixtures("no_backup")
def test_the_age_and_the_outcome_of_the_last_backup_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (checks.backups().state, checks.backups().message) == ("warning", "Valkey knows of none")
    heartbeats.save_end(heartbeats.WRITTEN)
    assert checks.backups().state == "ok"
    heartbeats.save_end(heartbeats.FAILED)
    assert (checks.backups().state, "the last one failed" in checks.backups().message) == ("problem", True)
    heartbeats.save_end(heartbeats.WRITTEN)
    monkeypatch.setattr(checks, "OLD_BACKUP", timedelta())
    assert (checks.backups().state, "was written on" in checks.backups().message) == ("warning", True)


@pytest.mark.parametrize(
    ("kind", "advices"),
    [
        ("", checks.SERVE),
        ("UNITS", checks.SYSTEMD),
        ("CONTAINER", checks.COMPOSE),
        ("POD", checks.KUBERNETES),
    ],
)
def test_the_advice_is_that_of_the_installation(
    kind: str, advices: checks.Advices, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(checks.POD, raising=False)
    monkeypatch.setattr(checks, "private_servers", lambda: not kind)
    for place in ("UNITS", "CONTAINER"):
        monkeypatch.setattr(checks, place, tmp_path if place == kind else tmp_path / "none")
    if kind == "POD":
        monkeypatch.setenv(checks.POD, "10.0.0.1")
    assert checks.advices() == advices


def test_in_containers_all_that_uses_the_database_is_stopped() -> None:
    _, _, stopped = checks.COMPOSE.stop.partition(" stop ")
    assert {*stopped.strip("`.").split()} == OURS.keys() - {"migrate"}


@pytest.mark.django_db
def test_migrations_that_are_missing_or_unknown_are_problems() -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_applied("submissions", "9999_of_a_newer_version")
    assert "9999_of_a_newer_version" in checks.migrations().message
    recorder.record_unapplied("submissions", "9999_of_a_newer_version")
    last = max(name for app, name in recorder.applied_migrations() if app == "corpus")
    recorder.record_unapplied("corpus", last)
    assert checks.migrations().state == "problem"
    assert "moss setup" in checks.migrations().advice
    call_command("migrate", "corpus", last, fake=True, verbosity=0)


def test_a_mail_server_that_refuses_connections_is_a_problem() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        backend = "django.core.mail.backends.smtp.EmailBackend"
        with override_settings(MAIL=True, EMAIL_BACKEND=backend, EMAIL_HOST="127.0.0.1", EMAIL_PORT=port):
            answered = checks.mail()
    assert answered.state == "problem"
    assert "MOSS_MAIL_HOST" in answered.advice


@pytest.mark.usefixtures("campus")
def test_a_campus_provider_that_answers_is_ok() -> None:
    answered = checks.campus()
    assert (answered.state, "answers" in answered.message) == ("ok", True)


def test_a_campus_provider_that_cannot_be_asked_is_a_problem() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with override_settings(OIDC_URL=f"http://127.0.0.1:{unused.getsockname()[1]}"):
            answered = checks.campus()
    assert answered.state == "problem"
    assert "MOSS_OIDC_URL" in answered.advice


def test_the_certificate_of_a_saml_provider_is_read(identity_provider: IdentityProvider) -> None:
    answered = checks.saml()
    assert answered.state == "warning"
    assert "its certificate is valid until" in answered.message


def test_a_saml_provider_without_readable_metadata_is_a_problem(
    identity_provider: IdentityProvider, settings: Settings
) -> None:
    known = settings.SOCIALACCOUNT_PROVIDERS["saml"]["APPS"][0]["settings"]["idp"]
    known["x509cert"] = "no certificate"
    assert checks.saml().state == "problem"
    del known["x509cert"]
    known["metadata_url"] = identity_provider.url
    assert "MOSS_SAML_METADATA_URL" in checks.saml().advice


def test_the_key_pair_of_the_service_is_checked(
    encrypting_provider: IdentityProvider, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "SOON", timedelta(hours=1))
    answered = checks.saml()
    assert (answered.state, "the certificate of this service" in answered.message) == ("ok", True)
    advanced = settings.SOCIALACCOUNT_PROVIDERS["saml"]["APPS"][0]["settings"]["advanced"]
    advanced["private_key"] = encrypting_provider.key
    assert checks.saml().message == "the key of this service is not the one of its certificate"
    advanced["x509cert"] = "no certificate"
    assert "cannot be read" in checks.saml().message


def test_a_small_disk_and_a_folder_that_cannot_be_written_are_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(checks, "DISK_PROBLEM_BYTES", 10**18)
    monkeypatch.setattr(checks, "DISK_WARNING_BYTES", 10**18)
    assert checks.disk().state == "problem"
    monkeypatch.setattr(engine, "compiled_library", lambda: None)
    assert checks.kernels().state == "warning"


def test_an_error_in_the_settings_is_a_problem_and_a_warning_is_none() -> None:
    # The tests set the variable of async.E001, and use no HTTPS, which is a warning.
    assert "async.E001" in checks.deployment().message
    assert checks.deployment().state == "problem"
    with override_settings(SILENCED_SYSTEM_CHECKS=["async.E001"]):
        assert checks.deployment().state == "warning"


def test_https_without_its_promise_names_the_variable(settings: Settings) -> None:
    settings.HTTPS = settings.SECURE_SSL_REDIRECT = True
    settings.SECRET_KEY = "".join(map(chr, range(ord("0"), ord("z"))))
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True
    settings.SECURE_HSTS_SECONDS, settings.SILENCED_SYSTEM_CHECKS = 0, ["async.E001", "security.W021"]
    found = checks.deployment()
    assert (found.state, found.message) == ("warning", "browsers may come back to HTTP (MOSS_HSTS_DAYS)")
    assert "MOSS_HSTS_DAYS=0" in found.advice
    settings.SECRET_KEY = "0123456789abcdef" * 3
    found = checks.deployment()
    assert found.message == "SECRET_KEY is short or simple; browsers may come back to HTTP (MOSS_HSTS_DAYS)"
    assert "MOSS_HSTS_DAYS=0" in found.advice


def test_nobody_is_told_to_replace_the_key_of_a_service(settings: Settings) -> None:
    settings.SECRET_KEY = "0123456789abcdef" * 3
    found = checks.deployment()
    assert "If you change it, name the present one in SECRET_KEY_FALLBACKS" in found.advice
    assert "Set SECRET_KEY" not in found.advice
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = f"{settings.SECRET_KEY}9876543210", [settings.SECRET_KEY]
    assert "SECRET_KEY" not in checks.deployment().message, "the former key stays as short as it is"


@pytest.mark.parametrize(
    ("number", "mended", "faults"),
    [
        (3_008_008, "", ()),
        (3_008_001, "", ("CVE-2026-14164",)),
        (3_007_004, "", tuple(checks.RAR_FAULTS)),
        (3_006_002, "  * Fix CVE-2024-26256, CVE-2025-5914\n", ("CVE-2025-5915", "CVE-2026-14164")),
        (3_006_002, " ".join(checks.RAR_FAULTS), ()),
    ],
)
def test_known_faults_of_the_readers_of_archives_are_named_where_nobody_mended_them(
    number: int, mended: str, faults: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    changelog = tmp_path / "libarchive13t64" / "changelog.Debian.gz"
    changelog.parent.mkdir()
    changelog.write_bytes(gzip.compress(mended.encode()))
    library = SimpleNamespace(archive_version_number=lambda: number)
    monkeypatch.setattr(checks, "DOC", tmp_path)
    monkeypatch.setattr(checks, "find_library", lambda _name: "libarchive.so.13")
    monkeypatch.setattr("moss.operations.doctor.ctypes.CDLL", lambda _name: library)
    finding = checks.libarchive()
    assert finding.state == ("warning" if faults else "ok")
    assert f" {number // 1_000_000}.{number // 1_000 % 1_000}.{number % 1_000}" in finding.message
    assert [name for name in checks.RAR_FAULTS if name in finding.message] == list(faults)


@pytest.mark.parametrize(("version", "state"), [("2.36.9", "warning"), ("2.37.0", "ok")])
def test_git_has_at_least_the_version_that_fetching_needs(
    version: str, state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git = tmp_path / "git"
    git.write_text(f"#!/bin/sh\necho git version {version}\n")
    git.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert checks.git().state == state


@pytest.mark.django_db
def test_a_new_version_of_the_collation_has_the_indexes_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    locale = database_locale()._replace(made_with="2.36", is_now="2.41")
    monkeypatch.setattr(checks, "database_locale", lambda: locale)
    answered = checks.collation()
    assert (answered.state, "made with version 2.36" in answered.message) == ("problem", True)
    assert f"REINDEX DATABASE {connection.settings_dict['NAME']}" in answered.advice
    monkeypatch.setattr(checks, "database_locale", lambda: locale._replace(encoding="LATIN1"))
    assert "the encoding LATIN1" in checks.collation().message
