"""The checks of the audit log: who can erase it, and `moss doctor --audit`, which reads all of it."""

from __future__ import annotations

from moss.doctor.findings import Finding, ok, problem, warning
from submissions.audit_chain import verify
from submissions.models import AuditEntry
from submissions.queries.audit import service_may_erase_log

RESTORE = "Somebody changed the log in the database. Compare it with a backup."
KEEP = (
    "Keep this line elsewhere, and compare it later: the database role of the service could cut the end off."
)
SEPARATE = (
    "Name an owner of the tables in DATABASE_OWNER_URL: docs/running.md, The two roles of the database."
)


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
