"""Limit the requests of a token in a minute, counted in the cache."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.cache import cache
from redis.exceptions import RedisError

from moss.integrations.api.problems import Problem

if TYPE_CHECKING:
    from submissions.models import ApiToken

logger = logging.getLogger(__name__)

MINUTE = 60


def too_many_requests(token: ApiToken) -> Problem | None:
    """Count a request of a token; return the problem to answer with if it is one too many."""
    minute, second = divmod(int(time.time()), MINUTE)
    key = f"api-requests:{token.pk}:{minute}"
    try:
        cache.add(key, 0, MINUTE * 2)
        count = cache.incr(key)
    except (RedisError, ValueError) as error:
        # A limit is no reason to refuse everything while Valkey is away.
        logger.warning("the requests of token %s were not counted: %s", token.pk, error)
        return None
    if count <= settings.API_REQUESTS_A_MINUTE:
        return None
    wait = MINUTE - second
    text = f"More than {settings.API_REQUESTS_A_MINUTE} requests in a minute. Go on in {wait} s."
    return Problem(429, text, {"Retry-After": str(wait)})
