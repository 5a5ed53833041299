"""Comments, blanks, constants and names of both sides of a pair that hardly anybody else in the class has.

Comments and blanks change no similarity. The same rows say how many submissions have each line.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.engine import LexicalTerms
from submissions.core.access import readable_submissions
from submissions.intake.packed_readings import TERM_COUNTS, unpack_lexical
from submissions.matches.line_marks import line_marks
from submissions.matches.standalone_content import CHARACTERS, TermFile, shared_terms
from submissions.models import Boilerplate, Document, SubmissionFile
from submissions.pairs.read import handed_out_terms, stored_terms
from submissions.uploads.stored_documents import dictated_terms, registered_statements

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from fingerprint.kernels.types import Terms
    from submissions.matches.line_marks import LineMarks
    from submissions.models import Pair
    from submissions.pairs.file_view import FileView

# At most so many submissions have a trace, and a quarter of the others; traces of one kind that are listed; bytes of a
# class that are read.
SOME, LISTED, MOST_BYTES = 4, 8, 16_000_000
KINDS = "comments", "blanks", "literal", "name", "word"
LOW_BITS = np.uint64(0xFFFF)


class TracePlace(NamedTuple):
    """The first line of a trace on one side."""

    file: FileView
    line: int

    @property
    def anchor(self) -> str:
        return self.file.anchors.line(self.line)

    @property
    def place(self) -> str:
        return self.file.cells_at(self.line) or str(self.line)

    @property
    def text(self) -> str:
        """The line without the blanks before it, and with dots for those after it."""
        starts = [*self.file.starts, len(self.file.text)]
        line = self.file.text[starts[self.line - 1] : starts[self.line]].rstrip("\r\n")
        bare = line.rstrip(" \t")
        dots = "·" * min(len(line) - len(bare), CHARACTERS)
        return self.file.names.redact_source(bare.strip())[:CHARACTERS] + dots


class Trace(NamedTuple):
    """A text that both sides have, and `some` submissions in all; `kind` is one of `KINDS`."""

    kind: str
    text: str
    some: int
    left: TracePlace
    right: TracePlace

    @property
    def ends(self) -> tuple[TracePlace, TracePlace]:
        return self.left, self.right


def add_rarity(pair: Pair, views: Collection[FileView]) -> list[Trace]:
    """Set the counts of the lines of the files that were read, and return the traces."""
    views = [view for view in views if view.is_open and view.file.document.state == Document.State.READY]
    files = SubmissionFile.objects.filter(submission__in=readable_submissions(pair.report).values("pk"))
    columns = "submission_id", "document__lines", "document__lexical"
    ready = files.filter(document__state=Document.State.READY).values_list(*columns)
    rows, size = list[tuple[int, bytes, bytes]](), 0
    for row in ready.iterator(chunk_size=500) if views and not pair.translated else ():
        rows.append(row)
        if (size := size + len(row[1] or b"") + len(row[2])) >= MOST_BYTES:
            return []
    if not size:
        return []
    owners = [owner for owner, _, _ in rows]
    marks = [(view, line_marks(view.text, view.tokens)) for view in views]
    counts: dict[int, int] = {}
    if all(lines is not None for _, lines, _ in rows):  # An older version kept none.
        wanted = {number for _, one in marks for column in one for number in column.values()}
        counts = _counts(owners, [lines for _, lines, _ in rows], wanted)
    for view, one in marks:
        view.line_counts = {line: counts[number] for line, number in one.code.items() if number in counts}
    handed_out = Boilerplate.objects.filter(assignment=pair.report.assignment, first=None)
    for lines in handed_out.values_list("document__lines", flat=True):
        counts |= dict.fromkeys(np.frombuffer(lines or b"", "<u8").tolist(), SOME + 1)
    terms = [packed[TERM_COUNTS.size :] for _, _, packed in rows]
    most = min(SOME, 2 + (len({*owners}) - 2) // 4)
    return [*_line_traces(marks, counts, most), *_term_traces(pair, views, (owners, terms), most)]


def _counts(owners: list[int], files: Sequence[bytes], wanted: Iterable[int]) -> dict[int, int]:
    """Return how many owners have each of the wanted hashes; `files` are the hashes of their files, packed."""
    known = np.unique(np.array([*wanted, 0], dtype=np.uint64))
    hashes = np.frombuffer(b"".join(files), "<u8")
    possible = np.zeros(LOW_BITS + 1, np.bool_)
    possible[known & LOW_BITS] = True
    some = np.flatnonzero(possible[hashes & LOW_BITS])  # Most hashes are left out before they are looked up.
    hashes, owner = hashes[some], np.repeat(owners, [len(packed) // 8 for packed in files])[some]
    places = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
    hit = known[places] == hashes
    with_owner = np.unique(owner[hit] * len(known) + places[hit])
    counts = np.bincount(with_owner % len(known), minlength=len(known))
    return dict(zip(known.tolist(), counts.tolist(), strict=True))


def _words(terms: LexicalTerms) -> Terms:
    return np.concatenate((terms.literals, terms.names))


def _line_traces(marks: list[tuple[FileView, LineMarks]], counts: dict[int, int], most: int) -> Iterator[Trace]:
    for kind in ("comments", "blanks"):
        sides: dict[str, dict[int, TracePlace]] = {"L": {}, "R": {}}
        for view, one in marks:
            hashes: dict[int, int] = getattr(one, kind)
            for line in hashes if kind == "blanks" else _commented(view, one):
                if counts.get(hashes[line], SOME + 1) <= most:
                    sides[view.side].setdefault(hashes[line], TracePlace(view, line))
        both = sorted(sides["L"].keys() & sides["R"], key=lambda number: (counts[number], sides["L"][number].line))
        for number in both[:LISTED]:
            left = sides["L"][number]
            yield Trace(kind, left.text, counts[number], left, sides["R"][number])


def _commented(view: FileView, marks: LineMarks) -> list[int]:
    """Return the lines with words after their tokens that are in a comment."""
    lines = (view.lines(start, end) for start, end in view.comments)
    return sorted({line for first, last in lines for line in range(first, last + 1)} & marks.comments.keys())


def term_files(
    pair: Pair, views: Collection[FileView], name_of: Callable[[FileView], str] = attrgetter("path")
) -> tuple[list[TermFile], list[TermFile], list[LexicalTerms]]:
    """Return the files of both sides that were read, with their terms, and the terms that were handed out.

    `name_of` returns what a file is called.
    """
    packed = stored_terms([view.file for view in views])
    left, right = (
        [
            TermFile(name_of(view), view.file.document.language, view.text, view.tokens, unpack_lexical(terms))
            for view in views
            if view.side == letter and view.is_open and (terms := packed[view.file.document_id])
        ]
        for letter in "LR"
    )
    handed_out = [*map(unpack_lexical, handed_out_terms(pair.report.assignment))]
    if dictated := dictated_terms(registered_statements(pair.report.assignment), packed):
        handed_out.append(dictated.lexical)
    return left, right, handed_out


def _term_traces(
    pair: Pair, views: Collection[FileView], of_class: tuple[list[int], list[bytes]], most: int
) -> Iterator[Trace]:
    """Yield constants and names, those of fewest submissions first."""
    # Two paths may be the same where names in them are hidden.
    left, right, handed_out = term_files(pair, views, attrgetter("anchor"))
    counts = _counts(*of_class, [term for one in left for term in _words(one.lexical).tolist()])
    others = np.array([term for term, some in counts.items() if not 2 <= some <= most], np.uint64)  # noqa: PLR2004
    handed_out += [LexicalTerms(others, others, one.lexical.imports) for one in left]
    by_anchor = {view.anchor: view for view in views}
    shared = shared_terms(left, right, handed_out, next(iter(views)).names.redact_source, counts)
    for some in range(2, most + 1):
        for term in [term for term in shared.listed if term.some == some][:LISTED]:
            ends = [TracePlace(by_anchor[lines[0].path], lines[0].lines[0]) for lines in term.sides]
            yield Trace(term.kind, term.text, some, *ends)
