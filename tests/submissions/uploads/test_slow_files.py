"""A file whose language cannot be found out in time is refused alone."""

import pytest
from pytest_django.fixtures import Settings

from fingerprint.languages.detection import AMBIGUOUS
from fingerprint.reading import Unreadable, identify
from tests.support.sample_class import CLASS, zipped
from tests.support.uploads import HandIn

# A pattern that takes years to find out that it does not match this text.
SLOW_PATTERN, SLOW_TEXT = r"^(?:a|aa)+$", "a" * 200 + "!\n"


@pytest.fixture
def slow_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AMBIGUOUS, ".h", ((SLOW_PATTERN, "c"),))


def test_finding_out_a_language_ends_at_the_time_limit(slow_pattern: None) -> None:
    with pytest.raises(Unreadable, match=r"finding out its language took longer than 0\.2 s"):
        identify(SLOW_TEXT.encode(), "x.h", seconds=0.2)


@pytest.mark.timeout(60)
def test_a_too_slow_file_of_an_upload_is_refused_and_the_others_are_ranked(
    hand_in: HandIn, harmful_reader: None, settings: Settings
) -> None:
    settings.FILE_SECONDS = 2
    batch = hand_in(zipped({"slow/x.h": "// harm: match\n", **CLASS}))
    assert batch.state == "done"
    refused = batch.entries.get(accepted=False)
    assert (refused.name, refused.reason) == (
        "slow/x.h",
        "finding out its language took longer than 2 s",
    )
    assert batch.submissions.count() == len(CLASS)
