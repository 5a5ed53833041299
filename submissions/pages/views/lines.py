"""Any two submissions of an assignment side by side as plain lines, listed by the report or not."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_GET

from submissions.comparison.source_html import LINE_END
from submissions.pages.views.access import redirect_with_query
from submissions.pages.views.decisions import decision_context
from submissions.permissions import Right
from submissions.pseudonyms.names import names_for, search_words
from submissions.queries.access import find_assignment
from submissions.queries.decisions import pair_names
from submissions.queries.pairs import find_pair
from submissions.queries.reports import report_state
from submissions.queries.submissions import find_submission, readable_files, submissions_by_id
from submissions.queries.suspicions import find_suspicion
from submissions.queries.withheld import is_readable_pair, readable_submissions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from django.http import HttpResponse

    from submissions.models import SubmissionFile
    from submissions.pages.views.access import AuthenticatedRequest


# Lines of each side that a page shows, and characters of a line: aligning takes the square of the lines.
MAX_LINES, MAX_CHARACTERS = 1_500, 300


class DiffRow(NamedTuple):
    """A line of each side with its number, from 1; 0 and "" where a side has none.

    `kind`: `same`, `changed`, `left` or `right`, the last two for a line of one side only.
    """

    left_number: int
    left: str
    right_number: int
    right: str
    kind: str


class Diff(NamedTuple):
    """Aligned lines, the number of equal ones, and how many lines of each side are not shown."""

    rows: list[DiffRow]
    equal: int
    left_more: int
    right_more: int


def diff(left: Sequence[str], right: Sequence[str]) -> Diff:
    """Align the first MAX_LINES lines of two texts; lines are equal without the white space at their ends."""
    rows = list(_rows([line.rstrip() for line in left], [line.rstrip() for line in right]))
    equal = sum(row.kind == "same" and bool(row.left.strip()) for row in rows)
    return Diff(rows, equal, max(0, len(left) - MAX_LINES), max(0, len(right) - MAX_LINES))


def _rows(left: list[str], right: list[str]) -> Iterator[DiffRow]:
    left, right = left[:MAX_LINES], right[:MAX_LINES]
    for tag, first, after, other_first, other_after in SequenceMatcher(
        None, left, right, autojunk=False
    ).get_opcodes():
        ours, theirs = range(first, after), range(other_first, other_after)
        for i, j in zip_longest(ours, theirs):
            kind = "same" if tag == "equal" else "right" if i is None else "left" if j is None else "changed"
            yield DiffRow(*_cell(left, i), *_cell(right, j), kind)


def _cell(lines: list[str], index: int | None) -> tuple[int, str]:
    return (0, "") if index is None else (index + 1, lines[index][:MAX_CHARACTERS])


# Matches that a message names.
NAMED = 5


@login_required
@require_GET
def lines(request: AuthenticatedRequest, pk: int, left_id: int, right_id: int) -> HttpResponse:
    """Show a file of each of two submissions side by side; `left` and `right` of the query choose it."""
    # Imported here because it loads the front-ends and their lexers, which other pages do not need.
    from submissions.storage.listings import file_text  # noqa: PLC0415

    assignment = find_assignment(request.user, pk, Right.READ)
    pair = pair_names(assignment, left_id, right_id)
    if not is_readable_pair(assignment, left_id, right_id):
        raise Http404("No such pair.")
    names = names_for(request, assignment)
    displayed = pair.displayed(names)
    if (displayed.left_id, displayed.right_id) != (left_id, right_id):
        return redirect_with_query(request, "lines", pk, displayed.left_id, displayed.right_id)
    left_files, right_files = readable_files(left_id), readable_files(right_id)
    left = _chosen(left_files, request.GET.get("left", ""))
    right = _chosen(right_files, request.GET.get("right", ""), left.path if left else "")
    texts = [LINE_END.split(names.redact_source(file_text(one))) if one else [] for one in (left, right)]
    report, by_id = report_state(assignment).report, submissions_by_id([left_id, right_id])
    ranked = find_pair(report, left_id, right_id) if report else None
    context = {
        "assignment": assignment,
        "names": names,
        "sides": [(displayed.left, left_files, left), (displayed.right, right_files, right)],
        "left": displayed.left,
        "right": displayed.right,
        "ids": (left_id, right_id),
        "submissions": [by_id[key] for key in (left_id, right_id)],
        "diff": diff(*texts),
        "pair": ranked,
        "suspicion": find_suspicion(report, names, (left_id, right_id)) if report and not ranked else None,
        **decision_context(assignment, pair, names, request.GET, ranked.similarity if ranked else 0.0),
    }
    return render(request, "submissions/pair/lines.html", context)


def _chosen(files: list[SubmissionFile], key: str, like: str = "") -> SubmissionFile | None:
    """Return the file with a primary key, else the one of the path `like`, else the largest."""
    chosen = [one for one in files if str(one.pk) == key] or [one for one in files if one.path == like]
    return chosen[0] if chosen else max(files, key=lambda one: one.source.size, default=None)


@login_required
@require_GET
def compare_with(request: AuthenticatedRequest, pk: int, submission_id: int) -> HttpResponse:
    """Go to the plain lines of a submission and the only other one whose name has the words `with`."""
    assignment = find_assignment(request.user, pk, Right.READ)
    submission, report = find_submission(assignment, submission_id), report_state(assignment).report
    names, words = names_for(request, assignment), search_words(request.GET.get("with", ""))
    others = readable_submissions(report).exclude(pk=submission.pk) if report and words else []
    named = [(one.pk, names.display_name(one.name)) for one in others]
    matching = [(key, name) for key, name in named if all(word.is_in(name) for word in words)]
    exact = [(key, name) for key, name in matching if name == request.GET["with"].strip()]
    if len(matching) != 1 and len(exact) != 1:
        messages.info(request, _no_single(sorted(name for _key, name in matching)))
        return redirect("submission", pk, submission_id)
    return redirect("lines", pk, submission_id, (exact or matching)[0][0])


def _no_single(names: list[str]) -> str:
    if not names:
        return _("No other submission of the report has this name.")
    text = ngettext(
        "{n} submission has this name: {names}.", "{n} submissions have this name: {names}.", len(names)
    )
    listed = ", ".join(names[:NAMED]) + (" …" if len(names) > NAMED else "")
    return text.format(n=len(names), names=listed)
