"""The shell commands of all documents: each is run, here or by a named test, or has a reason why not."""

import re
import shlex
from pathlib import Path
from typing import NamedTuple

import click
import pytest
from click.testing import CliRunner
from django.contrib.auth.models import User

from moss.cli import main
from moss.sample import sample_zip
from tests.support.archives import zipped
from tests.support.named_tests import named_test_exists
from tests.support.paths import ROOT
from tests.support.processes import completed
from tests.support.sample_class import CLASS, STARTER

TOOLS = "moss|make|python|pytest|pip|apt|openssl|curl|docker|kubectl|cd|mkdir|printf"
# A line of a block that sets a variable, such as `MOSS_HTTPS=true`, is no command.
VARIABLE = re.compile(r"[A-Z_]+=\S*$")
INLINE = re.compile(rf"`((?:{TOOLS}) [^`\n]+)`")
BLOCK = re.compile(r"^( *)```(?:sh|bash)\n(.*?)^\1```", re.DOTALL | re.MULTILINE)

# Beginning of a command: the test that runs it, or all that it does.
COVERED = {
    "make demo": "tests/test_readme.py::test_make_demo_ranks_serves_and_leaves_no_process_running",
    ".venv/bin/moss check moss/sample": "tests/test_readme.py::test_moss_check_ranks_the_sample_class",
    "make messages": "tests/moss/test_translations.py",
    "make sbom": "tests/test_locks.py",
    "make release": "tests/tools/test_release.py",
    "make site": "tests/test_site.py",
    "python -m moss.environment": "tests/test_readme.py",
    "python -m bench.accuracy": "tests/bench/test_accuracy.py",
    "python -m bench.left_out": "tests/bench/test_accuracy.py::test_the_command_prints_the_table",
    "python -m bench.ranks": "tests/bench/test_ranks.py::test_the_command_prints_a_row_for_each_level",
    "python -m bench.papers": "tests/bench/test_papers.py",
    "python -m bench.speed": "tests/bench/test_speed.py",
    "moss --version": "tests/tools/test_release.py::test_the_version_names_the_commit_of_a_checkout",
    "moss audit shorten": "tests/moss/doctor/test_audit_chain.py",
    "moss backup": "tests/moss/backups/test_backups.py",
    "moss restore": "tests/moss/backups/test_backups.py",
    "moss demo": "tests/test_readme.py::test_make_demo_ranks_serves_and_leaves_no_process_running",
    "moss doctor": "tests/moss/doctor/test_doctor.py",
    "moss listen": "tests/browser/test_accounts.py",
    "moss maintain": "tests/moss/test_maintenance.py",
    "moss manage axes_reset": "tests/moss/test_sign_in.py::test_the_wait_is_ended_by_a_command",
    "moss manage createsuperuser": "tests/test_document_commands.py::test_the_first_account_is_created",
    "moss manage migrate": "tests/moss/test_database_roles.py",
    "moss serve": "tests/moss/serving/test_supervisor.py",
    "moss setup": "tests/moss/embedded/test_missing_servers.py",
    "moss stop": "tests/moss/serving/test_supervisor.py::test_stop_without_a_server_says_that_none_runs",
    "moss student": "tests/moss/test_student_command.py",
    "moss submit": "tests/moss/test_submit.py",
    "moss account": "tests/moss/test_account_command.py",
    "moss links": "tests/submissions/shares/test_share_form.py",
    "moss token": "tests/moss/test_token_command.py",
    "curl http://127.0.0.1:8000/healthz": "tests/moss/test_health.py",
}
# Beginning of a command: why no test runs it.
NOT_RUN = {
    "make audit": "asks databases of known faults on the internet",
    "make lock": "asks a package index for the newest versions",
    "pip install": "asks a package index; `make bare` runs those of docs/start",
    "python3 -m venv ~/moss": "asks a package index; `make bare` runs it",
    "make bare": "takes an hour, and needs debootstrap",
    "apt install": "changes the system",
    "apt-get": "changes the system; `make bare` runs docs/start/department.md",
    "python3 -m venv /opt": "as apt-get",
    "/opt/moss/bin/pip": "as apt-get",
    "deploy/debian/configure": "as apt-get",
    "curl --fail": "as apt-get",
    "systemctl": "changes the system; tests/test_systemd.py checks the units",
    "docker": "needs Docker; tests/test_compose.py and tests/test_compose.py check its files",
    "kubectl": "needs a cluster; tests/test_kubernetes.py checks the manifests",
    "make .venv/oidc/made": "asks the registry of npm",
    "make test": "runs the tests, and so itself",
    "pytest": "a part of `make test`",
    ".venv/bin/pytest": "a part of `make test`",
    "make lint": "a part of `make test`",
    "make fuzz": "takes ten minutes; tests/fuzz/test_targets.py runs every target for a moment",
    "make nightly": "takes hours",
    "python -m tests.tools.mutants": "takes hours; tests/tools/test_mutants.py makes the mistakes",
    "python -m bench.": "a measurement that takes minutes, or needs data that is not in the repository",
}


class DocumentCommand(NamedTuple):
    """A command, the document that has it, and whether it is a line of a block."""

    document: str
    text: str
    in_block: bool


def document_commands() -> list[DocumentCommand]:
    """Return the commands of all documents: the lines of shell blocks, and those in running text."""
    files = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
    return [
        DocumentCommand(str(file.relative_to(ROOT)), command, in_block)
        for file in files
        for command, in_block in _commands(file.read_text())
    ]


def _commands(text: str) -> list[tuple[str, bool]]:
    joined = re.sub(r"\|\n *", "| ", re.sub(r"\\\n *", "", text))
    lines = [_without_comment(line) for _, block in BLOCK.findall(joined) for line in block.splitlines()]
    rest = re.sub(r"^ *```.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE)
    inline = [(one, False) for one in INLINE.findall(rest) if "->" not in one]
    return [(line, True) for line in lines if line and not VARIABLE.match(line)] + inline


def _without_comment(line: str) -> str:
    return line.partition("  #")[0].partition(" # ")[0].strip()


def beginning(command: str, beginnings: dict[str, str]) -> str:
    """Return the longest of the beginnings that a command has; empty if it has none."""
    return max((one for one in beginnings if command.startswith(one)), key=len, default="")


def is_run_here(command: DocumentCommand) -> bool:
    """Return whether a command is run as it is written: it is whole, and not listed above."""
    words = shlex.split(command.text)
    first = words[2] if words[0] == "moss" and len(words) > 2 else "-"
    whole = words[0] != "moss" or command.in_block or (not first.startswith("-") and words[1] != "corpus")
    return whole and not (beginning(command.text, COVERED) or beginning(command.text, NOT_RUN))


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
    of_django = {"--noinput", "--username", "--email"}
    assert {word.partition("=")[0] for word in words if word.startswith("-") and word != "-"} <= options | of_django


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
    assert not any(one.exit_code for one in outputs), [one.output for one in outputs]
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
