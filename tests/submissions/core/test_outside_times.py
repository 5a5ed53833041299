"""Times from outside are of years that every time zone can show, wherever one is stored."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import connection, models
from hypothesis import given, strategies as st

from submissions.core.database import OutsideTimeField
from submissions.intake.limits import FIRST_YEAR, LAST_YEAR, outside_time

FIELDS = [
    field
    for model in apps.get_models()
    if model.__module__.startswith(("submissions.", "moss."))
    for field in model._meta.concrete_fields
    if isinstance(field, models.DateTimeField)
]
# These are set to the time of the server's clock, by code alone.
BY_THE_CLOCK = frozenset({
    "accounts.Session.expire_date", "corpus.CorpusSweep.finished", "lti.Platform.keys_asked",
    "repositories.Repository.tried", "submissions.ApiToken.revoked", "submissions.ApiToken.used",
    "submissions.Assignment.retention_notice", "submissions.Assignment.sources_deleted",
    "submissions.Assignment.sources_notice", "submissions.Assignment.threshold_chosen",
    "submissions.Erasure.finished", "submissions.Report.finished", "submissions.ResumableUpload.ended",
    "submissions.Share.revoked", "submissions.Source.emptied", "submissions.Source.given_up",
    "submissions.Submission.released", "webhooks.Delivery.tried",
})  # fmt: skip
OUTSIDE = [field for field in FIELDS if isinstance(field, OutsideTimeField)]
ZONES = [UTC, *(timezone(timedelta(hours=hours)) for hours in (-12, 14))]
times = st.datetimes(timezones=st.sampled_from([None, *ZONES]))


@given(times | st.text() | times.map(datetime.isoformat) | st.floats() | st.integers() | st.none())
def test_every_time_from_outside_can_be_shown_in_every_time_zone(value: Any) -> None:
    time = outside_time(value)
    if time is None:
        if isinstance(value, datetime):
            assert not FIRST_YEAR <= value.year <= LAST_YEAR
        return
    for zone in ZONES:
        assert time.astimezone(zone).astimezone(UTC) == time.astimezone(UTC)


def test_every_column_of_times_is_of_the_clock_or_of_the_type_for_times_from_outside() -> None:
    """Whoever adds a column says here whether anything but the clock can set it."""
    plain = {
        f"{field.model._meta.label}.{field.name}"
        for field in FIELDS
        if type(field) is models.DateTimeField
        and not (field.auto_now or field.auto_now_add or field.has_default())
    }
    assert plain == BY_THE_CLOCK


@pytest.mark.parametrize("field", OUTSIDE, ids=str)
@given(time=times)
def test_no_column_stores_another_year(field: models.DateTimeField[Any, Any], time: datetime) -> None:
    aware = time if time.tzinfo else time.replace(tzinfo=UTC)
    if outside_time(aware):
        assert field.get_db_prep_save(aware, connection)
        field.run_validators(aware)
        return
    for store in (lambda: field.get_db_prep_save(aware, connection), lambda: field.run_validators(aware)):
        with pytest.raises(ValidationError, match="a year from 1970 to 9998"):
            store()
