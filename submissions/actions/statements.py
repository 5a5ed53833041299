"""Put a student's statement on file, and delete it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from submissions.models import Statement

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from submissions.models import Assignment

# Bytes of a PDF, bytes of a text, which is printed whole, and statements of one submission.
MAX_PDF_BYTES, MAX_TEXT_BYTES, MAX_STATEMENTS = 5_000_000, 100_000, 10
PDF = b"%PDF-"


class StatementRefused(ValueError):
    """A file cannot be put on file; the message says why, and what to do."""


def add_statement(assignment: Assignment, name: str, user: User, file_name: str, data: bytes) -> Statement:
    """Put a file on file for the submission `name`.

    Raises
    ------
    StatementRefused
        When it is neither a text in UTF-8 nor a PDF, is empty or too large, or when there are many already.
    """
    is_text = _is_text(data)
    if assignment.statements.filter(name=name).count() >= MAX_STATEMENTS:
        raise StatementRefused(_("There are {n} already: delete one first.").format(n=MAX_STATEMENTS))
    return Statement.objects.create(
        assignment=assignment,
        name=name,
        file_name=file_name[-255:],
        is_text=is_text,
        data=data,
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        added_by=user.get_username(),
    )


def _is_text(data: bytes) -> bool:
    """Return whether a file is a text, not a PDF; refuse any other."""
    is_pdf = data.startswith(PDF)
    limit = MAX_PDF_BYTES if is_pdf else MAX_TEXT_BYTES
    if len(data) > limit:
        text = _("It is larger than {n} kB: a text may have {text}, a PDF {pdf}.")
        sizes = {"n": limit // 1000, "text": MAX_TEXT_BYTES // 1000, "pdf": MAX_PDF_BYTES // 1000}
        raise StatementRefused(text.format(**sizes))
    if is_pdf:
        return False
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        reason = _("It is neither a PDF nor a text in UTF-8: save it as one of these.")
        raise StatementRefused(reason) from error
    if "\0" in text or not text.strip():
        raise StatementRefused(_("There is no text in it."))
    return True
