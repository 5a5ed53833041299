"""Aliases in queries: lists are sorted by them where names are hidden."""

from __future__ import annotations

from django.db.models import OuterRef, Subquery
from django.db.models.functions import Collate

from submissions.models import Alias


def alias_of(assignment: str, name: str) -> Collate:
    """Return the alias of a row's submission; `assignment` and `name` are fields of the row.

    It is sorted as Python sorts it, whatever the collation of the database is.
    """
    aliases = Alias.objects.filter(assignment=OuterRef(assignment), name=OuterRef(name))
    return Collate(Subquery(aliases.values("alias")), "C")
