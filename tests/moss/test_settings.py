"""Every environment variable is read and checked; an invalid value is refused with the variable's name."""

import re
import subprocess
from pathlib import Path

import pytest
from django.conf import settings
from django.conf.global_settings import PASSWORD_HASHERS
from django.core.exceptions import ImproperlyConfigured

from moss.environment import check_names, read_secret_key
from submissions.work.running import SENDING
from tests.moss.embedded.test_embedded import environment
from tests.support.other_environment import run

pytestmark = pytest.mark.slow

SHOW = "from moss import settings as s; print({expression})"
ROOT = Path(__file__).parents[2]
NAMING = "compose*.yaml", "deploy/**/*.yaml", "deploy/**/*.service", "docs/**/*.md", "README.md"
VARIABLES = {"SECRET_KEY": "secret", "DATABASE_URL": "postgresql://moss:pw@db.example.org:5433/grading"}


def settings_with(home: Path, expression: str = "s.DEBUG", **variables: str) -> subprocess.CompletedProcess[str]:
    """Import the settings in a process with these variables and none of the tests' own."""
    return run(SHOW.format(expression=expression), environment(home, **variables))


def evaluate(home: Path, expression: str, **variables: str) -> str:
    process = settings_with(home, expression, **variables)
    assert process.returncode == 0, process.stderr
    return process.stdout.strip()


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("MOSS_DEBUG", "maybe", "boolean"),
        ("MOSS_HTTPS", "2", "boolean"),
        ("MOSS_MAX_UPLOAD_MB", "lots", "integer"),
        ("MOSS_MAX_UPLOAD_MB", "0", "greater than or equal to 1 and less than or equal to 100000"),
        ("MOSS_PROXY_ADDRESSES", "10.0.0.1,proxy", "10.0.0.0/8"),
        ("MOSS_HSTS_DAYS", "-1", "greater than or equal to 0 and less than or equal to 3650"),
        ("SECRET_KEY_FILE", "/nowhere", "readable file"),
        ("MOSS_SIGN_IN_FAILURES", "0", "greater than or equal to 1 and less than or equal to 1000"),
        ("MOSS_MAX_UPLOAD_MB", "-5", "greater than or equal to 1 and less than or equal to 100000"),
        ("MOSS_LOG_LEVEL", "loud", "DEBUG, INFO, WARNING, ERROR"),
        ("MOSS_LOG_FORMAT", "xml", "text, json"),
        ("MOSS_METRICS_TOKEN", "short", "at least 20 characters"),
        ("MOSS_METRICS_TOKEN", "with a space in the middle", "none a space"),
        ("MOSS_TIME_ZONE", "Mars/Olympus", "Europe/Berlin"),
        ("MOSS_TIME_ZONE", "../etc/passwd", "Europe/Berlin"),
        ("MOSS_CSRF_TRUSTED_ORIGINS", "moss.example.org", "https://moss.example.org"),
        ("MOSS_RESULTS_URL", "moss.example.org", "https://moss.example.org"),
        ("MOSS_LISTEN_PORT", "0", "greater than or equal to 1 and less than or equal to 65535"),
        ("DATABASE_URL", "sqlite:///moss.db", "postgresql://"),
        ("REDIS_URL", "amqp://mq", "redis://"),
        ("MOSS_UPLOADS", "elsewhere", "must be database, folder or the path of a class"),
        ("MOSS_UPLOADS_OPTIONS", "[]", "must be a JSON object"),
    ],
)
def test_an_invalid_value_is_refused_with_its_variable_and_the_allowed_values(
    tmp_path: Path, name: str, value: str, allowed: str
) -> None:
    process = settings_with(tmp_path, **{"SECRET_KEY": "secret", name: value})
    assert process.returncode != 0
    message = process.stderr.splitlines()[-1]
    assert name in message
    assert allowed in message


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("MOSS_KEEP_MONTH", "is it MOSS_KEEP_MONTHS?"),
        ("MOSS_OIDC_SECRETS_FILE", "is it MOSS_OIDC_SECRET?"),
        ("MOSS_HTTP", "is it MOSS_HTTPS?"),
        ("MOSS_QQQQQQQQ", "leave it out"),
        ("SECRET_KEY_FALLBACK", "is it SECRET_KEY_FALLBACKS?"),
        ("DATABASE_OWNER_PASWORD", "is it DATABASE_OWNER_PASSWORD?"),
        ("moss_keep_months", "is it MOSS_KEEP_MONTHS?"),
        ("DATABASE_URI", "is it DATABASE_URL?"),
        ("moss_token", "is it MOSS_TOKEN?"),
    ],
)
def test_a_name_that_nothing_reads_ends_the_start_and_the_nearest_name_is_said(
    tmp_path: Path, name: str, advice: str
) -> None:
    process = settings_with(tmp_path, SECRET_KEY="secret", **{name: "3"})
    assert process.returncode != 0
    assert f"{name.removesuffix('_FILE')} is set, and there is no such variable: {advice}" in process.stderr


def test_each_name_that_files_and_documents_mention_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [file for pattern in NAMING for file in ROOT.glob(pattern)]
    names = {name for file in files for name in re.findall(r"MOSS_[A-Z0-9_]*[A-Z0-9]", file.read_text())}
    assert {"MOSS_WEB_MEMORY", "MOSS_SERVER", "MOSS_KEEP_MONTHS"} <= names
    kubernetes = {"MOSS_SERVICE_HOST", "MOSS_WEB_SERVICE_PORT_HTTP", "MOSS_PORT_80_TCP_ADDR", "MOSS_WEB_PORT"}
    of_others = {"DATABASE_HOST", "DATABASE_USER", "REDIS_HOST", "REDIS_PORT", "SECRET_TOKEN", "REDIS_PORT_6379_TCP"}
    for name in names | kubernetes | of_others:
        monkeypatch.setenv(name, "1")
    check_names()


def test_a_name_of_another_program_may_be_near_to_a_variable_that_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "DATABASE_URL1", "DATABASE_URLS", "REDIS_URL_FILE", "REDIS_URL2"):
        monkeypatch.setenv(name, "1")
    check_names()
    monkeypatch.delenv("DATABASE_URL")
    with pytest.raises(ImproperlyConfigured, match=r"DATABASE_URL1 is set, .* is it DATABASE_URL\?"):
        check_names()


def test_an_external_database_needs_a_secret_key(tmp_path: Path) -> None:
    process = settings_with(tmp_path, DATABASE_URL=VARIABLES["DATABASE_URL"])
    assert process.returncode != 0
    said = process.stderr.splitlines()[-1]
    assert "SECRET_KEY must be set" in said
    assert "If the service ran before, take its key from your copy of /etc/moss" in said


def test_a_private_installation_creates_its_key_once_in_a_file_only_the_owner_can_read(
    tmp_path: Path,
) -> None:
    first = evaluate(tmp_path, "s.SECRET_KEY")
    assert len(first) >= 50
    assert evaluate(tmp_path, "s.SECRET_KEY") == first
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600
    assert evaluate(tmp_path / "other", "s.SECRET_KEY") != first
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["secret_key"]


def test_of_two_processes_that_start_together_both_use_the_key_that_was_in_place_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def token_after_another_process(_size: int) -> str:
        (tmp_path / "secret_key").write_text("the first key")
        return "the second key"

    monkeypatch.setattr("secrets.token_urlsafe", token_after_another_process)
    for name in ("SECRET_KEY", "DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    assert read_secret_key(tmp_path) == "the first key"
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


def test_the_settings_start_no_server(tmp_path: Path) -> None:
    assert evaluate(tmp_path, "s.DATABASES['default']['OPTIONS']['host']") == str(tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_the_database_address_is_split_into_its_parts(tmp_path: Path) -> None:
    fields = "[s.DATABASES['default'][k] for k in ('HOST', 'PORT', 'NAME', 'USER', 'PASSWORD')]"
    assert evaluate(tmp_path, fields, **VARIABLES) == "['db.example.org', 5433, 'grading', 'moss', 'pw']"


@pytest.mark.parametrize(
    ("redis_url", "broker"),
    [
        ("redis://mq.example.org:6380/3", "redis://mq.example.org:6380/3"),
        ("unix:///run/a%20b.sock", "redis+socket:///run/a%20b.sock"),
    ],
)
def test_the_broker_is_the_redis_address_as_celery_writes_it(tmp_path: Path, redis_url: str, broker: str) -> None:
    assert evaluate(tmp_path, "s.CELERY_BROKER_URL", REDIS_URL=redis_url) == broker


def test_secrets_are_read_from_files(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a/b c\n")
    names = ("SECRET_KEY_FILE", "DATABASE_PASSWORD_FILE", "REDIS_PASSWORD_FILE")
    expression = "s.SECRET_KEY, s.DATABASES['default']['PASSWORD'], s.DATABASES['default']['HOST'], s.REDIS_URL"
    addresses = {"DATABASE_URL": "postgresql://moss@db:5432/moss", "REDIS_URL": "redis://mq:6379/0"}
    values = evaluate(tmp_path, expression, **addresses, **dict.fromkeys(names, str(secret)))
    assert values == "a/b c a/b c db redis://:a%2Fb%20c@mq:6379/0"


def test_an_empty_variable_counts_as_unset(tmp_path: Path) -> None:
    assert evaluate(tmp_path, "s.REDIS_URL", REDIS_URL="") == f"unix://{tmp_path}/run/valkey.sock"


def test_with_https_cookies_are_not_sent_over_plain_http(tmp_path: Path) -> None:
    cookies = "s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE"
    assert evaluate(tmp_path, cookies, MOSS_HTTPS="true", MOSS_PROXIES="1") == "True True"
    assert evaluate(tmp_path, cookies) == "False False"


def test_passwords_are_stored_by_a_slow_function(tmp_path: Path) -> None:
    assert not evaluate(tmp_path, "getattr(s, 'PASSWORD_HASHERS', '')")
    assert PASSWORD_HASHERS[0] == "django.contrib.auth.hashers.PBKDF2PasswordHasher"


def test_a_task_ends_itself_before_its_worker_is_killed_and_that_before_its_session_is_ended() -> None:
    soft: int = settings.CELERY_TASK_SOFT_TIME_LIMIT
    hard: int = settings.CELERY_TASK_TIME_LIMIT
    assert soft < hard < hard + SENDING.total_seconds() <= hard + 60


def test_a_message_whose_worker_was_killed_is_delivered_again_within_a_minute() -> None:
    assert int(str(settings.CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"])) <= 60
