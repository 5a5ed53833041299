"""The check of the audit log, which reads all of it: `moss doctor --audit`."""

from __future__ import annotations

from django.db import connection

from moss.doctor.findings import Finding, ok, problem, warning
from submissions.audit_chain import verify
from submissions.models import AuditEntry

# Such a role can switch the trigger off that keeps the log, or empty the table.
MAY_ERASE = """
SELECT rolsuper OR pg_has_role(current_user, relowner, 'USAGE') FROM pg_class, pg_roles
WHERE pg_class.oid = 'submissions_auditentry'::regclass AND rolname = current_user
"""
RESTORE = "Somebody changed the log in the database. Compare it with a backup."
KEEP = (
    "Keep this line elsewhere, and compare it later: the database role of the service could cut the end off."
)


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
