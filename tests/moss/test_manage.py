"""`moss manage` says in a sentence why a command failed, and what to do."""

import pytest
from click.testing import CliRunner
from django.db import connection
from pytest_django.fixtures import Settings

from moss.cli import main

pytestmark = pytest.mark.services


@pytest.mark.django_db(transaction=True)  # the command closes its connection
def test_a_mail_that_no_server_takes_is_one_sentence(settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST = ""
    result = CliRunner().invoke(main, ["manage", "sendtestemail", "ada@example.org"])
    assert result.exit_code == 1
    assert result.output.startswith("Error: The mail could not be sent: ")
    assert "MOSS_MAIL_HOST" in result.output


@pytest.mark.django_db(transaction=True)
def test_a_table_that_is_not_there_is_one_sentence() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE axes_accessattempt RENAME TO renamed")
    try:
        result = CliRunner().invoke(main, ["manage", "axes_list_attempts"])
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE renamed RENAME TO axes_accessattempt")
    assert result.exit_code == 1
    assert 'The database refused it: relation "axes_accessattempt" does not exist.' in result.output
    assert len(result.output.splitlines()) == 1
