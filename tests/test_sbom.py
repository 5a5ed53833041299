"""`make sbom` lists every package of the lock file with its version."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

RECIPE = re.compile(r"^sbom:.*\n(?:\t.*\n)*?\t(\$\(BIN\)/cyclonedx-py .*)$", re.MULTILINE)


@pytest.mark.slow
def test_the_list_of_dependencies_has_every_locked_package_with_its_version(tmp_path: Path) -> None:
    recipe = RECIPE.search((ROOT / "Makefile").read_text())
    assert recipe
    target = tmp_path / "sbom.json"
    command = recipe[1].replace("$(BIN)", str(Path(sys.executable).parent))
    command = command.replace("artifacts/sbom.json", str(target))
    run = subprocess.run(shlex.split(command), cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    document = json.loads(target.read_text())
    assert document["bomFormat"] == "CycloneDX"
    locked = re.findall(r"^([a-z0-9-]+)==([^\s;]+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    assert len(locked) > 50
    assert {(part["name"], part["version"]) for part in document["components"]} == set(locked)
    assert all(part["externalReferences"] for part in document["components"])


def test_every_run_of_the_pipeline_writes_it() -> None:
    assert "make sbom" in (ROOT / ".ci" / "run").read_text().splitlines()
