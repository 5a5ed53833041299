"""The API of a running server passes every check of schemathesis, in all of its phases."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.api import secret_of
from tests.support.every_page import World, api_places
from tests.support.paths import ROOT
from tests.support.web_server import web_server

pytestmark = [pytest.mark.long, pytest.mark.timeout(900), pytest.mark.django_db(transaction=True)]

SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
SETTINGS = Path(__file__).with_name("schemathesis.toml")
HOOKS = {"SCHEMATHESIS_HOOKS": "tests.support.schemathesis_hooks", "PYTHONPATH": os.fspath(ROOT)}
OPTIONS = ["--checks=all", "--seed=1", "--continue-on-failure", "--max-examples=4"]


def test_no_check_fails(world: World, tmp_path: Path) -> None:
    header = f"--header=Authorization: Bearer {secret_of(world.owner)}"
    output = tmp_path / "output"
    places = json.dumps(api_places(world, world.owner))
    with web_server(MOSS_API_REQUESTS_A_MINUTE="1000000") as port, output.open("w") as written:
        address = f"http://localhost:{port}/api/v1/openapi.json"
        done = subprocess.run(
            [SCHEMATHESIS, "--config-file", SETTINGS, "run", address, header, *OPTIONS],
            cwd=tmp_path,
            env=os.environ | HOOKS | {"PLACES": places},
            stdout=written,
            check=False,
        )
    text = output.read_text()
    assert done.returncode == 0, text
    assert re.search(r"\b73/73\b", text)
    assert re.search(r"(\d{4,}) generated, \1 passed", text), text
    for phase in ("Coverage", "Fuzzing", "Stateful"):
        assert f"\u2705 {phase}" in text, text
