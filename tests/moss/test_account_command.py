"""`moss account`: accounts in bulk from the command line."""

import csv
import re
from io import StringIO
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from allauth.socialaccount.models import SocialAccount
from click.testing import CliRunner, Result
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from moss.cli import main
from submissions.models import AuditEntry
from tests.support.api import client_with, secret_of, send
from tests.support.html import get_page

pytestmark = pytest.mark.django_db

PEOPLE = "\ufeffusername;email;first_name;last_name\nada;ada@example.org;Ada;Lovelace\nben;;Ben;\n"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["account", *arguments])


@pytest.fixture
def people(tmp_path: Path) -> str:
    file = tmp_path / "people.csv"
    file.write_text(PEOPLE)
    return str(file)


def test_accounts_of_a_file_are_created_once_and_listed(people: str) -> None:
    assert run("create", "--csv", people).output == "Accounts created: 2, there before: 0.\n"
    assert run("create", "--csv", people, "cleo").output == "Accounts created: 1, there before: 2.\n"
    assert User.objects.get(username="ada").get_full_name() == "Ada Lovelace"
    assert not User.objects.get(username="ada").has_usable_password()
    rows = list(csv.DictReader(StringIO(run("list").output)))
    assert [(row["username"], row["email"], row["is_active"]) for row in rows] == [
        ("ada", "ada@example.org", "True"), ("ben", "", "True"), ("cleo", "", "True"),
    ]  # fmt: skip
    assert AuditEntry.objects.filter(subject="created: ben").count() == 1


def test_a_name_of_other_case_or_given_twice_is_one_account(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text('username,first_name,last_name\nada,"Ada\nKing",=1+1\nAda,A,B\nada,"Ada, K.",=1+1\n')
    assert run("create", "--csv", str(file)).output == "Accounts created: 1, there before: 0.\n"
    assert run("create", "ADA").output == "Accounts created: 0, there before: 1.\n"
    assert run("list").output.splitlines()[1].startswith('ada,,"Ada, K.",\'=1+1,')


@pytest.mark.parametrize("data", [b"username\nJ\xf6rg\n", b'username\n"' + b"a" * 200_000])
def test_a_file_that_is_no_csv_is_refused(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "wrong.csv"
    file.write_bytes(data)
    refused = run("create", "--csv", str(file))
    assert (refused.exit_code, "is no CSV file in UTF-8" in refused.output) == (1, True)


@pytest.mark.parametrize("wrong", ["service:x", "a b", ""])
def test_where_one_cannot_be_created_none_is(people: str, wrong: str) -> None:
    refused = run("create", "--csv", people, wrong)
    assert (refused.exit_code, "None was created." in refused.output) == (1, True), refused.output
    assert not User.objects.exists()


def test_invited_people_choose_a_password_by_mail_or_by_a_printed_link(
    people: str, client: Client, settings: Settings
) -> None:
    settings.MAIL, settings.PUBLIC_ORIGIN = True, "https://moss.example.org"
    result = run("invite", "--csv", people)
    [sent] = mail.outbox
    assert (sent.to, "user name ada" in str(sent.body)) == (["ada@example.org"], True)
    for text in (str(sent.body), result.output):
        [path] = re.findall(r"https://moss\.example\.org(/\S+)", text)
        form = client.get(path, follow=True)
        password = "lighthouse keeper 1811"
        chosen = client.post(form.redirect_chain[-1][0], {"password1": password, "password2": password})
        assert chosen.status_code == 302
        assert not client.get(path, follow=True).redirect_chain
    assert [user.check_password(password) for user in User.objects.all()] == [True, True]


def test_a_closed_account_can_do_nothing_any_more(alice: User, alice_client: Client) -> None:
    caller = client_with(secret_of(alice))
    assert send(caller, "get", "/courses").status_code == 200
    assert run("disable", "alice").output == "Accounts closed: 1.\n"
    assert send(caller, "get", "/courses").status_code == 401
    assert alice_client.get("/").status_code == 302
    assert "or it is closed (moss account enable opens it): alice." in run("disable", "alice").output


def test_a_closed_account_is_opened_again(alice: User, client: Client) -> None:
    assert "There is no account, or it is open: alice." in run("enable", "alice").output
    run("disable", "alice")
    assert "it is closed (moss account enable opens it): alice." in run("invite", "alice").output
    assert run("enable", "alice").output == "Accounts opened again: 1.\n"
    client.force_login(User.objects.get(username="alice"))
    assert client.get("/").status_code == 200
    assert AuditEntry.objects.filter(subject="opened again: alice", page="moss account").count() == 1


def test_the_last_administrator_who_can_sign_in_is_not_closed(admin: User, alice: User) -> None:
    invited = User.objects.create_user("root2", is_staff=True)
    for names in (["admin"], ["alice", "admin", "root2"]):
        refused = run("disable", *names)
        assert refused.exit_code == 1
        assert "No administrator could sign in any more: nothing was changed. First run moss manage" in refused.output
    assert not User.objects.filter(is_active=False).exists()
    invited.set_password("lighthouse keeper 1811")
    invited.save()
    assert run("disable", "admin").exit_code == 0
    assert run("disable", "root2").exit_code == 1
    assert run("disable", "alice").exit_code == 0


def test_an_administrator_with_a_campus_account_can_sign_in(admin: User, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_staff=True, password="!none")
    assert run("disable", "admin").exit_code == 1
    SocialAccount.objects.create(user=alice, provider="campus", uid="alice")
    assert run("disable", "admin").exit_code == 0


def test_inviting_says_how_long_links_work_and_what_to_do_with_those_that_were_not_sent(
    people: str, settings: Settings
) -> None:
    works = "Each link works once, for 3 days.\n"
    hand_over = "0 of 2 invitations were sent. Hand over the links above: no mail is set (MOSS_MAIL_HOST)."
    assert run("invite", "--csv", people).stderr == f"{hand_over} {works}"
    settings.MAIL = True
    hand_over = "1 of 2 invitations were sent. Hand over the links above."
    assert run("invite", "--csv", people).stderr == f"{hand_over} {works}"
    assert run("invite", "ada").stderr == f"1 of 1 invitations were sent. {works}"


def test_a_link_that_expired_says_how_long_it_worked_and_who_makes_another(
    client: Client, alice: User, settings: Settings
) -> None:
    assert settings.PASSWORD_RESET_TIMEOUT == settings.LINK_DAYS * 24 * 60 * 60
    address = run("invite", "alice").stdout.split()[1]
    settings.PASSWORD_RESET_TIMEOUT = -1
    page = get_page(client, urlsplit(address).path).text("main")
    assert "This link was used or has expired. The link works once, for 3 days." in page
    assert "Ask the administrator of this service for a new link." in page
    settings.MAIL = True
    assert reverse("account_reset_password") in get_page(client, urlsplit(address).path).links()


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("name,mail\nada,x\n", "has no column username"),
        ("username,emial\nada,ada@example.org\n", "csv has a column emial, and there is no such column: is it email?"),
        (
            "username,,phone,Lastname\nada,,1,K\n",
            "csv has a column lastname, and there is no such column: is it last_name?",
        ),
        ("username,first_name\nada,Ada, Countess\n", "people.csv has a value in no column, or in one without a name."),
        ("username,,email\nada,secret,a@example.org\n", "people.csv has a value in no column"),
        ("username,first_name\nada,Ada,,x\n", "Error: Line 2 of "),
        ("", "people.csv has no column username."),
    ],
)
def test_a_file_with_a_wrong_column_is_refused(text: str, error: str, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text(text)
    refused = run("create", "--csv", str(file))
    assert (refused.exit_code, error in refused.output) == (1, True), refused.output
    assert not User.objects.exists()
    assert run("create").exit_code == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("username,email\nada,ada@example.org, \n", ""),
        ("username;email;;\nada;ada@example.org;;\n", ""),
        ("username;email\nada;ada@example.org;;\n", ""),
        (
            "id,username,email,department,phone,full_name,surname\n1,ada,ada@example.org,Maths,38,Ada King,King\n",
            "Columns of - that are not read: id, department, phone, full_name, surname.\n",
        ),
    ],
)
def test_columns_that_are_not_read_are_named_and_empty_ones_are_none(text: str, said: str) -> None:
    created = CliRunner().invoke(main, ["account", "create", "--csv", "-"], input=text)
    assert (created.exit_code, created.stdout) == (0, "Accounts created: 1, there before: 0.\n"), created.output
    assert created.stderr == said
    assert User.objects.get().email == "ada@example.org"


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_columns_are_read_in_any_case_and_from_the_input_and_as_the_list_writes_them(separator: str) -> None:
    rows = f"Username{separator} E-Mail \nada{separator}ada@example.org\n"
    assert "is it email?" in CliRunner().invoke(main, ["account", "create", "--csv", "-"], input=rows).output
    created = CliRunner().invoke(main, ["account", "create", "--csv", "-"], input=rows.replace("E-Mail", "EMAIL"))
    assert created.output == "Accounts created: 1, there before: 0.\n"
    assert User.objects.get().email == "ada@example.org"
    again = CliRunner().invoke(main, ["account", "create", "--csv", "-"], input=run("list").output)
    assert again.output == "Accounts created: 0, there before: 1.\n"
