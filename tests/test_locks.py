"""The lock files name one version of each package for every Python: what is installed was tested."""

import re
from collections import Counter

import pytest

from tests.support.paths import ROOT

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
