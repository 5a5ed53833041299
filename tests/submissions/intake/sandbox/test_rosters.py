"""Rosters are read in a child, as in this process; what ends the child is refused with the reason."""

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import reverse

from submissions.intake.entries import PRIORS
from submissions.intake.rosters import RosterRefused, parse_roster
from submissions.intake.sandbox.groupings import GroupingReader
from submissions.models import Assignment
from tests.support import harmful_groupings
from tests.support.long_rows import rest_is_long
from tests.support.sample_class import loose

MEMORY = 1_000_000_000
GOOD = "Name;Id;Login;E-Mail;Gruppe;SIS ID\nAdé Byron;00042;abyron;ada@example.org;1;x7\nBéla Ö;;;;;\n;;;;2;\n"
GROWTH = "Name;Id\n" + "\n".join(f"Student {number};{number}" for number in range(20_000))


@pytest.fixture(scope="module")
def reader() -> Iterator[GroupingReader]:
    reader = GroupingReader(MEMORY)
    yield reader
    reader.close()


@pytest.fixture
def harmful_reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[GroupingReader]:
    monkeypatch.setattr("submissions.intake.sandbox.groupings.PREVIEW_SECONDS", 1.0)
    reader = GroupingReader(MEMORY, harmful_groupings.__name__)
    yield reader
    reader.close()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "cp437", "mac_roman"])
def test_a_child_reads_a_roster_as_this_process_does(reader: GroupingReader, encoding: str) -> None:
    assert len(reader.roster(GROWTH.encode()).students) == 20_000
    data = GOOD.encode(encoding)
    answer, expected = reader.roster(data), parse_roster(data)
    assert (answer.students, answer.problems) == (expected.students, expected.problems)
    assert len(answer.students) == 2


@pytest.mark.parametrize("encoding", sorted(PRIORS))
def test_a_child_opens_no_file_for_any_encoding(reader: GroupingReader, encoding: str) -> None:
    letters = bytes(range(0xA0, 0x100)).decode(encoding, "ignore")
    data = f"Name;Id\n{letters[:40]};1\n{letters[40:]};2\n".encode(encoding)
    assert reader.roster(data).students == parse_roster(data).students


@pytest.mark.parametrize("data", [b"", b"a;b\n1;2\n", b"\x00\x01\x02" * 100, b"x" * 5_000_001])
def test_a_child_refuses_with_the_reason_of_this_process(reader: GroupingReader, data: bytes) -> None:
    with pytest.raises(RosterRefused) as expected:
        parse_roster(data)
    with pytest.raises(RosterRefused) as refused:
        reader.roster(data)
    assert str(refused.value) == str(expected.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("harm", "reason"),
    rest_is_long(
        [
            ("crash", "it ended the program that reads it"),
            ("compute", "reading it took longer than 1 s"),
            ("allocate", "reading it takes more memory than the 1 GB that it may use"),
            ("fail", "it ended the program that reads it"),
        ]
    ),
)
def test_a_roster_that_ends_the_child_is_refused_and_the_next_one_is_read(
    harmful_reader: GroupingReader, harm: str, reason: str
) -> None:
    with pytest.raises(RosterRefused, match=reason):
        harmful_reader.roster(f"Name;Id\nharm: {harm};1".encode())
    assert len(harmful_reader.roster(b"Name;Id\nAda;1").students) == 1


@pytest.mark.slow
@pytest.mark.parametrize("lie", harmful_groupings.ROSTER_LIES)
def test_an_impossible_answer_is_no_roster(harmful_reader: GroupingReader, lie: str) -> None:
    with pytest.raises(RosterRefused, match="it ended the program that reads it"):
        harmful_reader.roster(f"Name;Id;Section\nAda;1;lie: {lie}".encode())


@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.usefixtures("harmful_groupings")
def test_a_page_says_that_a_roster_was_not_read(assignment: Assignment, alice_client: Client) -> None:
    file = loose("roster.csv", "Name;Id\nharm: sleep;1")
    page = alice_client.post(reverse("roster", args=[assignment.course_id]), {"file": file})
    assert (page.status_code, "reading it took longer than 1 s" in page.content.decode()) == (422, True)
