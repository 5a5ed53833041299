"""A passage of a pair taken for boilerplate, as code that the whole cohort may have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from fingerprint.engine import token_lines
from submissions import tasks
from submissions.models import Boilerplate, SubmissionFile
from submissions.storage.sources import text_of
from submissions.storage.tokens import unpack_tokens

if TYPE_CHECKING:
    from submissions.models import Assignment, Pair

# A path may fill a boilerplate's name but for what stands around it.
PATH_SHOWN = 900


@transaction.atomic
def ignore_passage(assignment: Assignment, pair: Pair, key: str) -> Boilerplate | None:
    """Make a passage boilerplate and have the cohort ranked anew; None where the pair has no such passage."""
    passage = next((passage for passage in pair.passages if passage.key == key), None)
    if passage is None:
        return None
    file = SubmissionFile.objects.select_related("source", "document").get(pk=passage.left_file)
    first, count = passage.left_token, passage.tokens
    boilerplate, _ = Boilerplate.objects.get_or_create(
        assignment=assignment,
        document=file.document,
        first=first,
        after=first + count,
        defaults={"name": _name(file, first, count), "source": file.source},
    )
    tasks.enqueue_rank(assignment)
    return boilerplate


def _name(file: SubmissionFile, first: int, count: int) -> str:
    lines = token_lines(text_of(file), unpack_tokens(bytes(file.document.tokens)))
    return f"passage of {file.path[-PATH_SHOWN:]}, lines {lines[first]} to {lines[first + count - 1]}"
