"""Stored English sentences are shown in the language of the page."""

import ast
from collections.abc import Iterator

import pytest
from django.utils import translation

from fingerprint.reading import Unreadable
from submissions.intake import sentences as reasons
from submissions.intake.entry_names import clean_path
from submissions.intake.grouping import group_files
from submissions.pages.language import fixed_text
from submissions.work.jobs import GAVE_UP
from submissions.work.kinds import BROKEN, OUT_OF_TIME
from tests.submissions.intake.layouts.samples import SAMPLES
from tests.submissions.intake.layouts.test_layouts import listing_of
from tests.support.paths import ROOT
from tests.support.translations import LANGUAGES

# What takes a text for an uploader.
WRITERS = {
    "BadArchive",
    "GroupingWarning",
    "Ignored",
    "RefusalError",
    "RosterProblem",
    "RosterRefused",
    "TooLarge",
    "Unreadable",
    "_warning",
}
# Only `moss check` reads a folder.
OF_THE_COMMAND = {" is not a folder"}


def typed_texts() -> Iterator[str]:
    """Yield the texts that intake writes for an uploader where it writes them, names and signs left out."""
    for path in (ROOT / "submissions/intake").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in WRITERS:
                for part in (part for argument in node.args for part in ast.walk(argument)):
                    if isinstance(part, ast.Constant) and len(str(part.value).split()) > 2:
                        yield str(part.value)


def test_a_text_for_an_uploader_stands_among_the_sentences_that_pages_translate() -> None:
    assert {*typed_texts()} == OF_THE_COMMAND


def test_no_text_for_an_uploader_stands_in_two_places() -> None:
    sentences = [*reasons.REASONS, *reasons.PROBLEMS, *reasons.SENTENCES]
    assert len({*sentences}) == len(sentences)
    sources = "".join(
        path.read_text() for path in (ROOT / "submissions").rglob("*.py") if path.name != "sentences.py"
    )
    assert [one for one in sentences if len(one.split()) > 3 and f'"{one}"' in sources] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("sample", SAMPLES)
def test_every_reason_of_a_layout_is_translated(sample: str, language: str) -> None:
    grouping = group_files(listing_of(SAMPLES[sample]))
    reasons = {grouping.reason(path) for path in grouping.ignored}
    with translation.override(language):
        assert [reason for reason in reasons if fixed_text(reason) == reason] == []


@pytest.mark.parametrize(
    "reason",
    [
        clean_path("/etc/passwd", 100)[1],
        clean_path("../../x", 100)[1],
        clean_path("", 100)[1],
        clean_path("x" * 200, 100)[1],
        str(Unreadable.by_error("KeyError")),
        "reading it as Java took longer than 20 s",
        BROKEN,
        OUT_OF_TIME,
        GAVE_UP,
        reasons.EMPTY_FILE,
        reasons.HARD_LINK,
        reasons.NAMED_ATTEMPTS[reasons.LATE_ATTEMPT].format(name="KeyError"),
        f"Java.zip: {reasons.EMPTY_ARCHIVE}",
    ],
)
def test_why_work_or_a_file_failed_is_translated_with_its_values(reason: str) -> None:
    with translation.override("de"):
        translated = fixed_text(reason)
    assert translated != reason
    assert [
        value for value in ("KeyError", "Java", "200") if value in reason and value not in translated
    ] == []


def test_a_reason_inside_another_one_is_translated_too() -> None:
    kept = reasons.UNREAD_LINES.format(reason=reasons.TIMES_KEPT, n=3)
    limit = reasons.METADATA_UNREAD.format(
        reason=reasons.GRADESCOPE_LIST, why=reasons.METADATA_TOO_SLOW.format(n=2)
    )
    with translation.override("de"):
        assert fixed_text(kept) == "nur die Zeiten der Commits werden behalten; nicht lesbare Zeilen: 3"
        assert fixed_text(limit).endswith("von Gradescope; nicht gelesen: es zu lesen dauerte länger als 2 s")


def test_a_text_that_begins_like_a_sentence_is_not_that_sentence() -> None:
    with translation.override("de"):
        assert fixed_text(f"{reasons.EMPTY_FILE} handed") == f"{reasons.EMPTY_FILE} handed"


def test_a_students_name_in_a_reason_stays_as_it_is() -> None:
    with translation.override("de"):
        assert fixed_text("a name: of a student") == "a name: of a student"
        assert "Ada {name} Byron" in fixed_text("an earlier attempt of Ada {name} Byron")
        assert fixed_text("a text that nobody knows") == "a text that nobody knows"
