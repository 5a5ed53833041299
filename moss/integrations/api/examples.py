"""A body for each endpoint that takes JSON, for the OpenAPI document; by the name of its schema."""

from __future__ import annotations

from typing import Any

EXAMPLES: dict[str, dict[str, Any]] = {
    "CourseIn": {"name": "Algorithms", "keep_months": 24},
    "CourseChange": {"name": "Algorithms, autumn"},
    "RoleIn": {"role": "assistant"},
    "InvitationIn": {"email": "tess@example.org", "role": "assistant"},
    "AssignmentIn": {"name": "Sheet 7", "language": "python", "due": "2026-12-01T12:00:00Z"},
    "AssignmentChange": {"threshold": 60},
    "LayoutIn": {"attempts": "all", "renames": {"A. Berg": "Anna Berg"}},
    "RepositoriesIn": {"repositories": "Anna Berg,https://github.com/course/lab1-anna"},
    "PlanIn": {"again_after_due": False},
    "RetryIn": {"token": ""},
    "DecisionIn": {"state": "suspicious", "notes": "Both have the same mistake in line 12."},
    "ShareIn": {"lasting": "month", "anonymous": True},
    "WebhookIn": {"url": "https://hooks.example.org/moss", "events": ["report.ready"]},
    "WebhookChange": {"active": False},
}
