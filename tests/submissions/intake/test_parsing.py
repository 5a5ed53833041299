"""Rosters as platforms and instructors write them, and what is wrong with them."""

import time

import pytest
from hypothesis import given, strategies as st

from submissions.intake.rosters import MAX_BYTES, MAX_ROWS, Roster, RosterRefused, RosterStudent, parse_roster
from tests.support.long_rows import rest_is_long

BRUNO = RosterStudent("Bruno Popescu", "00042", "bpopescu", "bpopescu@example.edu")
PLAIN = "Name,ID,Login,Email\nBruno Popescu,00042,bpopescu,bpopescu@example.edu\n"


def problems(roster: Roster) -> list[str]:
    return [str(problem) for problem in roster.problems]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_separator_encoding_and_line_ends_make_no_difference(separator: str, encoding: str, end: str) -> None:
    text = PLAIN.replace(",", separator).replace("\n", end)
    assert parse_roster(text.encode(encoding)) == Roster((BRUNO,))


def test_latin_1_is_read() -> None:
    roster = parse_roster("Vorname;Nachname;Matrikelnummer\nJörg;Müller;123\n".encode("latin-1"))
    assert roster.students == (RosterStudent("Jörg Müller", "123"),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (  # Canvas, grades
            (
                "Student,ID,SIS User ID,SIS Login ID,Section,Lab 1\n    Points Possible,,,,,10.00\n"
                '"Popescu, Bruno",1234,00042,bpopescu,A and B,9\n'
            ),
            RosterStudent("Bruno Popescu", "00042", "bpopescu", "", "A and B", "", ("1234",)),
        ),
        (  # Canvas, groups
            ("name,canvas_user_id,user_id,login_id,sections,group_name\nBruno Popescu,1234,00042,bpopescu,A,Team 7\n"),
            RosterStudent("Bruno Popescu", "00042", "bpopescu", "", "A", "Team 7", ("1234",)),
        ),
        (  # Moodle, participants
            "First name,Last name,ID number,Email address,Groups\nBruno,Popescu,00042,b@example.edu,Lab A\n",
            RosterStudent("Bruno Popescu", "00042", "", "b@example.edu", "Lab A"),
        ),
        (  # Moodle, grading worksheet
            ("Identifier,Full name,Email address,Status\nParticipant 9417,Bruno Popescu,b@example.edu,Submitted\n"),
            RosterStudent("Bruno Popescu", "Participant 9417", "", "b@example.edu"),
        ),
        (  # Gradescope
            "First Name,Last Name,SID,Email,Section\nBruno,Popescu,00042,b@example.edu,A\n",
            RosterStudent("Bruno Popescu", "00042", "", "b@example.edu", "A"),
        ),
        (  # GitHub Classroom
            '"identifier","github_username","github_id","name"\n"Popescu, Bruno","brunop","7781",""\n',
            RosterStudent("Bruno Popescu", "Popescu, Bruno", "brunop", "", "", "", ("7781",)),
        ),
        (  # Blackboard
            (
                '"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Last Access"\n'
                '"Popescu"\t"Bruno"\t"bpopescu"\t"00042"\t""\n'
            ),
            RosterStudent("Bruno Popescu", "00042", "bpopescu"),
        ),
        (  # Brightspace
            ("OrgDefinedId,Username,Last Name,First Name,Email\n#00042,#bpopescu,Popescu,Bruno,b@example.edu\n"),
            RosterStudent("Bruno Popescu", "#00042", "#bpopescu", "b@example.edu"),
        ),
    ],
    ids=[
        "canvas",
        "canvas groups",
        "moodle",
        "moodle worksheet",
        "gradescope",
        "github",
        "blackboard",
        "d2l",
    ],
)
def test_the_exports_of_platforms_are_understood(text: str, expected: RosterStudent) -> None:
    assert parse_roster(text.encode()).students == (expected,)


@given(st.permutations(range(4)))
def test_the_order_of_the_columns_makes_no_difference(order: list[int]) -> None:
    rows = [line.split(",") for line in PLAIN.splitlines()]
    text = "\n".join(",".join(row[index] for index in order) for row in rows)
    assert parse_roster(text.encode()).students == (BRUNO,)


def test_titles_before_the_header_are_passed_over() -> None:
    assert parse_roster(f"sep=,\nCourse 101\n\n{PLAIN}".encode()).students == (BRUNO,)


@pytest.mark.parametrize(
    ("text", "names", "problem"),
    [
        ("Name,Shoe size,ID\nBruno,44,7\n", ["Bruno"], "Not used: the columns “Shoe size”."),
        (
            "Name,Email,Role\nBruno,b@x.edu,Student\nTina,t@x.edu,TA\nIra,i@x.edu,Instructor\n",
            ["Bruno"],
            "Left out: 2 rows of people whose role is not that of a student.",
        ),
        ("Name,ID,Section\n,,A\nBruno,7,A\n", ["Bruno"], "Line 2: no name and no id; the row is left out"),
        (
            "Name,ID\nBruno,7\nAmara,8\nChen,7\n",
            ["Bruno", "Amara", "Chen"],
            "Line 2: the id “7” is also in line 4; nobody is found by it",
        ),
        ("Name,ID\nBruno,7\nBruno,7\n", ["Bruno"], "Line 3: the same as line 2; it counts once"),
    ],
    ids=["a column", "teachers", "an empty row", "an id of two", "a repeated row"],
)
def test_what_does_not_count_is_named_and_others_do(text: str, names: list[str], problem: str) -> None:
    roster = parse_roster(text.encode())
    assert [one.name for one in roster.students] == names
    assert problems(roster) == [problem]


def test_a_formula_is_text_and_digits_keep_their_zeros() -> None:
    text = 'Name,ID\n"=HYPERLINK(""http://x.example"")","=""00042"""\n=1+1,="007"\n'
    roster = parse_roster(text.encode())
    assert [(one.name, one.identifier) for one in roster.students] == [
        ('=HYPERLINK("http://x.example")', "00042"),
        ("=1+1", "007"),
    ]


def test_a_quoted_cell_may_have_lines_and_separators_and_a_broken_quote_costs_only_its_line() -> None:
    rows = "".join(f"Student {number},{number}\n" for number in range(40))
    roster = parse_roster(f'Name,ID\n"Bruno Popescu,7777\n{rows}'.encode())
    assert roster.students[0] == RosterStudent("Bruno Popescu", "7777")
    assert len(roster.students) == 41
    assert problems(roster) == ["Line 2: a quotation mark is missing or misplaced; check its cells"]
    roster = parse_roster(b'Notes,Name,ID\n"a, ""b"",\nc","Popescu, Bruno",7\n5" disk,Amara,8\n')
    assert [(one.name, one.identifier) for one in roster.students] == [("Bruno Popescu", "7"), ("Amara", "8")]
    assert problems(roster) == ["Not used: the columns “Notes”."]


def test_what_is_no_roster_is_refused_with_what_to_do() -> None:
    cases = {
        b"": "Add a first row",
        b"foo,bar\n1,2\n": "the first row has “foo”, “bar”",
        b"Bruno Popescu,b@example.edu\n": "Add a first row",
        b"PK\x03\x04" + bytes(50): "Save the roster as CSV",
        b"Name,ID\nBru\0no,7\n": "NUL",
    }
    for data, message in cases.items():
        with pytest.raises(RosterRefused, match=message):
            parse_roster(data)


def test_limits_are_named() -> None:
    with pytest.raises(RosterRefused, match=f"100,000,000 bytes; a roster has at most {MAX_BYTES:,}"):
        parse_roster(b"Name\n".ljust(100_000_000, b"x"))
    with pytest.raises(RosterRefused, match=f"more than {MAX_ROWS:,} rows"):
        parse_roster(b"ID\n" + b"".join(b"%d\n" % number for number in range(MAX_ROWS + 1)))
    full = parse_roster(b"ID\n" + b"".join(b"%d\n" % number for number in range(1, MAX_ROWS + 1)))
    assert len(full.students) == MAX_ROWS


@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda text: f"Name,ID\n{text}".encode("utf-8", "replace")))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        roster = parse_roster(data)
    except RosterRefused:
        pass  # as other bytes than a roster's may be
    else:
        assert all(student.name or student.ids for student in roster.students)
        assert "\0" not in repr(roster)


NAMES = st.text(st.characters(whitelist_categories=["L"]), min_size=1, max_size=8)


@given(st.lists(st.tuples(NAMES, st.integers(0, 10**9).map(str)), max_size=30, unique_by=lambda one: one[1]))
def test_each_row_is_a_student(rows: list[tuple[str, str]]) -> None:
    text = "Full name;Student ID\n" + "".join(f'"{name}";{number}\n' for name, number in rows)
    read = [(one.name, one.identifier) for one in parse_roster(text.encode()).students]
    assert read == [(RosterStudent(name).name, number) for name, number in rows]


@pytest.mark.parametrize("line", rest_is_long(['"', '"' + "b\n" * 30, '""', '"a,', 'x"y', ',"', "a" * 200], first=2))
def test_time_grows_with_the_size_whatever_the_quotes(line: str) -> None:
    data = b"Name,ID\n" + (line.encode() + b"\n") * (MAX_ROWS // (line.count("\n") + 1))
    started = time.process_time()
    parse_roster(data)
    assert time.process_time() - started < 8
