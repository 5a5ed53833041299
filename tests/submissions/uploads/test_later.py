"""Previews are grouped in a thread of their own: few requests wait for it, and not for long."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import NoReturn

import pytest

from submissions.core.models import Commits
from submissions.models import Batch, Entry, Submission
from submissions.uploads import read as later
from submissions.uploads.read import NotYet, WaitingAnswers
from tests.submissions.intake.test_commit_log import line
from tests.support.archives import zipped
from tests.support.git_server import START
from tests.support.sample_class import CLASS, loose
from tests.support.uploads import HandIn

PATIENCE = 30.0
WORK = {path: source.encode() for path, source in CLASS.items()}
DAY = 86_400


@pytest.fixture
def held() -> Iterator[Event]:
    """Return what lets the computations of the test go on."""
    event = Event()
    yield event
    event.set()


def _after(event: Event, answer: int) -> Callable[[], Callable[[], int]]:
    return lambda: lambda: answer if event.wait(PATIENCE) else -1


def _is_pending(
    answers: WaitingAnswers, subject: str | int, key: int, prepare: Callable[[], Callable[[], object]]
) -> bool:
    try:
        answers.get(subject, key, prepare)
    except NotYet:
        return True
    return False


def test_an_answer_is_there_for_the_first_request_or_for_a_later_one(held: Event) -> None:
    assert WaitingAnswers(PATIENCE).get("a", 1, lambda: lambda: 42) == 42
    answers = WaitingAnswers(0.01)
    assert _is_pending(answers, "a", 1, _after(held, 42))
    assert _is_pending(answers, "a", 1, _after(held, 43))
    held.set()
    answers.seconds = PATIENCE
    assert answers.get("a", 1, _after(held, 43)) == 42


def test_a_refusal_is_kept_as_an_answer_is_and_not_computed_again() -> None:
    calls = []

    def refuse() -> NoReturn:
        calls.append(1)
        raise ValueError("it takes too long")

    answers = WaitingAnswers(PATIENCE)
    for _ in range(3):
        with pytest.raises(ValueError, match="takes too long"):
            answers.get("a", 1, lambda: refuse)
    assert len(calls) == 1


def test_no_more_requests_wait_than_there_are_slots(held: Event) -> None:
    answers = WaitingAnswers(PATIENCE, slots=2)
    with ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(answers.get, name, 1, _after(held, 42)) for name in "ab"]
        while answers._slots._value:
            time.sleep(0.001)
        start = time.monotonic()
        assert all(_is_pending(answers, name, 1, _after(held, 42)) for name in "cdef")
        assert time.monotonic() - start < PATIENCE / 3
        held.set()
        assert [one.result() for one in waiting] == [42, 42]


def test_a_new_choice_takes_the_place_of_one_that_waits(held: Event) -> None:
    answers = WaitingAnswers(0.01)
    computed: list[int] = []

    def choose(choice: int) -> Callable[[], Callable[[], None]]:
        return lambda: lambda: computed.append(choice)

    assert _is_pending(answers, "first", 1, _after(held, 0))
    assert all(_is_pending(answers, "batch", choice, choose(choice)) for choice in range(5))
    held.set()
    answers.seconds = PATIENCE
    answers.get("batch", 4, choose(4))
    assert computed == [4]


def test_no_more_than_some_wait_to_be_computed_and_the_others_ask_again(held: Event) -> None:
    answers = WaitingAnswers(0.0)
    prepared = []

    def prepare() -> Callable[[], int]:
        prepared.append(1)
        return _after(held, 0)()

    for subject in range(3 * later.MAX_WAITING):
        assert _is_pending(answers, subject, 1, prepare)
    assert len(prepared) == later.MAX_WAITING
    held.set()
    answers.seconds = PATIENCE
    assert answers.get(0, 1, prepare) == 0
    assert answers.get(later.MAX_WAITING - 1, 1, prepare) == 0
    assert answers.get("the next", 1, _after(held, 42)) == 42


def test_answers_are_dropped_after_a_minute_or_when_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = WaitingAnswers(PATIENCE)
    for subject in range(5 * later.MAX_KEPT):
        answers.get(subject, 1, lambda: lambda: "names")
    assert len(answers._asked) <= later.MAX_KEPT + 1
    monkeypatch.setattr(later, "KEPT_SECONDS", -1.0)
    answers.get("other", 1, lambda: lambda: "names")
    assert len(answers._asked) == 1


def commits() -> dict[str, Commits | None]:
    return dict(Submission.objects.values_list("name", "commits"))


def test_each_submission_keeps_times_of_its_own_commits_and_working_copies(hand_in: HandIn) -> None:
    log = ".git/logs/HEAD"
    logs = {f"ada/{log}": line(), f"ada/other/{log}": line(START + DAY), f"ben/{log}": line(START + 2 * DAY)}
    hand_in(loose("class.zip", zipped(WORK | {"ada/other/extra.py": b"print(2)\n"} | logs)))
    assert commits() == {
        "ada": Commits(first=START, last=START + DAY, number=2),
        "ben": Commits(first=START + 2 * DAY, last=START + 2 * DAY, number=1),
        "cleo": None,
    }
    entries = Entry.objects.filter(name__endswith="logs/HEAD")
    reason = (False, "only the times of its commits are kept")
    assert set(entries.values_list("accepted", "reason")) == {reason}
    # Those of a repository of the whole class are nobody's.
    hand_in(loose("class.zip", zipped(WORK | {log: line()})))
    assert set(Submission.objects.filter(batch=Batch.objects.latest("pk")).values_list("commits")) == {(None,)}
