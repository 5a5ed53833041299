"""Identical files of submissions that are otherwise unlike are named, however low the pair is."""

import csv
import json
from pathlib import Path
from random import Random

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from submissions.models import Assignment, Report
from submissions.reports.change import choose_threshold
from tests.moss.check.test_check import folder, rows
from tests.support.api import api_client
from tests.support.html import get_page
from tests.support.programs import program
from tests.support.sample_class import COPIED, HONEST, loose, zipped
from tests.support.shares import pair_page
from tests.support.uploads import HandIn, register_boilerplate

pytestmark = pytest.mark.services

RANDOM = Random(55)
SHARED, OF_ALL, HANDED_OUT = COPIED, program(RANDOM, 2), HONEST
STUDENTS = [f"s{number:02}" for number in range(10)]
FILES = {f"{name}/main.py": program(RANDOM, 8) for name in STUDENTS}
FILES |= {f"{name}/common.py": OF_ALL for name in STUDENTS}
FILES |= {"s02/table.py": SHARED, "s07/board.py": SHARED, "s03/given.py": HANDED_OUT, "s04/x.py": HANDED_OUT}
FILES |= {"s05/tiny.py": "print('hello', 1)\n", "s06/tiny.py": "print('hello', 1)\n"}
BOTH = ("s02", "s07")


@pytest.fixture
def report(hand_in: HandIn, assignment: Assignment, alice: User) -> Report:
    assignment.common_limit = 5
    assignment.save()
    register_boilerplate(assignment, loose("given.py", HANDED_OUT))
    hand_in(zipped(FILES))
    choose_threshold(assignment, alice, 90)
    return assignment.reports.latest("pk")


def test_an_identical_file_is_named_everywhere(report: Report, alice: User, alice_client: Client) -> None:
    (pair,) = report.pairs.filter(same_files__gt=0)
    assert (pair.left.name, pair.right.name, pair.same_files) == (*BOTH, 1)
    assert pair.similarity < 0.9
    home = reverse("pairs", args=[report.assignment_id])
    listed = get_page(alice_client, home, flag="files")
    assert listed.texts("tr.pair td.flags") == ["1 identical file"]
    assert "1 pair below has an identical file: look at these too." in get_page(alice_client, home).texts(".lead")[0]
    cases = get_page(alice_client, report.assignment.get_absolute_url())
    assert cases.texts(".same > p:not(.hint)") == ["2 submissions, the same file board.py: s02, s07"]
    assert "table.py (board.py) is identical in both." in get_page(alice_client, pair_page(pair)).text(".summary")
    exported = alice_client.get(reverse("table", args=[report.assignment_id, "pairs", "csv"])).getvalue().decode()
    flags = {(row["left"], row["right"]): (row["flags"], row["band"]) for row in csv.DictReader(exported.splitlines())}
    assert [(both, cell) for both, cell in flags.items() if cell[0]] == [(BOTH, ("1 identical file", "look"))]
    asked = api_client(alice).get(f"/api/v1/assignments/{report.assignment_id}/pairs", {"flag": "files"})
    assert [row["flags"] for row in json.loads(asked.content)["items"]] == [["1 identical file"]]


def test_a_pair_with_an_identical_file_comes_first_below(report: Report, alice_client: Client) -> None:
    report.pairs.filter(same_files__gt=0).update(similarity=0.01)
    (pair,), (first, *_) = report.pairs.filter(same_files__gt=0), report.pairs.all()
    address = reverse("next_undecided", args=[report.assignment_id])
    assert alice_client.get(address).headers["Location"] == pair_page(pair)
    following = alice_client.get(address, {"after": f"{pair.left_id}-{pair.right_id}"}).headers["Location"]
    assert following == pair_page(first)


def test_moss_check_names_identical_files_and_whole_copies(tmp_path: Path) -> None:
    files = FILES | {"x/main.py": FILES["s00/main.py"], "y/main.py": "# by y\n" + FILES["s00/main.py"]}
    flags = {
        (row.left, row.right): row.flag for row in rows(folder(tmp_path / "class", files), "--all", "--common", "9")
    }
    assert flags[BOTH] == "1 identical file"
    assert flags["x", "y"] == "identical except layout, comments, punctuation and modifiers"
