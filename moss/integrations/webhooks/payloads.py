"""The body of a delivery: the kind of an event, its time, and keys and addresses. No name and no code.

Whoever receives it asks the API for the rest, with a token and the rights of its user.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from submissions.models import Batch, Decision, Report, Submission

if TYPE_CHECKING:
    from submissions.models import Assignment, CaseDecision

A_PAIR = 2


def absolute(path: str) -> str:
    """Return the address of a path of this service, as `reverse` returns it."""
    return f"{settings.PUBLIC_ORIGIN}{path}"


def _of_api(path: str) -> str:
    """Return the address of a path of the API."""
    return f"{settings.PUBLIC_URL}/api/v1{path}"


def body_of(event: str, data: dict[str, Any]) -> str:
    """Return the text that is signed and sent."""
    return json.dumps({"type": event, "timestamp": timezone.now().isoformat(), "data": data})


def of_assignment(assignment: Assignment) -> dict[str, Any]:
    return {"course_id": assignment.course_id, "assignment_id": assignment.pk}


def of_report(assignment: Assignment, pk: int) -> dict[str, Any]:
    return {
        **of_assignment(assignment),
        "report_id": pk,
        "api_url": _of_api(f"/assignments/{assignment.pk}/report"),
        "page_url": absolute(assignment.get_absolute_url()),
    }


def of_upload(assignment: Assignment, pk: int) -> dict[str, Any]:
    return {
        **of_assignment(assignment),
        "upload_id": pk,
        "api_url": _of_api(f"/uploads/{pk}"),
        "page_url": absolute(reverse("batch", args=[pk])),
    }


def of_decision(decision: Decision | CaseDecision) -> dict[str, Any]:
    """Return the keys of what was decided. Work of other assignments is left out: it may be of others."""
    assignment = decision.assignment
    ids, path = _decided_ids(decision), f"/assignments/{assignment.pk}"
    if isinstance(decision, Decision):
        path += f"/pairs/{ids[0]}/{ids[1]}/decision" if len(ids) == A_PAIR else "/pairs"
    else:
        path += "/cases"
    return {
        **of_assignment(assignment),
        "submission_ids": ids,
        "state": decision.state,
        "api_url": _of_api(path),
        "page_url": absolute(assignment.get_absolute_url()),
    }


def _decided_ids(decision: Decision | CaseDecision) -> list[int]:
    """Return the submissions of the newest report that a decision is about, of this assignment's uploads."""
    report = decision.assignment.reports.filter(state=Report.State.DONE).first()
    if not report:
        return []
    if isinstance(decision, Decision):
        decided = Q(name__in=(decision.left, decision.right))
    else:
        decided = Q(name__in=decision.members.values("name"))
    rows = Submission.objects.filter(decided, reports=report).exclude(batch__role=Batch.Role.OTHER)
    return list(rows.order_by("name", "pk").values_list("pk", flat=True))
