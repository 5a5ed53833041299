"""The times of commits of the submissions of an upload."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from submissions.core.models import Commits
from submissions.models import Entry, Submission
from tests.submissions.intake.test_commit_log import line
from tests.support.archives import zipped
from tests.support.git_server import START
from tests.support.sample_class import CLASS
from tests.support.uploads import HandIn

pytestmark = pytest.mark.services

WORK = {path: source.encode() for path, source in CLASS.items()}
DAY = 86_400


def upload(logs: dict[str, bytes]) -> SimpleUploadedFile:
    files = {f"{folder}.git/logs/HEAD": log for folder, log in logs.items()}
    return SimpleUploadedFile("class.zip", zipped(WORK | files))


def commits() -> dict[str, Commits | None]:
    return dict(Submission.objects.values_list("name", "commits"))


def test_each_submission_keeps_the_times_of_its_own_commits(hand_in: HandIn) -> None:
    hand_in(upload({"ada/": line() + line(START + DAY), "ben/": line(START + 2 * DAY)}))
    assert commits() == {
        "ada": Commits(first=START, last=START + DAY, number=2),
        "ben": Commits(first=START + 2 * DAY, last=START + 2 * DAY, number=1),
        "cleo": None,
    }
    logs = Entry.objects.filter(name__endswith="logs/HEAD")
    assert set(logs.values_list("accepted", "reason")) == {(False, "only the times of its commits are kept")}


def test_the_commits_of_a_repository_of_the_whole_class_are_nobodys(hand_in: HandIn) -> None:
    hand_in(upload({"": line()}))
    assert commits() == {"ada": None, "ben": None, "cleo": None}


def test_several_working_copies_of_one_submission_count_together(hand_in: HandIn) -> None:
    other = {"ada/other/extra.py": b"print(2)\n"}
    logs = {"ada/.git/logs/HEAD": line(), "ada/other/.git/logs/HEAD": line(START + DAY)}
    hand_in(SimpleUploadedFile("class.zip", zipped(WORK | other | logs)))
    assert commits()["ada"] == Commits(first=START, last=START + DAY, number=2)
