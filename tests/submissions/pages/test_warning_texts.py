"""English texts of other packages about an upload are read in the language of the page."""

import pytest
from django.utils import translation

from submissions.intake.choices import GroupedSubmission
from submissions.intake.layouts.places import Student
from submissions.intake.rosters import RosterRefused, parse_roster
from submissions.intake.sentences import SENTENCES
from submissions.intake.warnings import ReadFile, languages_read, reading_warnings, roster_warnings
from submissions.pages.language import PLACE, languages_text, roster_problem, warning_text
from tests.support.translations import LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_warning_that_intake_writes_is_translated(language: str) -> None:
    filled = [PLACE.sub("X", sentence) for sentence in SENTENCES]
    with translation.override(language):
        assert [one for one in filled if warning_text(one) == one or "X" not in warning_text(one)] == []


def test_a_list_in_a_warning_is_translated_and_its_names_are_not() -> None:
    files = [ReadFile(f"ada {n}", "and more.c", "c", 9, 1.0, n) for n in range(1, 8)]
    (warning,) = reading_warnings(files)
    with translation.override("de"):
        text = warning_text(warning.text)
    assert "ada 1/and more.c (geöffnet in Zeile 1)" in text
    assert text.endswith(" und 2 weitere.")
    assert warning_text(warning.text) == warning.text


# Each has one of the problems that a roster can have, or is refused for it.
ROSTERS = (
    b"name,id,shoe size\nAda,1,38\n",
    b"name,id,section\n,,A\nAda,1,B\n",
    b"name,id\nAda,1\nAda,1\n",
    b"name,id\nAda,1\nBen,1\nCleo,1\n",
    b"name,id\nAda,1\nBen,1\n",
    b'name,id\n"Ada,1\nBen,2\n',
    b"name,id,role\nAda,1,Student\nTess,2,TA\n",
)
REFUSED = (b"shoe size\n38\n", b"name\n" + b"Ada\n" * 100_001)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_problem_of_a_roster_is_in_the_language_of_the_page(language: str) -> None:
    problems = [str(problem) for text in ROSTERS for problem in parse_roster(text).problems]
    for text in REFUSED:
        with pytest.raises(RosterRefused) as refused:
            parse_roster(text)
        problems.append(str(refused.value))
    assert len(problems) >= len(ROSTERS) + len(REFUSED)
    with translation.override(language):
        assert [one for one in problems if roster_problem(one) == one] == []
        assert roster_problem("another sentence") == "another sentence"


def test_names_of_a_roster_with_the_words_of_a_sentence_stay() -> None:
    name = "Without code: {names}."
    roster = parse_roster(b"name\nBen\n")
    submissions = {name: GroupedSubmission(students=(Student(name),))}
    texts = [one.text for one in roster_warnings(roster, submissions)]
    with translation.override("de"):
        assert any(name in warning_text(text) for text in texts)
    assert [warning_text(text) for text in texts] == texts


def test_a_problem_of_a_roster_among_the_warnings_is_translated() -> None:
    roster = parse_roster(b"name,id\nAda,1\n" + b"Ada,1\n" * 12)
    with translation.override("de"):
        texts = [warning_text(one.text) for one in roster_warnings(roster, {})]
    assert texts[0] == "Teilnehmerliste: Zeile 3: dieselbe wie Zeile 2; sie zählt einmal"
    assert "Teilnehmerliste: 2 weitere Probleme." in texts


def test_the_languages_of_an_upload_are_counted_in_the_language_of_the_page() -> None:
    languages = languages_read(["java", "java", "text"])
    with translation.override("de"):
        assert languages_text(languages) == "2 Java, 1 als Fließtext gelesen"
    with translation.override("en"):
        assert languages_text(languages) == languages == "2 Java, 1 read as prose"
