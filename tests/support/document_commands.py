"""Every shell command of the documents, and where it is run, or why it is not.

`COVERED` and `NOT_RUN` name the beginning of a command; the longest one that fits counts. All other commands
are run by tests/test_document_commands.py as they are written.
"""

import re
import shlex
from typing import NamedTuple

from tests.support.paths import ROOT

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
    "useradd": "changes the system",
    "install -d": "changes the system",
    "python3 -m venv /opt": "changes the system, and asks a package index",
    "cp deploy/systemd": "changes the system; tests/test_systemd.py checks the units",
    "systemctl": "changes the system; tests/test_systemd.py checks the units",
    "systemd-run": "changes the system; tests/test_systemd.py checks the units",
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
