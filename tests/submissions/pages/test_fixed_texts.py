"""Fixed English texts of other code have the language of the page."""

import inspect

import pytest
from django.utils import translation

from fingerprint.ranking.threshold import estimate_unrelated, suggest_threshold
from submissions.intake.layouts.registry import LAYOUTS
from submissions.intake.left_out.rules import REASONS
from submissions.intake.members import CommitLog
from submissions.pages.language import STAGES, fixed_text, threshold_reason
from submissions.reports import progress, results as rank, shards as prepared


def test_every_label_and_reason_is_translated_where_its_row_is_written() -> None:
    texts = [*(layout.label for layout in LAYOUTS.values()), *REASONS.values()]
    for language in ("de", "es"):
        with translation.override(language):
            assert [text for text in texts if fixed_text(text) == text] == []


def test_every_stage_is_one_of_a_ranking() -> None:
    source = "".join(map(inspect.getsource, (rank, prepared, progress)))
    assert [stage for stage in STAGES if f'"{stage}"' not in source] == []


def test_a_known_text_is_translated_and_another_one_stays() -> None:
    with translation.override("de"):
        assert fixed_text("a Moodle export") == "Moodle-Export"
        assert fixed_text("Comparing 1,234 submissions with each other").startswith("1,234 Abgaben")
        assert fixed_text("late.zip is truncated.") == "late.zip is truncated."


@pytest.mark.parametrize(
    "similarities",
    [
        [],
        [0.5],
        [0.1, 0.2],
        [0.1] * 30,
        [0.99] * 400,
        [0.05, 0.1, 0.3, 0.4] * 2_501,
        [index / 60 for index in range(60)],
        [0.05, 0.1, 0.9],
    ],
)
def test_every_reason_of_a_threshold_is_understood(similarities: list[float]) -> None:
    unrelated = estimate_unrelated(similarities, len(similarities), 40)
    # Of very many pairs a sample is known.
    sample = similarities[: 10_000 if len(similarities) > 10_000 else None]
    reason = suggest_threshold(unrelated, sample, len(similarities), 40).reason
    assert threshold_reason(reason) == reason.replace("%", "\u202f%")
    for language, word in (("de", "Paar"), ("es", "par")):
        with translation.override(language):
            translated = threshold_reason(reason)
        assert word in translated
        assert "{" not in translated
        assert "pairs" not in translated


def test_a_reason_of_another_form_is_shown_as_it_is() -> None:
    with translation.override("de"):
        assert threshold_reason("estimated by hand") == "estimated by hand"


@pytest.mark.parametrize(("unread", "rest"), [(0, ""), (1234, "; nicht lesbare Zeilen: 1,234")])
def test_what_is_kept_of_a_log_of_git_is_said_in_the_language_of_the_page(unread: int, rest: str) -> None:
    with translation.override("de"):
        text = fixed_text(CommitLog(None, unread).reason)
    assert text == f"nur die Zeiten der Commits werden behalten{rest}"
