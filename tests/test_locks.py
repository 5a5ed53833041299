"""The lock files name one version of each package, and the list of packages has all of them."""

import json
import re
import shlex
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.processes import completed

LOCKS = sorted(path.name for path in ROOT.glob("requirements*.lock"))


REQUIREMENT = re.compile(r"^([a-zA-Z0-9_.-]+)(?:\[[^]]*\])?==(\S+)(?: ; (.*?))?(?: \\)?$", re.MULTILINE)


# Packages that some versions of Python do not need, or for which they are not built.
OF_SOME_VERSIONS = {
    "async-timeout",  # in the standard library since 3.11.3
    "atheris",  # see pyproject.toml; the tests of the fuzzer are skipped without it
}


def test_there_are_four_lock_files() -> None:
    assert len(LOCKS) == 4


@pytest.mark.parametrize("lock", LOCKS)
def test_each_package_is_locked_in_one_version(lock: str) -> None:
    counts = Counter(name for name, _, _ in REQUIREMENT.findall((ROOT / lock).read_text()))
    assert counts
    assert [name for name, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_no_other_package_depends_on_the_version_of_python(lock: str) -> None:
    rows = REQUIREMENT.findall((ROOT / lock).read_text())
    assert {name for name, _, marker in rows if "python_" in marker.replace("python_impl", "")} <= (
        OF_SOME_VERSIONS | {name for name, _, marker in rows if "platform_python_implementation" in marker}
    )


RECIPE = re.compile(r"^sbom:.*\n(?:\t.*\n)*?\t(\$\(BIN\)/cyclonedx-py .*)$", re.MULTILINE)


@pytest.mark.slow
def test_the_list_of_dependencies_has_every_locked_package_with_its_version(tmp_path: Path) -> None:
    recipe = RECIPE.search((ROOT / "Makefile").read_text())
    assert recipe
    target = tmp_path / "sbom.json"
    command = recipe[1].replace("$(BIN)", str(Path(sys.executable).parent))
    command = command.replace("artifacts/sbom.json", str(target))
    run = completed(shlex.split(command), cwd=ROOT)
    assert run.returncode == 0, run.stderr
    document = json.loads(target.read_text())
    assert document["bomFormat"] == "CycloneDX"
    locked = re.findall(r"^([a-z0-9-]+)==([^\s;]+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    assert len(locked) > 50
    assert {(part["name"], part["version"]) for part in document["components"]} == set(locked)
    assert all(part["externalReferences"] for part in document["components"])


def test_every_run_of_the_pipeline_writes_it() -> None:
    assert "make sbom" in (ROOT / ".ci" / "run").read_text().splitlines()


def test_an_audit_without_a_network_says_that_nothing_was_audited() -> None:
    done = completed(["make", "--no-print-directory", "audit", "https_proxy=http://127.0.0.1:9"], cwd=ROOT)
    assert done.returncode != 0
    assert done.stdout == "Nothing was audited: https://pypi.org does not answer here.\n"
