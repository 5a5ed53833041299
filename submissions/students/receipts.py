"""Counts of rows that an erasure removed and changed, by table, for its receipt."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.conf import settings

if TYPE_CHECKING:
    from django.db.models import Model, QuerySet

    from submissions.models import Erasure


# Why something with the name, or one like it, is left.
SOMEBODY_ELSE = "somebody decided that a similar name or id is another person's"
NOT_CHOSEN = "the course was not chosen"


@dataclass
class Counts:
    """Numbers of rows by the label of their table: deleted, and kept with the student taken out."""

    removed: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)

    def delete(self, rows: QuerySet[Any]) -> None:
        """Delete rows with all that hangs on them, and count these."""
        _, by_table = rows.delete()
        self.removed.update(by_table)

    def change(self, row: Model, **values: Any) -> None:
        """Store new values of a row; a row with none is not counted."""
        rows = type(row)._default_manager.filter(pk=row.pk)
        if values and any(getattr(row, name) != value for name, value in values.items()):
            for name, value in values.items():
                setattr(row, name, value)
            self.changed[row._meta.label] += rows.update(**values)

    def as_json(self) -> dict[str, dict[str, int]]:
        return {
            "removed": {label: number for label, number in sorted(self.removed.items()) if number},
            "changed": {label: number for label, number in sorted(self.changed.items()) if number},
        }


def receipt_of(erasure: Erasure) -> dict[str, Any]:
    """Return what a receipt says: who erased when and why, and how much; the student is digests only."""
    return {
        "receipt": erasure.pk,
        "state": erasure.state,
        "asked": erasure.created.isoformat(),
        "finished": erasure.finished.isoformat() if erasure.finished else None,
        "who": erasure.who,
        "reason": erasure.reason if erasure.finished else "",
        "digests": erasure.digests,
        "message": erasure.message,
        "removed": erasure.result.get("removed", {}),
        "changed": erasure.result.get("changed", {}),
        "groups": erasure.result.get("groups", 0),
        "held": erasure.result.get("held", []),
        "left": erasure.result.get("left", []),
        "backups": "Backups that were written before have this student until they are deleted.",
        "backup_days": settings.BACKUP_DAYS or None,
    }
