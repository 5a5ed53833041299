import os
import subprocess
import sys

import pytest

from fingerprint.kernels import usable_cores

PROGRAM = "from fingerprint.kernels import usable_cores; print(usable_cores())"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no affinity of processes")
def test_a_process_that_is_limited_to_one_core_uses_one() -> None:
    one = min(os.sched_getaffinity(0))
    command = f"import os; os.sched_setaffinity(0, [{one}]); {PROGRAM}"
    assert int(subprocess.check_output([sys.executable, "-c", command])) == 1


def test_there_is_at_least_one_core_and_no_more_than_the_machine_has() -> None:
    assert 1 <= usable_cores() <= (os.cpu_count() or 1)
