"""Check of the settings by Django, as `manage check --deploy` does it."""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from django.core.checks import ERROR, run_checks

from moss.doctor.findings import Finding, ok, problem, warning
from moss.integrations.lti.models import ToolKey
from moss.integrations.webhooks.models import Webhook
from submissions.audit_chain import verify
from submissions.models import AuditEntry
from submissions.queries.audit import service_may_erase_log
from submissions.sealing import opened_or_empty

RESTORE = "Somebody changed the log in the database. Compare it with a backup."

KEEP = (
    "Keep this line elsewhere, and compare it later: the database role of the service could cut the end off."
)


SEPARATE = (
    "Name an owner of the tables in DATABASE_OWNER_URL: docs/running.md, The two roles of the database."
)
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


def rights() -> Finding:
    """Check that the role of the service cannot erase the audit log."""
    if service_may_erase_log():
        return warning(
            "rights", "the database role of the service can change and erase the audit log", SEPARATE
        )
    return ok("rights", "the service can only add entries to the audit log")


def audit() -> Finding:
    """Check that no entry of the audit log was removed, changed or inserted."""
    chained = AuditEntry.objects.filter(number__isnull=False).order_by("number", "pk")
    chain = verify(chained.iterator())
    older = AuditEntry.objects.filter(number=None).count()
    if chain.broken:
        return problem("audit", f"the log is broken at entry {chain.broken:,}", RESTORE)
    text = f"{chain.entries:,} entries without a gap, up to {chain.digest[:16] or 'none'}"
    text += f"; {older:,} older ones have no digest" if older else ""
    return warning("audit", text, KEEP) if service_may_erase_log() else ok("audit", text)
