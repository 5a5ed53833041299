"""Stored English sentences are shown in the language of the page."""

from __future__ import annotations

import pytest
from django.utils import translation

from fingerprint.reading import Unreadable
from submissions.intake.archives.grouping import group_files
from submissions.intake.names import clean_path
from submissions.pages.fixed_texts import fixed_text
from submissions.work.running import BROKEN, OUT_OF_TIME
from tests.submissions.intake.layouts.samples import SAMPLES
from tests.submissions.intake.layouts.test_layouts import listing_of


@pytest.mark.parametrize("language", ["de", "es"])
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
    ],
)
def test_why_work_or_a_file_failed_is_translated_with_its_values(reason: str) -> None:
    with translation.override("de"):
        translated = fixed_text(reason)
    assert translated != reason
    assert [
        value for value in ("KeyError", "Java", "200") if value in reason and value not in translated
    ] == []


def test_a_students_name_in_a_reason_stays_as_it_is() -> None:
    with translation.override("de"):
        assert "Ada {name} Byron" in fixed_text("an earlier attempt of Ada {name} Byron")
        assert fixed_text("a text that nobody knows") == "a text that nobody knows"
