"""Terms that a stored pair without a passage shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from submissions.comparison.shared_terms import SharedTerms, TermFile, shared_terms
from submissions.queries import handed_out_terms, stored_terms
from submissions.storage.tokens import unpack_lexical

if TYPE_CHECKING:
    from collections.abc import Collection

    from submissions.models import Pair
    from submissions.pages.source_view.file_view import FileView
    from submissions.pseudonyms.names import Names


def terms_of_pair(pair: Pair, views: Collection[FileView], names: Names) -> SharedTerms | None:
    """Return the terms that the files that were read share, for a pair without a passage."""
    if not pair.has_no_passage:
        return None
    packed = stored_terms([view.file for view in views])
    left, right = (
        [
            TermFile(
                view.path,
                view.file.document.language,
                view.text,
                view.tokens,
                unpack_lexical(packed[view.file.document_id]),
            )
            for view in views
            if view.anchors.side == letter and view.is_open and packed[view.file.document_id]
        ]
        for letter in "LR"
    )
    handed_out = map(unpack_lexical, handed_out_terms(pair.report.assignment))
    return shared_terms(left, right, handed_out, names.redact_source)
