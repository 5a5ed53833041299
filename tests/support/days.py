"""A day that lasts as long as a test."""

import time
from datetime import timedelta

import pytest
from django.utils import timezone

LONGEST_TEST = timedelta(minutes=1)


@pytest.fixture
def lasting_day() -> None:
    """Wait for midnight where it is near; a test that names a day, counted from today, requests this."""
    now = timezone.localtime()
    midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    if midnight - now < LONGEST_TEST:
        time.sleep((midnight - now).total_seconds())
