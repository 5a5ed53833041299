"""Check of the settings by Django, as `manage check --deploy` does it."""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from django.core.checks import ERROR, run_checks
from django.db import connection

from moss.doctor.findings import Finding, ok, problem, warning
from moss.integrations.lti.models import ToolKey
from moss.integrations.webhooks.models import Webhook
from submissions.audit_chain import verify
from submissions.models import AuditEntry
from submissions.sealing import opened_or_empty

# Such a role can switch the trigger off that keeps the log, or empty the table.
MAY_ERASE = """
SELECT rolsuper OR pg_has_role(current_user, relowner, 'USAGE') FROM pg_class, pg_roles
WHERE pg_class.oid = 'submissions_auditentry'::regclass AND rolname = current_user
"""

RESTORE = "Somebody changed the log in the database. Compare it with a backup."

KEEP = (
    "Keep this line elsewhere, and compare it later: the database role of the service could cut the end off."
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


def audit() -> Finding:
    """Check that no entry of the audit log was removed, changed or inserted."""
    chained = AuditEntry.objects.filter(number__isnull=False).order_by("number", "pk")
    chain = verify(chained.iterator())
    older = AuditEntry.objects.filter(number=None).count()
    if chain.broken:
        return problem("audit", f"the log is broken at entry {chain.broken:,}", RESTORE)
    text = f"{chain.entries:,} entries without a gap, up to {chain.digest[:16] or 'none'}"
    text += f"; {older:,} older ones have no digest" if older else ""
    return warning("audit", text, KEEP) if _may_erase() else ok("audit", text)


def _may_erase() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(MAY_ERASE)
        return bool(cursor.fetchone()[0])
