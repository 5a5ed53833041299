from __future__ import annotations

import os
import subprocess
import sys
from random import Random

import pytest
from django.conf import settings

from bench import pages_class


def test_a_generated_class_has_the_requested_pairs_and_lines() -> None:
    assert pages_class.zipped_class(10, 50) == pages_class.zipped_class(10, 50)
    assert pages_class._class_size(5_000) == 101
    for source in pages_class._long_files(Random(3), 5_000):
        assert source.count("\n") == 5_000


@pytest.mark.services
def test_every_page_of_a_small_class_is_timed() -> None:
    own_variables = {
        "MOSS_HOME",
        "MOSS_TEST_HOME",
        "SECRET_KEY",
        "MOSS_QUEUE_PREFIX",
        "DJANGO_SETTINGS_MODULE",
    }
    process = subprocess.run(
        [sys.executable, "-m", "bench.pages", "--pairs=3", "--lines=60", "--repeat=1"],
        capture_output=True,
        text=True,
        check=False,
        cwd=settings.BASE_DIR,
        env={name: value for name, value in os.environ.items() if name not in own_variables},
    )
    assert process.returncode == 0, process.stderr
    assert "5 submissions, 10 pairs" in process.stderr
    rows = [line for line in process.stdout.splitlines() if line.startswith("| ")][2:]
    assert len(rows) == 6
    assert rows[-1].startswith("| pair of the long files")
