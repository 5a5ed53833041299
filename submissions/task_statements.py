"""The terms of the compared documents that the statement of a task dictates."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fingerprint.engine import TaskStatement, decode
from submissions.models import Boilerplate, Document
from submissions.storage.tokens import unpack_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fingerprint.engine import LexicalTerms
    from fingerprint.kernels.types import Terms
    from submissions.models import Assignment


class DictatedTerms(NamedTuple):
    """Terms that say nothing: of documents, and of the stream that all languages share."""

    lexical: LexicalTerms
    coarse: Terms


def dictated_terms(boilerplate: Iterable[Boilerplate], documents: Iterable[int]) -> DictatedTerms | None:
    """Return what the statements among boilerplate dictate in documents, by primary key; None without one."""
    texts = [decode(bytes(item.source.data)).text for item in boilerplate if item.statement]
    if not texts:
        return None
    statement = TaskStatement.of(texts)
    rows = Document.objects.filter(pk__in=list(documents)).exclude(words=b"").values_list("words", flat=True)
    words = (unpack_words(bytes(packed)) for packed in rows.iterator(chunk_size=500))
    return DictatedTerms(statement.lexical(words), statement.coarse)


def registered_statements(assignment: Assignment) -> list[Boilerplate]:
    """Return the statements of an assignment's task that were read, with their bytes."""
    rows = assignment.boilerplate.filter(statement=True, document__state=Document.State.READY)
    return list(rows.select_related("source").order_by("pk"))
