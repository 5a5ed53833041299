"""The cache when a test begins: it counts requests of addresses and tokens, for a minute or longer."""

from typing import Any, cast

import pytest
from django.conf import settings
from django.core.cache import cache


@pytest.fixture(autouse=True)
def _empty_cache(request: pytest.FixtureRequest) -> None:
    """Delete what earlier tests of this process left in the cache; other processes have their own keys."""
    if "services" in request.fixturenames or request.node.get_closest_marker("django_db"):
        request.getfixturevalue("services")
        valkey = cast("Any", cache)._cache.get_client(None, write=True)
        keys = list(valkey.scan_iter(f"{settings.CACHES['default']['KEY_PREFIX']}:*", count=10_000))
        if keys:
            valkey.delete(*keys)
