"""The page of a pair, and any two submissions of an assignment side by side as plain lines."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from functools import partial
from threading import BoundedSemaphore
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from submissions.cases.read import PairNames, find_suspicion, pair_names
from submissions.cases.views import decision_context, pair_excerpts
from submissions.core.access import find_assignment, is_readable_pair, readable_submissions
from submissions.core.names import Names, names_for, search_words
from submissions.core.rights import Right
from submissions.intake.packed_readings import unpack_tokens
from submissions.matches.line_by_line import diff, kinds_of_lines
from submissions.matches.source_html import LINE_END, cell_lines, visible_html
from submissions.models import Assignment, Document, Pair, SubmissionFile
from submissions.pages.rendered import RENDERED, part_key, render_part
from submissions.pages.requests import AuthenticatedRequest, redirect_with_query, signed_in
from submissions.pairs.file_view import parse_selection, shortest_unique_paths
from submissions.pairs.read import displayed_pair, find_pair, pair_flags, submission_names
from submissions.reports.address import Address
from submissions.reports.progress import activity_of
from submissions.reports.read import ReportState, ignored_lines, report_state
from submissions.uploads.read import find_submission, readable_files, submissions_by_id

# Pairs that a process renders at a time: each may read megabytes of sources, which take a multiple of that.
SIDE_BY_SIDE_SLOTS = BoundedSemaphore(2)
# Those behind links take one of these places together.
LINK_SLOT = BoundedSemaphore(1)
PASSAGE_GONE = gettext_lazy(
    "That passage is not in the newest report any more, so nothing was changed. These are its passages now."
)

# Lines that a page shows of a pair that is pointed at.
BEST_LINES = 6
# Matches that a message names.
NAMED = 5


@signed_in("GET")
def pair(request: AuthenticatedRequest, pk: int, left_id: int, right_id: int) -> HttpResponse:
    """Show two submissions side by side, as ranked in the newest report.

    The address has the ids of the submissions, not that of the pair, so that it is valid after a new ranking.
    """
    assignment = find_assignment(request.user, pk, Right.READ)
    state = report_state(assignment)
    pair = find_pair(state.report, left_id, right_id) if state.report else None
    if not pair:
        return not_ranked(request, assignment, left_id, right_id)
    names, pair_names = names_for(request, assignment), PairNames.from_pair(pair)
    displayed = pair_names.displayed(names)
    if (displayed.left_id, displayed.right_id) != (left_id, right_id):
        return redirect_with_query(request, "pair", pk, displayed.left_id, displayed.right_id)
    if best := best_lines(request, pair, names):
        return best
    context = {
        **pair_context(request, state, pair, names),
        **decision_context(assignment, pair_names, names, request.GET, pair),
        "activity": activity_of(assignment, state),
        "similarity_before": _similarity_before(request, state),
        "ignored_lines": ignored_lines(assignment, request.GET.get("ignored", "")),
    }
    response = render(request, "submissions/pair/pair.html", context)
    patch_vary_headers(response, ("HX-Request",))
    return response


def best_lines(request: HttpRequest, pair: Pair, names: Names) -> HttpResponse | None:
    """Return the best lines of both sides, which a page that lists the pair requests; else None."""
    if request.headers.get("HX-Target") != "best-lines":
        return None
    context = Address.from_request(request, pair.report.assignment.course).context
    context |= {"assignment": pair.report.assignment, "names": names, "pair": displayed_pair(pair, names)}
    context["excerpts"] = pair_excerpts(pair, names, BEST_LINES)
    response = render(request, "submissions/pair/best_lines.html", context)
    patch_vary_headers(response, ("HX-Request",))
    return response


def pair_context(request: HttpRequest, state: ReportState, pair: Pair, names: Names) -> dict[str, Any]:
    """Return the context that a page of a pair of the newest report has for everybody.

    Its `parts` are the figures of the pair and the two sides, rendered once and kept.
    """
    assignment = pair.report.assignment
    address = Address.from_request(request, assignment.course)
    key = part_key("pair", assignment, state, names, pair.pk, *address.key)
    return {
        "assignment": assignment,
        "names": names,
        "pair": displayed_pair(pair, names),
        "parts": RENDERED.get(key, partial(_rendered, address, pair, names), address.reader),
    }


def _rendered(address: Address, pair: Pair, names: Names) -> dict[str, str]:
    # Imported here because it loads the front-ends and their lexers, which other pages do not need.
    from submissions.pairs.pair_summary import pair_summary, rarity_sentence  # noqa: PLC0415
    from submissions.pairs.pair_view import view_pair  # noqa: PLC0415

    with LINK_SLOT if address.token else nullcontext(), SIDE_BY_SIDE_SLOTS:
        view = view_pair(pair, names, parse_selection(address.query))
        context = {"assignment": pair.report.assignment, "names": names, "view": view, "pair": view.pair}
        context |= address.context
        displayed = displayed_pair(pair, names)
        about = {"pair": displayed, "flags": pair_flags(displayed), "rarity": rarity_sentence(pair)}
        about["summary"] = SafeString(visible_html(pair_summary(view, names)))
        return {
            "pair": render_part("submissions/pair/_pair.html", context),
            "figures": render_part("submissions/pair/_figures.html", context | about),
        }


def _similarity_before(request: AuthenticatedRequest, state: ReportState) -> float | None:
    """Return the similarity before a passage was ignored, if the pairs have been ranked without it."""
    percent = request.GET.get("before", "")
    if state.pending or percent not in map(str, range(101)):
        return None
    return int(percent) / 100


def not_ranked(request: AuthenticatedRequest, assignment: Assignment, left_id: int, right_id: int) -> HttpResponse:
    """Say that two submissions of an assignment are no pair of its newest report."""
    names = submission_names(assignment, left_id, right_id)
    if left_id == right_id or left_id not in names or right_id not in names:
        raise Http404("No such pair.")
    context = {
        "assignment": assignment,
        "names": names_for(request, assignment),
        "left": names[left_id],
        "right": names[right_id],
        "ids": (left_id, right_id),
    }
    return render(request, "submissions/pair/gone.html", context, status=404)


@signed_in("GET")
def lines(request: AuthenticatedRequest, pk: int, left_id: int, right_id: int) -> HttpResponse:
    """Show a file of each of two submissions side by side; `left` and `right` of the query choose it."""
    # Imported here because it loads the front-ends and their lexers, which other pages do not need.
    from submissions.uploads.stored_documents import decode_file  # noqa: PLC0415

    assignment = find_assignment(request.user, pk, Right.READ)
    pair = pair_names(assignment, left_id, right_id)
    if not is_readable_pair(assignment, left_id, right_id):
        raise Http404("No such pair.")
    names = names_for(request, assignment)
    displayed = pair.displayed(names)
    if (displayed.left_id, displayed.right_id) != (left_id, right_id):
        return redirect_with_query(request, "lines", pk, displayed.left_id, displayed.right_id)
    report, by_id = report_state(assignment).report, submissions_by_id([left_id, right_id])
    ranked = find_pair(report, left_id, right_id) if report else None
    left_files, right_files = readable_files(left_id), readable_files(right_id)
    left = _chosen(left_files, request.GET.get("left", ""), _most_shared(ranked, left_files))
    partner = _partner(ranked, left, right_files) if left else None
    right = _chosen(right_files, request.GET.get("right", ""), partner)
    originals = [decode_file(one).text if one else "" for one in (left, right)]
    texts = [LINE_END.split(names.redact_source(text)) for text in originals]
    sources = list(zip((left, right), originals, strict=True))
    kinds = [_kinds_of_lines(one, text) for one, text in sources]
    cells = [cell_lines(text, one.document.language if one else "") for one, text in sources]
    context = {
        "assignment": assignment,
        "names": names,
        "sides": [(displayed.left, _named(left_files), left), (displayed.right, _named(right_files), right)],
        "left": displayed.left,
        "right": displayed.right,
        "ids": (left_id, right_id),
        "submissions": [by_id[key] for key in (left_id, right_id)],
        "diff": diff(texts[0], texts[1], kinds[0], kinds[1], cells),
        "cells": cells,
        "report": report,
        "pair": ranked,
        "suspicion": find_suspicion(report, names, (left_id, right_id)) if report and not ranked else None,
        **decision_context(assignment, pair, names, request.GET, ranked),
    }
    return render(request, "submissions/pair/lines.html", context)


def _named(files: list[SubmissionFile]) -> list[tuple[SubmissionFile, str]]:
    return list(zip(files, shortest_unique_paths([one.path for one in files]), strict=True))


def _chosen(files: list[SubmissionFile], key: str, partner: SubmissionFile | None = None) -> SubmissionFile | None:
    """Return the file with a primary key, else the partner of what is shared, else the largest file."""
    chosen = next((one for one in files if str(one.pk) == key), partner)
    return chosen or max(files, key=lambda one: one.source.size, default=None)


def _most_shared(ranked: Pair | None, files: list[SubmissionFile]) -> SubmissionFile | None:
    """Return the file with most tokens in passages that are not common code."""
    shared: Counter[int] = Counter()
    for passage in ranked.passages if ranked else ():
        shared.update(dict.fromkeys((passage.left_file, passage.right_file), passage.tokens * (not passage.common)))
    return max((one for one in files if shared[one.pk]), key=lambda one: shared[one.pk], default=None)


def _partner(ranked: Pair | None, left: SubmissionFile, files: list[SubmissionFile]) -> SubmissionFile | None:
    """Return the same file, else the one with most passages in common, else the one of the same path."""
    shared: Counter[int] = Counter()
    for passage in ranked.passages if ranked else ():
        ends = {passage.left_file, passage.right_file} - {left.pk}
        shared.update({file: passage.tokens for file in ends if len(ends) == 1})

    def likeness(one: SubmissionFile) -> tuple[bool, int, bool]:
        return one.source_id == left.source_id, shared[one.pk], one.path == left.path

    best = max(files, key=likeness, default=None)
    return best if best and any(likeness(best)) else None


def _kinds_of_lines(file: SubmissionFile | None, text: str) -> list[tuple[int, ...]]:
    """Return the kinds of the tokens that begin on each line of a file; none if it was not compared."""
    if file is None or file.document.state != Document.State.READY:
        return []
    return kinds_of_lines(text, unpack_tokens(bytes(file.document.tokens)))


@signed_in("GET")
def compare_with(request: AuthenticatedRequest, pk: int, submission_id: int) -> HttpResponse:
    """Go to the plain lines of a submission and the only other submission whose name has the words `with`."""
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
    text = ngettext("{n} submission has this name: {names}.", "{n} submissions have this name: {names}.", len(names))
    listed = ", ".join(names[:NAMED]) + (" …" if len(names) > NAMED else "")
    return text.format(n=len(names), names=listed)
