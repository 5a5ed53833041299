"""The address to which platforms send their notices."""

from __future__ import annotations

import json
import logging

from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from moss.integrations.lti.notices import take
from moss.integrations.lti.refusals import NoticeRefused

logger = logging.getLogger(__name__)

# Notices that are taken at once; each may ask for the keys of its platform.
MOST_NOTICES = 100


@csrf_exempt  # A platform sends it: each notice is signed, and there is no session.
@require_POST
def notices(request: HttpRequest) -> JsonResponse:
    """Take a list of notices; the work is done in workers. One that is refused keeps no other one back."""
    tokens = _tokens(request)
    if tokens is None:
        return JsonResponse({"error": f"Send at most {MOST_NOTICES} notices, as JSON."}, status=400)
    refused = []
    for number, token in enumerate(tokens):
        try:
            take(token)
        except NoticeRefused as error:
            logger.warning("notice refused: %s", error)
            refused.append({"notice": number, "reason": str(error)})
    return JsonResponse(
        {"taken": len(tokens) - len(refused), "refused": refused}, status=400 if refused else 200
    )


def _tokens(request: HttpRequest) -> list[str] | None:
    """Return the tokens of `{"notices": [{"jwt": …}]}`; None for anything else."""
    try:
        content = json.loads(request.body)
    except (ValueError, RecursionError):
        return None
    listed = content.get("notices") if isinstance(content, dict) else None
    if not isinstance(listed, list) or len(listed) > MOST_NOTICES:
        return None
    tokens = [one.get("jwt") if isinstance(one, dict) else None for one in listed]
    return [one if isinstance(one, str) else "" for one in tokens]
