"""Pairs without an equal passage: names, messages and imports speak, but tiny programs do not stand out."""

from random import Random

import numpy as np
import pytest

from fingerprint.ranking import rank as ranking_module
from fingerprint.ranking.threshold import DEFAULT_THRESHOLD
from tests.fingerprint.ranking.test_score_order import ranking, similarities_by_pair
from tests.support.programs import program

# Ten lines each, by different people: the exercise sheet dictates the question and the answer.
GRADES = (
    """name = input("Your name: ")
grade = int(input("Your grade: "))
if grade < 50:
    print("Failed", name)
else:
    print("Passed", name)
""",
    """def passed(points):
    return "Passed" if points >= 50 else "Failed"

who = input("Your name: ")
print(passed(int(input("Your grade: "))), who)
""",
    """student = input("Your name: ")
result = ["Failed", "Passed"][int(input("Your grade: ")) >= 50]
print(result, student)
""",
    """import sys
n, g = input("Your name: "), float(input("Your grade: "))
while g < 0:
    g = float(input("Your grade: "))
sys.stdout.write(("Passed " if g >= 50 else "Failed ") + n)
""",
    """class Student:
    limit = 50
    def __init__(self):
        self.name = input("Your name: ")
        self.grade = int(input("Your grade: "))
    def __str__(self):
        return "Passed " + self.name if self.grade >= self.limit else "Failed " + self.name
print(Student())
""",
)
ORIGINAL = """def find_overdue_boats(harbour, register):
    overdue = {}
    for boat in harbour:
        if register.get(boat, 0) > 14:
            overdue[boat] = "boat has overstayed its berth"
    return overdue
"""
REWRITTEN = """find_overdue_boats = lambda harbour, register: dict(
    map(lambda boat: (boat, "boat has overstayed its berth"), filter(lambda b: register[b] > 14, harbour)))
"""


def test_a_rewritten_program_with_the_names_and_messages_of_its_source_is_found() -> None:
    random = Random(1)
    result = ranking([ORIGINAL, REWRITTEN, *(program(random) for _ in range(20))])
    (row,) = np.flatnonzero((result.pairs.left == 0) & (result.pairs.right == 1))
    scores = result.scores.take(np.array([row]))
    assert (scores.tokens[0], scores.structure[0]) == (0, 0)
    assert scores.literals[0] > 0
    assert scores.names[0] > 0
    assert 0.1 < scores.similarity[0] < DEFAULT_THRESHOLD


def test_ten_line_solutions_with_the_messages_of_the_sheet_do_not_stand_out() -> None:
    result = ranking(GRADES)
    without_passage = result.scores.similarity[result.scores.structure == 0]
    assert without_passage.size
    assert without_passage.max() < result.threshold.value / 2


def test_in_a_bigger_class_the_messages_of_the_sheet_make_no_pair() -> None:
    sheet = 'print("Enter the number of boats: ", "The harbour is full")\n'
    random = Random(3)
    programs = [sheet + program(random, 1) for _ in range(40)]
    result = ranking([*programs, *GRADES])
    in_both = (result.pairs.left < 40) & (result.pairs.right >= 40)
    assert not in_both[result.scores.structure == 0].any()


@pytest.mark.parametrize("count", [2, 12, 40])
def test_equal_one_line_answers_do_not_stand_out(count: int) -> None:
    similarities = similarities_by_pair(['print("Hello, World!")\n'] * count)
    assert max(similarities.values(), default=0) < DEFAULT_THRESHOLD
    assert bool(similarities) == (count == 2)


@pytest.mark.parametrize("source", ["x = 42\n", "print(6 * 7)\n", "a = b\n"])
def test_programs_of_five_tokens_are_no_pair(source: str) -> None:
    assert similarities_by_pair([source] * 30) == {}


def test_an_odd_answer_that_two_of_a_class_wrote_leads_the_other_answers() -> None:
    answers = ['print("Hello, World!")\n'] * 28 + ['print("Hello, dear Wrold")\n'] * 2
    assert list(similarities_by_pair(answers)) == [(28, 29)]


def test_pairs_that_share_only_terms_do_not_move_the_threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(2)
    programs = [f"message_{n // 2} = 'a message of team {n // 2}'\n" + program(random) for n in range(60)]
    threshold = ranking(programs).threshold
    monkeypatch.setattr(ranking_module, "merged_pairs", lambda by_fingerprints, _: by_fingerprints)
    assert threshold == ranking(programs).threshold
