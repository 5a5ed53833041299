"""Check of the settings by Django, as `manage check --deploy` does it."""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from django.core.checks import ERROR, run_checks

from moss.doctor.findings import Finding, ok, problem, warning
from moss.integrations.lti.models import ToolKey
from moss.integrations.webhooks.models import Webhook
from submissions.sealing import opened_or_empty

FORMER = "Add the former SECRET_KEY to SECRET_KEY_FALLBACKS, or make these webhooks and second factors anew."
ADVICE = "Set SECRET_KEY, MOSS_ALLOWED_HOSTS, MOSS_HTTPS and MOSS_PROXIES as docs/running.md says."


def sealed() -> Finding:
    """Check that the secrets in the database can be read with SECRET_KEY."""
    rows = [row.secret for row in Webhook.objects.all()] + [row.private_key for row in ToolKey.objects.all()]
    factors = [one.data.get("secret") or one.data.get("seed") for one in Authenticator.objects.all()]
    lost = sum(not text for text in rows) + sum(not opened_or_empty(text) for text in factors if text)
    if not lost:
        return ok("secrets", f"{len(rows) + len(factors)} secrets in the database can be read")
    return problem("secrets", f"{lost} secrets in the database were sealed with another SECRET_KEY", FORMER)


def deployment() -> Finding:
    """Check the secret key, the host names and HTTPS."""
    found = [message for message in run_checks(include_deployment_checks=True) if not message.is_silenced()]
    if not found:
        return ok("settings", "SECRET_KEY, host names and HTTPS are set")
    worst = max(found, key=lambda message: message.level)
    state = problem if worst.level >= ERROR else warning
    first = worst.msg.split(". ")[0].rstrip(".")
    others = ", ".join(message.id or "" for message in found)
    return state("settings", f"{first} ({others})", ADVICE)
