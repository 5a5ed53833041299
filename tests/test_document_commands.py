"""The shell commands of all documents: each is run, here or by a named test, or has a reason why not."""

import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from django.contrib.auth.models import User

from moss.cli import main
from moss.sample import sample_zip
from tests.support.archives import zipped
from tests.support.document_commands import (
    COVERED,
    NOT_RUN,
    DocumentCommand,
    beginning,
    document_commands,
    is_run_here,
)
from tests.support.named_tests import named_test_exists
from tests.support.paths import ROOT
from tests.support.processes import completed
from tests.support.sample_class import CLASS, STARTER

COMMANDS = document_commands()
RUN = [one for one in COMMANDS if is_run_here(one)]
CHECKS = sorted({one.text for one in RUN if one.text.startswith("moss check ")})
CORPUS = [one.text for one in RUN if one.text.startswith("moss corpus ")]
SHELL = [one for one in RUN if one.text not in {*CHECKS, *CORPUS}]
TARGETS = set(re.findall(r"^([\w./-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def beginning_with(words: str) -> list[str]:
    return sorted({one.text for one in COMMANDS if one.text.startswith(words)})


def test_every_listed_beginning_is_in_a_document() -> None:
    used = {beginning(one.text, COVERED | NOT_RUN) for one in COMMANDS}
    assert len(COMMANDS) > 100
    assert (COVERED.keys() | NOT_RUN.keys()) - used <= {"make site"}


@pytest.mark.parametrize("name", sorted(set(COVERED.values())))
def test_a_test_that_runs_a_command_exists(name: str) -> None:
    assert named_test_exists(name)


@pytest.mark.parametrize("command", beginning_with("moss "))
def test_moss_has_every_command_and_option_that_a_document_names(command: str) -> None:
    words, group = shlex.split(command)[1:], main
    context = click.Context(group)
    while words and isinstance(group, click.Group) and not words[0].startswith("-"):
        inner = group.get_command(context, words.pop(0))
        assert inner is not None
        group, context = inner, click.Context(inner)  # type: ignore[assignment] # a command, not a group
    options = {name for one in group.get_params(context) for name in one.opts}
    assert {word.partition("=")[0] for word in words if word.startswith("-")} <= options | {"--noinput"}


@pytest.mark.parametrize("command", beginning_with("make "))
def test_make_has_every_target_that_a_document_names(command: str) -> None:
    assert set(command.split()[1:]) <= TARGETS


@pytest.mark.parametrize("command", sorted({one.text for one in COMMANDS if one.text.startswith("python -m ")}))
def test_python_has_every_module_and_option_that_a_document_names(command: str) -> None:
    module, *rest = command.split()[2:]
    path = ROOT / f"{module.replace('.', '/')}.py"
    source = "".join(file.read_text() for file in path.parent.glob("*.py"))
    assert path.exists()
    assert all(f'"{word}"' in source for word in rest if word.startswith("--"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Be in a folder that has the files that the documents' commands name."""
    monkeypatch.chdir(tmp_path)
    for name in ("answers.zip", "class.zip", "export.zip", "last-year.zip"):
        (tmp_path / name).write_bytes(sample_zip())
    (tmp_path / "starter.zip").write_bytes(zipped({"starter.py": STARTER.encode()}))
    for section in ("A", "B"):
        for path, text in CLASS.items():
            file = tmp_path / "class" / f"Section {section}" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{text}\n")
    essay = "The tide comes in twice a day and the harbour fills with water and small boats. " * 9
    (tmp_path / "essays").mkdir()
    (tmp_path / "essays" / "tide.txt").write_text(essay)
    (tmp_path / "new-essay.txt").write_text(essay + "It goes out again.")
    (tmp_path / "new-essays.zip").write_bytes(zipped({"a.txt": essay.encode()}))
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("command", CHECKS)
def test_moss_check_runs_as_written(command: str, folder: Path) -> None:
    result = CliRunner().invoke(main, shlex.split(command)[1:])
    assert result.exit_code == 0, result.output
    assert re.search(r"similarity|submissions found", result.output)


@pytest.mark.django_db
def test_moss_corpus_runs_as_written_one_command_after_the_other(folder: Path) -> None:
    assert len(CORPUS) == 6
    outputs = [CliRunner().invoke(main, shlex.split(command)[1:]) for command in CORPUS]
    assert [(one.exit_code, one.output) for one in outputs if one.exit_code] == []
    assert "tide.txt" in outputs[2].output


@pytest.mark.django_db(transaction=True)  # the command closes its connection
def test_the_first_account_is_created(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"USERNAME": "ada", "PASSWORD": "harbour-and-tide", "EMAIL": ""}.items():
        monkeypatch.setenv(f"DJANGO_SUPERUSER_{name}", value)
    result = CliRunner().invoke(main, ["manage", "createsuperuser", "--noinput"])
    assert result.exit_code == 0, result.output
    assert User.objects.get().is_superuser


@pytest.mark.slow
@pytest.mark.parametrize("document", sorted({one.document for one in SHELL}))
def test_other_commands_run_as_written_in_a_shell(document: str, folder: Path) -> None:
    (folder / "deploy" / "kubernetes").mkdir(parents=True)
    lines = [one.text for one in SHELL if one.document == document]
    passwords = {f"{name}_PASSWORD": "x" for name in ("POSTGRES", "SERVICE", "VALKEY")}
    script = "\n".join(["set -eu", *lines])
    run = completed(["sh", "-c", script], cwd=folder, env={"PATH": "/usr/bin:/bin", **passwords})
    assert run.returncode == 0, run.stderr


def test_nothing_else_is_run_in_a_shell() -> None:
    assert {one.text.split()[0] for one in SHELL} == {"cd", "mkdir", "openssl", "printf"}
    assert all(isinstance(one, DocumentCommand) for one in SHELL)


def test_the_trial_of_a_bare_machine_runs_every_command_of_the_first_class_and_the_readme() -> None:
    trial = (ROOT / ".ci" / "try-install").read_text() + (ROOT / ".ci" / "bare").read_text()
    documents = {"README.md", "docs/start/first-class.md"}
    commands = [one.text for one in document_commands() if one.document in documents and one.in_block]
    assert len(commands) >= 7
    assert [
        one for one in commands if one not in trial.replace("install -q --disable-pip-version-check", "install")
    ] == []
