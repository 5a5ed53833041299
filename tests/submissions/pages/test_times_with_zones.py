"""Times that people read have their zone, and times that programs read their offset."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.template import Context, Template
from django.utils.timezone import override as in_zone
from django.utils.translation import override as in_language

from moss.commands.tables import local_time
from submissions.intake.choices import GroupedSubmission
from submissions.intake.layouts.places import Student
from submissions.intake.preview import PreviewedSubmission, _submission_json

ROOT = Path(__file__).parents[3]
TIME = re.compile(r'H:i(?!(?::s)? T)|%H[:.]%M(?!(?::%S)?[} "]*(?:%Z|UTC))')
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
FORMATS = sorted(
    {
        text
        for path in (ROOT / "templates").rglob("*.html")
        for text in re.findall(r'date:_\("([^"]*H:i[^"]*)"\)', path.read_text())
    }
)


def test_every_format_of_a_time_has_the_zone() -> None:
    paths = [*(ROOT / "templates").rglob("*.*"), *(ROOT / "moss" / "locale").rglob("*.po")]
    paths += [path for name in ("submissions", "moss") for path in (ROOT / name).rglob("*.py")]
    # The field of a form, and programs of the sample class.
    others = (
        "submissions/courses/forms.py",
        "moss/sample/",
        "moss/log_lines.py",
        "submissions/pages/paper.py",
    )
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in paths
        if not str(path.relative_to(ROOT)).startswith(others)
        for line in path.read_text().splitlines()
        if TIME.search(line)
    ]
    assert found == []


@pytest.mark.parametrize("language", ["en", "de", "es"])
@pytest.mark.parametrize("form", FORMATS)
def test_a_time_on_a_page_has_its_zone_in_every_language(form: str, language: str) -> None:
    template = Template("{% load i18n %}{{ time|date:_(" + f'"{form}"' + ") }}")
    with in_language(language), in_zone("Europe/Berlin"):
        assert "13:00" in template.render(Context({"time": NOON}))
        assert "CET" in template.render(Context({"time": NOON}))


@pytest.mark.parametrize("time", [NOON, datetime(2026, 1, 31, 12)])  # noqa: DTZ001 - platforms write local times
def test_a_time_in_the_terminal_and_in_json_has_its_offset(time: datetime) -> None:
    assert re.fullmatch(r"2026-0[12]-\d\d \d\d:\d\d[+-]\d\d:\d\d", local_time(time))
    assert datetime.fromisoformat(local_time(time)) == time.astimezone()
    grouped = GroupedSubmission((Student("Ada"),), 1, 1, time)
    submitted = _submission_json(PreviewedSubmission("Ada", grouped, 1, 1))["submitted"]
    assert datetime.fromisoformat(submitted) == time.astimezone()
    assert datetime.fromisoformat(submitted).utcoffset() is not None
