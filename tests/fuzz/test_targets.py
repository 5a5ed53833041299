"""Each target takes its own seeds, so that the fuzzer begins behind the first checks of each reader."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from moss.integrations.lti.requests_out import LaunchRefused
from moss.integrations.lti.tokens import read_token
from tests.fuzz.run import NAMES
from tests.fuzz.targets import targets
from tests.fuzz.tokens import PLATFORM_ROW


def test_the_command_knows_every_target() -> None:
    assert {*NAMES} == targets().keys()


@pytest.mark.parametrize("name", NAMES)
def test_a_target_takes_its_seeds_and_parts_of_them(name: str) -> None:
    target = targets()[name]
    seeds = list(target.seeds())
    assert len(seeds) > 2
    # In a thread: a browser of another test may have left a running loop in this one.
    with ThreadPoolExecutor(1) as apart:
        for seed in seeds:
            for size in (len(seed), len(seed) // 2, 0):
                apart.submit(target.run, seed[:size]).result()


def test_a_token_that_nobody_signed_is_refused() -> None:
    with pytest.raises(LaunchRefused):
        read_token(PLATFORM_ROW, "e30.e30.AA", "n")
