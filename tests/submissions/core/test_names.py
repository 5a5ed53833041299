import io
import random
import re
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from typing import cast

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models.functions import Substr
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import given, strategies as st
from pypdf import PdfReader

from submissions.cases.read import PairNames
from submissions.core.names import (
    FIRST_WORDS,
    SECOND_WORDS,
    Names,
    anonymous_names,
    draw_alias,
    ensure_aliases,
    redacted_names,
)
from submissions.core.redaction import LOGIN_WORDS, PROGRAM_WORDS, NameFinder, logins
from submissions.models import Alias, Assignment, Entry, Report, Share, Submission, SubmissionFile
from submissions.shares import links as shares
from submissions.uploads.change import rerank
from tests.support.html import get_page
from tests.support.sample_class import COPIED, HONEST, RENAMED, STARTER, zipped
from tests.support.uploads import CountQueries, HandIn

ALIASES = {
    "Lovelace-Ada": "Amber Otter",
    "Green_Max": "Icy Wren",
    "max": "Calm Owl",
    "José Pérez": "Misty Lynx",
    "Müller, Jörg": "Opal Eagle",
    "student-01": "Jolly Ibex",
    "hoppergr_12345_678": "Teal Newt",
    "s1234567": "Lunar Hare",
    "Bo Li": "Polar Gull",
    "grace-whitcombe": "Clear Swan",
    "7": "Topaz Tern",
    "byron.py": "Solar Moth",
}
NAMES = Names(ALIASES, fallback="[name]")
FIRST_NAMES = ("anouk", "bogdan", "chidi", "dorota", "emre", "farid", "gudrun", "hamza", "ines", "jarek")
ROSTER = [f"{first}-{last}" for first in FIRST_NAMES for last in ("kowalczyk", "zulfikar")]
PROGRAMS = (STARTER + COPIED, STARTER + RENAMED, STARTER + HONEST, COPIED + HONEST, HONEST + RENAMED)
HANDED_IN = datetime(2026, 3, 1, 3, 17, tzinfo=UTC)
PAIRS_READ = 12
# The tabs of a report, and those behind a share link.
TABS = ("assignment", "pairs", "students", "ignored", "uploads")
SHARED_TABS = ("shared", "shared_pairs", "shared_ignored")
# What differs between two readings of a page: tokens, checksums that need the secret of the server, keys of
# the report, and when it was ranked or made.
CHANGING = re.compile(
    r'csrfmiddlewaretoken" value="\w+"|"x-csrftoken": "\w+"|decided_on"\s+value="\w+"'
    r'|/shared/[^/"]+/|share-\d+|shares/\d+/'
    r"|seen=\d+&amp;was=\w+|name=\"seen\" value=\"\d+\"|\d{1,2} \w+ \d{4}, \d\d:\d\d( UTC)?"
    r"|\d{4}-\d\d-\d\dT[\d:.+]+"
)


@pytest.mark.parametrize(
    ("source", "covered"),
    [
        ("# by Ada Lovelace", "# by Amber Otter"),
        ("LOVELACE, ada", "Amber Otter"),
        ("lovelace_ada = 1", "Amber Otter = 1"),
        ("class LovelaceStack {", "class Amber OtterStack {"),
        ("# asked lovelace", "# asked Amber Otter"),
        ("JOSE PEREZ, Jose\u0301", "Misty Lynx"),
        ("# mueller", "# Opal Eagle"),
        ("joergMueller()", "Opal Eagle()"),
        ("hoppergr 12345", "Teal Newt"),
        ("# 12345", "# Teal Newt"),
        ("S1234567", "Lunar Hare"),
        ("s1234567@uni.example", "Lunar Hare"),
        ("someone@uni.example.org", "[e-mail]"),
        ("// Max Green did this", "// Icy Wren did this"),
        ("// Max did this", "// Calm Owl did this"),
        ("by Bo Li", "by Polar Gull"),
        ("by Bo Li Bo", "by Polar Gull"),
        ("// Max Green Max, Green", "// Icy Wren"),
        ("student 01 and student-02", "Jolly Ibex and student-02"),
        ("import byron", "import Solar Moth"),
    ],
)
def test_a_name_in_a_source_is_covered(source: str, covered: str) -> None:
    assert NAMES.redact_source(source) == covered


@pytest.mark.parametrize(
    "source",
    [
        "print(max(a, b), grace * 3, green)",
        "Math.Max(1, 2)",
        "# the grace period is 7 days",
        "for student in students: pass",
        "adapter, Adaline, canada",
        "bo, li = 3, 7",
        "x[12]",
        "a = xs@ws.sum(axis=0)",
        f"x = '{'Lovelace' * 200}'",
        f"x@{'a.' * 9}de",
        "@Override public void run()",
        "name: str = ''",
        "config = {'name': value}",
        "print('made by hand')",
        "struct s = { .name = 7 };",
    ],
)
def test_ordinary_code_is_left_alone(source: str) -> None:
    assert NAMES.redact_source(source) == source


@pytest.mark.parametrize(
    ("source", "covered"),
    [
        ("/**\n * @author Grace Hopper\n */", "/**\n * @author [name]\n */"),
        ("/* @author Ada Lovelace */", "/* @author Amber Otter */"),
        ("# Name: Grace Hopper", "# Name: [name]"),
        ("// Student ID: 998877", "// Student ID: [name]"),
        ("# Student: Hopper, G.", "# Student: [name]"),
        ("-- Matrikelnummer 3345566", "-- Matrikelnummer [name]"),
        ('"""\nAuthor: Grace Hopper\n"""', '"""\nAuthor: [name]\n"""'),
        ('__author__ = "Grace Hopper"', '__author__ = "[name]"'),
        ("% \\author{Grace Hopper}", "% \\author{[name]}"),
        ("Author: Grace Hopper\n\nAn essay.", "Author: [name]\n\nAn essay."),
        ("// Created by Grace on 1/2/24.\r\nint x;", "// Created by [name]\r\nint x;"),
        ("<!-- Author: Grace -->", "<!-- Author: [name] -->"),
    ],
)
def test_an_author_named_in_a_comment_is_covered(source: str, covered: str) -> None:
    assert NAMES.redact_source(source) == covered


@pytest.mark.parametrize(
    ("label", "covered"),
    [
        ("Lovelace-Ada/src/Main.java", "Amber Otter/src/Main.java"),
        ("max/main.py", "Calm Owl/main.py"),
        ("class/max/main.py", "class/Calm Owl/main.py"),
        ("7/main.py", "Topaz Tern/main.py"),
        ("max.zip and 7 more", "Calm Owl.zip and 7 more"),
        ("hoppergr_12345_678_Main.java", "Teal Newt_Main.java"),
        ("byron.py", "Solar Moth"),
        ("student-01.tar.gz", "Jolly Ibex.tar.gz"),
        ("src/perez.py", "src/Misty Lynx.py"),
        ("lovelace-ada was skipped: 7 MB", "Amber Otter was skipped: 7 MB"),
        ("class.zip", "class.zip"),
    ],
)
def test_a_path_or_message_is_covered(label: str, covered: str) -> None:
    assert NAMES.redact_text(label) == covered


def test_a_part_that_several_names_share_identifies_nobody() -> None:
    names = Names({"ada-lovelace": "Amber Otter", "ada-byron": "Icy Wren"}, fallback="[name]")
    assert names.redact_source("Ada and Ada Byron") == "[name] and Icy Wren"


def test_a_student_is_found_by_login_id_and_address_too() -> None:
    aliases = {"Ada Byron": "Amber Otter", "Bo Li": "Icy Wren"}
    known = {"Ada Byron": ("Ada Byron", "abyron", "20261234"), "Bo Li": ("Bo Li", "boli@example.edu")}
    names = Names(aliases, fallback="[name]", spellings=known)
    assert names.redact_source("# abyron (20261234)") == "# Amber Otter (Amber Otter)"
    assert names.redact_source("# asked boli") == "# asked Icy Wren"
    assert names.redact_source("see example.edu and edu_example") == "see example.edu and edu_example"
    assert names.redact_text("Ada Byron_20261234_file/main.py") == "Amber Otter_file/main.py"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("Ada Lovelace - 2026-02-27T09:00:00/main.py", "Amber Otter - …/main.py"),
        ("77001-6400 - Ada Lovelace - Oct 10, 2025 1022 AM/a.py", "… - Amber Otter - Oct 10, … AM/a.py"),
        ("Lab 1_nobody_attempt_2026-03-01-14-05-09.txt", "….txt"),
    ],
)
def test_the_path_of_a_skipped_entry_shows_no_ids_and_no_times(path: str, expected: str) -> None:
    assert NAMES.redact_entry(path) == expected
    assert Names().redact_entry(path) == path


def test_an_unknown_name_is_not_shown_and_own_names_are_left_as_they_are() -> None:
    assert NAMES.display_name("max") == "Calm Owl"
    assert NAMES.display_name("somebody-else") == "[name]"
    assert Names().display_name("somebody-else") == "somebody-else"
    assert Names().redact_source("# @author Ada") == Names().redact_text("# @author Ada") == "# @author Ada"
    assert Names().source_spans("Ada") == []


def test_one_redacted_student_is_another_and_several_have_letters() -> None:
    assert redacted_names(["ada"]).redact_text("ada/a.py") == "another student/a.py"
    several = redacted_names(["cleo", "ada", "ben"])
    letters = [several.display_name(name) for name in ("cleo", "ada", "ben")]
    assert letters == ["Student A", "Student B", "Student C"]
    assert redacted_names([f"n{number:03}" for number in range(28)]).display_name("n027") == "Student AB"


def test_a_reader_s_own_name_is_not_redacted() -> None:
    names = redacted_names(["ada-lovelace"], visible_names=["ada-byron"])
    assert names.redact_source("Ada; Ada Lovelace; Byron") == "Ada; another student; Byron"
    assert names.display_name("ada-byron") == "ada-byron"


words = st.text(alphabet="adE lo\u0301ß_-.:@#/\n\"'*79", max_size=60)


@given(st.lists(words, max_size=5), words)
def test_spans_are_in_order_apart_and_inside_the_text(real_names: list[str], text: str) -> None:
    names = Names({name: f"Alias {number}" for number, name in enumerate(real_names)}, fallback="[name]")
    previous_end = 0
    for start, end, replacement in names.source_spans(text):
        assert previous_end <= start < end <= len(text)
        assert replacement
        previous_end = end


@given(words)
def test_a_whole_name_never_stays_in_its_path(name: str) -> None:
    if not re.search(r"[^\W_]", name) or "/" in name:
        return
    names = Names({name: "Alias"}, fallback="[name]")
    assert names.redact_text(f"{name}/main.py") == "Alias/main.py"


@pytest.mark.long
def test_a_hostile_text_is_read_in_linear_steps() -> None:
    for text in (
        "name: " * 50_000,
        "a@b." * 50_000,
        '"' * 200_000,
        "/*" * 100_000,
        "\n#name:" * 30_000,
        "1a" * 50_000,
    ):
        NAMES.source_spans(text)


KNOWN = {
    "aokafor": ("aokafor", "Amara Okafor", "00042", "amara.okafor@example.edu"),
    "w3": ("w3", "Max Green", "100"),
    "b2": ("b2", "Bo Li"),
    "popescubruno (lab-2024)": ("popescubruno", "Bruno Popescu"),
}


@pytest.mark.parametrize(
    ("source", "covered"),
    [
        ("# Amara Okafor", "# Amber Otter"),
        ("# okafor, amara", "# Amber Otter"),
        ("int okafor_sum = 0;", "int Amber Otter_sum = 0;"),
        ("# mail amara.okafor@gmail.example", "# mail Amber Otter"),
        ("# id 00042", "# id Amber Otter"),
        ("# Max Green wrote it", "# Calm Owl wrote it"),
        ("max = max(green, 100); max, 100", "max = max(green, 100); max, 100"),
        ("# Bo Li", "# Icy Wren"),
        ("for bo in li: bo li", "for bo in li: bo li"),
        ("# thanks, Bruno (lab 2024)", "# thanks, Teal Newt (lab 2024)"),
        ("lab = 2024", "lab = 2024"),
    ],
)
def test_a_student_is_found_by_every_name_that_the_roster_has(source: str, covered: str) -> None:
    aliases = dict(zip(KNOWN, ("Amber Otter", "Calm Owl", "Icy Wren", "Teal Newt"), strict=True))
    assert Names(aliases, fallback="[name]", spellings=KNOWN).redact_source(source) == covered


def test_a_roster_of_thousands_is_searched_in_linear_time() -> None:
    spellings = {f"s{n}": (f"s{n}", f"Maria Lastname{n:05}", f"mlastn{n:05}") for n in range(5_000)}
    names = Names(dict.fromkeys(spellings, "[name]"), fallback="[name]", spellings=spellings)
    text = "// Maria Lastname00042 and mlastn00017\nint sum = maria + 1;\n" * 2_000
    started = time.process_time()
    assert names.redact_source(text).startswith("// [name] and [name]\n")
    assert time.process_time() - started < 10


IDS = {
    "Ada": ("Ada Lovelace", "12000", "ada"),
    "Max": ("Max Green", "65536", "max"),
    "Bo": ("Bo Li", "u12345000"),
    "Grace": ("Grace Hopper", "4-7-11", "main"),
    "Kim": ("Kim Lee", "2024"),
    "Tea": ("Tea Sun", "42"),
}


BY_ID = Names(
    {name: f"<{name}>" for name in IDS},
    fallback="[name]",
    spellings=IDS,
    ids=frozenset(text for texts in IDS.values() for text in texts[1:]),
)


@pytest.mark.parametrize(
    ("source", "covered"),
    [
        ("limit = 12000", "limit = <Ada>"),
        ("x12000 = 65536", "x<Ada> = <Max>"),
        ("U12345000()", "<Bo>()"),
        ("data_12345000", "data_<Bo>"),
        ("print('4-7-11')", "print('<Grace>')"),
        ("year = 2024", "year = <Kim>"),
        ("# 42 and max and main", "# <Tea> and <Max> and <Grace>"),
        ("z = max(42, 7)", "z = max(42, 7)"),
        ("def main(): return 4, 7", "def main(): return 4, 7"),
        ("x = 120001 + 20240", "x = 120001 + 20240"),
    ],
)
def test_an_id_is_covered_whatever_number_it_looks_like(source: str, covered: str) -> None:
    assert BY_ID.redact_source(source) == covered


@pytest.mark.parametrize("path", ["12000/a.py", "lab/42/a.py", "main/a.py", "4-7-11.zip", "sub_2024_a.py"])
def test_an_id_in_a_path_is_covered(path: str) -> None:
    assert "<" in BY_ID.redact_text(path)


@given(st.integers(100, 10**12), st.sampled_from(["x = {};", "# {}", "f({}, 1)", "'{}'", "a_{}", "id{}"]))
def test_every_number_on_the_roster_is_covered(number: int, source: str) -> None:
    names = Names({"Ada": "Owl"}, spellings={"Ada": ("Ada", str(number))}, ids=frozenset({str(number)}))
    assert names.redact_source(source.format(number)) == source.format("Owl")
    assert str(number) not in names.redact_text(source.format(number))


GIVEN = ("Quirin", "Jean-Luc", "Søren", "Zoë Änne", "Xóchitl", "Jürgen Otto", "Åke", "Wim")
SURNAMES = (
    "Zabel",
    "D'Arras",
    "Østergaard",
    "van der Weerd",
    "Müller-Groß",
    "Łukasik",
    "García Núñez",
    "Ó Dálaigh",
)
FOLDED = ("øo äa öo üu åa łl óo áa úu ñn ëe", "øoe äae öoe üue åaa łl óo áa úu ñn ëe")


def university_logins(given: str, surname: str, draw: random.Random) -> str:
    """Return a login as some university builds it of a name, by drawing how: written without the product."""
    table = str.maketrans({pair[0]: pair[1:] for pair in draw.choice(FOLDED).split()} | {"ß": "ss"})
    firsts, lasts = (
        text.lower().translate(table).replace("'", "").replace("-", " ").split() for text in (given, surname)
    )
    first = draw.choice([firsts[0], "".join(firsts)])
    last = draw.choice([lasts[-1], "".join(lasts)])
    initials = "".join(word[0] for word in firsts)
    particles = "".join(word[0] for word in lasts[:-1])
    letters = [first[0] + last, initials + last, last + first[0], last + initials, first + last, last + first]
    letters += [first + last[0], initials + particles + lasts[-1], first[:3] + last[:3], last[:5] + first[:3]]
    letters += [last[:7] + first[0], first[:2] + last[:6], initials + lasts[-1][0] + "042"]
    login = draw.choice(letters)[: draw.choice([8, 8, 20])]
    return login if len(login) >= 5 else first + last


@given(st.sampled_from(GIVEN), st.sampled_from(SURNAMES), st.randoms(use_true_random=False))
def test_a_login_that_is_built_from_a_name_is_covered(given: str, surname: str, draw: random.Random) -> None:
    name = draw.choice([f"{given} {surname}", f"{surname}, {given}"])
    login = university_logins(given, surname, draw) + draw.choice(["", "2", "042"])
    written = draw.choice([str.lower, str.upper, str.capitalize])(login)
    source = draw.choice(["x = {} + 1", "// {}", "/home/{}/a.c", "{}()", "'{}'"]).format(written)
    finder = NameFinder({name: "Robin", "Otto Kraus": "Kim"})
    assert [(source[start:end], shown) for start, end, shown in finder.source_spans(source)] == [(written, "Robin")]


@pytest.mark.parametrize(
    ("source", "covered"),
    [
        ("q.zabel, Zabel, Q.; zabel_o", "Robin.; Kim"),
        ("QZabelSolver, ZABEL, O. Zabel", "RobinSolver, [name], Kim"),
        ("J.-L. Darras, j-l.darras", "Lee, Lee"),
        ("x.zabel; zabel.items", "x.[name]; [name].items"),
    ],
)
def test_initials_beside_a_surname_say_whose_it_is_and_are_covered(source: str, covered: str) -> None:
    aliases = {"Quirin Zabel": "Robin", "Ottilie Zabel": "Kim", "Jean-Luc D'Arras": "Lee"}
    assert Names(aliases, fallback="[name]").redact_source(source) == covered


@pytest.mark.parametrize("login", ["jan.vanderweerd", "j.vanderweerd", "vanderweerd_j", "VANDERWEERD", "vanderweerd2"])
def test_a_surname_of_several_words_is_covered_as_one_word(login: str) -> None:
    redacted = Names({"Jan van der Weerd": "Robin"}, fallback="[name]").redact_source(f"/home/{login}/a.c")
    assert "Robin" in redacted
    assert "weerd" not in redacted.lower()


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("Peter Lane", "plane = 3"),
        ("Clara Lock", "System.clock(clock2)"),
        ("Sam Wing", "import javax.swing.*;"),
        ("Mara Ginster", "margin: 1px"),
        ("Jean Le Gal", "legal = moves(board)"),
        ("Christian Schulz", "cs101"),
        ("Ursula Tamara Fink", "utf16, utf008"),
    ],
)
def test_a_word_that_a_login_would_be_stays(name: str, source: str) -> None:
    assert NameFinder({name: "Robin"}).source_spans(source) == []


@given(st.sampled_from(sorted(PROGRAM_WORDS)), st.sampled_from(sorted(PROGRAM_WORDS)))
def test_a_login_that_is_a_common_word_is_not_covered(word: str, other: str) -> None:
    """Mark Page, and I. Nput: neither `page` and `mpage` nor `input` means a student."""
    for name in (f"{word[0].upper()} {word[1:].capitalize()}", f"{word.capitalize()} {other.capitalize()}"):
        assert LOGIN_WORDS.isdisjoint(logins(name))
        assert not logins(f"{word} {other}")


def test_made_up_names_are_made_of_distinct_words_and_say_nothing_of_order_or_spelling() -> None:
    names = [f"student-{number:03}" for number in range(200)]
    aliases = [draw_alias(1, name, ()) for name in names]
    assert aliases != sorted(aliases)
    assert aliases == [draw_alias(1, name, ()) for name in names]
    assert aliases != [draw_alias(2, name, ()) for name in names]
    for words in (FIRST_WORDS, SECOND_WORDS):
        assert len(set(words)) == len(words) > 90
    first, second = draw_alias(1, "ada", ()).split()
    assert first in FIRST_WORDS
    assert second in SECOND_WORDS
    assert first not in draw_alias(1, "ada", (), {first.casefold()})


def test_thousands_of_names_are_all_different_cost_two_queries_and_stay_for_deleted_submissions(
    assignment: Assignment, django_assert_num_queries: CountQueries
) -> None:
    assignment.decisions.create(left="deleted-ada", right="deleted-ben")
    assert anonymous_names(assignment).display_name("deleted-ada") != "deleted-ada"
    assert set(ensure_aliases(assignment)) == {"deleted-ada", "deleted-ben"}
    batch = assignment.batches.create(name="class.zip", state="done")
    Submission.objects.bulk_create(Submission(batch=batch, name=f"student-{n}") for n in range(2_000))
    aliases = ensure_aliases(assignment)
    assert len(set(aliases.values())) == len(aliases) == 2_002
    assert sum(len(alias.split()) == 2 for alias in aliases.values()) > 1_900
    with django_assert_num_queries(2):
        assert ensure_aliases(assignment) == aliases


def test_a_student_has_one_made_up_name_in_a_course(assignment: Assignment) -> None:
    names = [f"student-{n}" for n in range(300)]
    other = assignment.course.assignments.create(name="Second")
    for one, handed_in in ((assignment, names), (other, [*reversed(names), "late"])):
        batch = one.batches.create(name="class.zip", state="done")
        Submission.objects.bulk_create(Submission(batch=batch, name=name) for name in handed_in)
    first, second = ensure_aliases(assignment), ensure_aliases(other)
    assert {name: second[name] for name in names} == first
    assert len(set(second.values())) == len(second) == 301


def test_two_readers_at_once_get_the_same_names(transactional_db: None, alice: User) -> None:
    course = alice.courses.create(name="Programming 1")
    assignment = course.assignments.create(name="Statistics")
    batch = assignment.batches.create(name="class.zip", state="done")
    Submission.objects.bulk_create(Submission(batch=batch, name=f"student-{n}") for n in range(200))

    def read(_: int) -> dict[str, str]:
        try:
            return ensure_aliases(assignment)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as readers:
        first, *others = readers.map(read, range(4))
    assert all(other == first for other in others)
    assert Alias.objects.count() == 200


def test_the_switch_is_kept_and_leads_back(alice_client: Client, assignment: Assignment) -> None:
    address = f"{assignment.get_absolute_url()}?q=x"
    switch = reverse("switch_names")
    assert alice_client.post(switch, {"names": "made-up", "next": address}).headers["Location"] == address
    assert get_page(alice_client, address).texts(".names-switch button") == ["Show real names"]
    alice_client.post(switch, {"names": "real", "next": address})
    assert get_page(alice_client, address).texts(".names-switch button") == ["Hide names"]


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
        "made-up",
        "login",
        "",
    ],
)
def test_the_switch_leads_to_nothing_but_a_path(elsewhere: str, alice_client: Client, client: Client) -> None:
    response = alice_client.post(reverse("switch_names"), {"names": "real", "next": elsewhere})
    assert response.headers["Location"] == "/"
    response = client.post(reverse("switch_names"), {"names": "made-up"})
    assert response.headers["Location"].startswith("/accounts/login/")


def programs() -> dict[str, str]:
    """Return the program of each student: some equal, some renamed, some with a function of their own."""
    return {
        f"{name}/main.py": PROGRAMS[n % 5] + f"\ndef own_{n % 10}(x):\n    return [x + {n % 10}, x]\n" * (n % 4)
        for n, name in enumerate(ROSTER)
    }


@dataclass(frozen=True)
class Attacker:
    """Somebody who reads everything that is shown with made-up names: signed in, and by a share link."""

    client: Client
    assignment: Assignment
    share: Share
    pair_ids: list[tuple[int, int]]

    def read_everything(self) -> dict[str, str]:
        """Return every page, table and document, without what differs from one reading to the next."""
        read = {name: self._get(address, query) for name, (address, query) in self._requests().items()}
        return {name: CHANGING.sub("…", text) for name, text in read.items()}

    def _requests(self) -> dict[str, tuple[str, dict[str, str]]]:
        pk, batch = self.assignment.pk, self.assignment.batches.get()
        token = shares.share_token(self.share)
        exports = reverse("exports", args=[pk])
        document = {"names": "made-up", "decision": "on", "sources": "on"}
        requests: dict[str, tuple[str, dict[str, str]]] = {
            "batch": (reverse("batch", args=[batch.pk]), {}),
            "shares": (reverse("shares", args=[pk]), {}),
            "next": (reverse("next_undecided", args=[pk]), {}),
            **{f"tab {name}": (reverse(name, args=[pk]), {}) for name in TABS},
            **{
                f"pairs by {key}": (reverse("pairs", args=[pk]), {"sort": key})
                for key in ("similarity", "left", "-right", "left_share")
            },
            "students, second page": (reverse("students", args=[pk]), {"page": "2"}),
            "cases from 30 %": (reverse("assignment", args=[pk]), {"threshold": "30"}),
            **{name: (reverse(name, args=[token]), {}) for name in SHARED_TABS},
            **{suffix: (exports, document | {"format": suffix}) for suffix in ("html", "pdf")},
        }
        for table in ("pairs", "submissions"):
            for suffix in ("csv", "json"):
                requests[f"{table}.{suffix}"] = reverse("table", args=[pk, table, suffix]), {}
        for submission in Submission.objects.filter(batch=batch):
            requests[f"submission {submission.pk}"] = reverse("submission", args=[pk, submission.pk]), {}
            requests[f"case {submission.pk}"] = reverse("case", args=[pk, submission.pk]), {}
            requests[f"shared case {submission.pk}"] = reverse("shared_case", args=[token, submission.pk]), {}
        for ids in self.pair_ids:
            for left, right in (ids, ids[::-1]):
                requests[f"pair {left} {right}"] = reverse("pair", args=[pk, left, right]), {}
                requests[f"shared {left} {right}"] = reverse("shared_pair", args=[token, left, right]), {}
                requests[f"export {left} {right}"] = reverse("export_pair", args=[pk, left, right]), {}
        return requests

    def _get(self, address: str, query: dict[str, str]) -> str:
        response = self.client.get(address, query, follow=True)
        assert response.status_code in {200, 404}, address
        moved = [where for where, _ in response.redirect_chain]
        header = f"{response.status_code} {moved} {response.headers.get('Content-Disposition')}\n"
        return header + _text(response)


def _text(response: HttpResponseBase) -> str:
    content = b"".join(cast("Iterable[bytes]", response))
    if response.headers["Content-Type"] == "application/pdf":
        return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)
    return content.decode()


def exchange_names(assignment: Assignment, new_names: dict[str, str]) -> None:
    """Exchange the names of submissions; alias, sources and keys stay with each submission."""
    for submission in Submission.objects.filter(batch__assignment=assignment):
        submission.name = f"~{new_names[submission.name]}"
        submission.save()
    for alias in Alias.objects.filter(assignment=assignment):
        alias.name = f"~{new_names[alias.name]}"
        alias.save()
    for model in (Submission, Alias):
        model.objects.update(name=Substr("name", 2))
    for entry in Entry.objects.all():
        name, _, path = entry.name.partition("/")
        entry.name = f"{new_names[name]}/{path.replace(name, new_names[name])}"
        entry.save()
    for file in SubmissionFile.objects.all():
        file.path = f"{file.submission.name}.py" if file.path != "main.py" else file.path
        file.save()


def confirm_pairs(assignment: Assignment, pair_ids: list[tuple[int, int]]) -> None:
    """Confirm these pairs, as decisions on the names that their submissions have now."""
    assignment.decisions.all().delete()
    report = assignment.reports.filter(state=Report.State.DONE).latest("pk")
    for pair in report.pairs.all():
        if tuple(sorted((pair.left_id, pair.right_id))) in pair_ids:
            names = PairNames.from_pair(pair)
            assignment.decisions.create(left=names.left, right=names.right, state="confirmed", notes="Seen.")


def best_pair_ids(assignment: Assignment) -> list[tuple[int, int]]:
    pairs = assignment.reports.get(state=Report.State.DONE).pairs.all()
    return sorted((min(ids), max(ids)) for ids in pairs.values_list("left_id", "right_id")[:PAIRS_READ])


@pytest.fixture
def attacker(alice: User, alice_client: Client, assignment: Assignment, hand_in: HandIn) -> Attacker:
    """Return the reader of a class of twenty with equal programs, own files, and times of handing in."""
    refused = {f"{name}/photo.png": b"\x89PNG\r\n\x1a\n\0\0" * n for n, name in enumerate(ROSTER, 1)}
    written = {f"{name}/{name}.py": f"def own(n):\n    return n * {n}\n" for n, name in enumerate(ROSTER[:8])}
    hand_in(zipped({**programs(), **written, **refused}))
    for number, submission in enumerate(Submission.objects.order_by("pk")):
        submission.handed_in = HANDED_IN + timedelta(hours=24 * (number % 3), seconds=number)
        submission.save()
    assignment.due = HANDED_IN + timedelta(days=1)
    assignment.save()
    ensure_aliases(assignment)
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    share = shares.create_share(assignment, alice, timezone.now() + timedelta(days=1))
    return Attacker(alice_client, assignment, share, best_pair_ids(assignment))


@pytest.mark.long
def test_exchanged_names_change_nothing_that_a_reader_of_aliases_gets(
    attacker: Attacker, eager_tasks: None, committing: object
) -> None:
    assignment = attacker.assignment
    confirm_pairs(assignment, attacker.pair_ids)
    before = attacker.read_everything()
    shuffled = random.Random(7).sample(ROSTER, len(ROSTER))
    exchange_names(assignment, dict(zip(ROSTER, shuffled, strict=True)))
    with committing(execute=True):  # type: ignore[operator]
        rerank(assignment)
    confirm_pairs(assignment, attacker.pair_ids)
    after = attacker.read_everything()
    assert assignment.reports.get(state=Report.State.DONE).created > attacker.share.created
    assert before.keys() == after.keys()
    assert {name: _first_change(before[name], after[name]) for name in before} == dict.fromkeys(before)


def _first_change(before: str, after: str) -> tuple[str, str] | None:
    """Return the first line that differs between two texts, as it is in both; None for equal texts."""
    lines = zip_longest(before.splitlines(), after.splitlines(), fillvalue="")
    return next(((old, new) for old, new in lines if old != new), None)


@pytest.mark.long
def test_no_exact_time_of_a_submission_is_shown_with_made_up_names(attacker: Attacker) -> None:
    read = attacker.read_everything()
    assert [name for name, text in read.items() if "03:17" in text] == []
    assert "2026-03-01" in read["submissions.csv"]
    assert not re.search(r"\d\d:\d\d", read["submissions.csv"])
