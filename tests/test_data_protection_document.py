"""docs/do/data-protection.md names every table, and the durations of the code."""

import re

from django.apps import apps
from django.conf import settings

from moss.integrations.api import service as idempotency
from submissions.core.rights import REASON_HOLDS
from submissions.courses.retention import NOTICE
from submissions.students.register import OTHER_APPS, REGISTER
from tests.support.paths import ROOT

TEXT = (ROOT / "docs" / "do" / "data-protection.md").read_text()
TABLES, WITHOUT = TEXT[TEXT.index("## Tables") :].split("Without data about people:")


def tables(text: str) -> list[str]:
    """Return the tables that a text lists as `app`: Model, Model; in words, `app.Model`."""
    return [
        f"{app}.{name.strip()}"
        for app, names in re.findall(r"`(\w+)`: ([A-Z]\w+(?:, [A-Z]\w+)*)", text)
        for name in names.split(",")
    ]


def test_every_table_is_listed_once() -> None:
    labels = sorted(model._meta.label for model in apps.get_models(include_auto_created=True))
    assert sorted(tables(TABLES) + tables(WITHOUT)) == labels


def test_no_table_in_which_a_student_is_erased_is_among_those_without_people() -> None:
    about_students = {label for label, table in REGISTER.items() if table.rows or table.searched}
    assert about_students
    assert not about_students & set(tables(WITHOUT))
    assert about_students <= set(tables(TABLES))
    assert set(OTHER_APPS) <= {label.partition(".")[0] for label in tables(TABLES) + tables(WITHOUT)}


def test_the_durations_are_those_of_the_code() -> None:
    row = {line.split("|")[2].strip().split(":")[0]: line for line in TEXT.splitlines() if "|" in line[1:]}
    assert f"{settings.PREVIEW_DAYS} days after" in row["uploads that wait to be read"]
    assert (
        f"{settings.SESSION_IDLE_HOURS} hours without use, {settings.SESSION_LONGEST_DAYS} days"
        in row["sessions"]
    )
    assert (
        f"{idempotency.KEPT.total_seconds() / 3600:.0f} hours"
        in row["answers of the API to requests with an idempotency key (sealed)"]
    )
    assert settings.AXES_COOLOFF_TIME.total_seconds() == 5 * 60
    assert "five minutes" in row["wrong passwords"]
    assert NOTICE.days == 30
    assert REASON_HOLDS.total_seconds() == 8 * 3600
    assert "one course for eight hours" in TEXT
    assert "Thirty days before" in TEXT
