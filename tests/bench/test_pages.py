import os
import subprocess
import sys
from random import Random

import pytest
from django.conf import settings

from bench import pages_class


def test_a_generated_class_has_the_requested_pairs_and_lines() -> None:
    assert pages_class.zipped_class(50, 4) == pages_class.zipped_class(50, 4)
    for source in pages_class.long_files(Random(3), 5_000):
        assert source.count("\n") == 5_000


SMALL = ("--pairs=60", "--submissions=12", "--lines=60", "--files=4", "--repeat=1")


@pytest.mark.long
@pytest.mark.services
def test_every_page_of_a_small_class_is_timed() -> None:
    installation_variables = {
        "MOSS_HOME",
        "MOSS_TEST_HOME",
        "SECRET_KEY",
        "MOSS_QUEUE_PREFIX",
        "DJANGO_SETTINGS_MODULE",
    }
    process = subprocess.run(
        [sys.executable, "-m", "bench.pages", *SMALL],
        capture_output=True,
        text=True,
        check=False,
        cwd=settings.BASE_DIR,
        env={name: value for name, value in os.environ.items() if name not in installation_variables},
    )
    assert process.returncode == 0, process.stderr
    assert "4 submissions, 6 pairs" in process.stderr
    rows = [line for line in process.stdout.splitlines() if line.startswith("| ")][2:]
    assert len(rows) == 13
    assert rows[0].startswith("| cases ")
    assert rows[-1].startswith("| pair of many files")
