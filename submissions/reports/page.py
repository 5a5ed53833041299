"""The page of a report: its tabs, its list of pairs and its exclusions, for its owner and for a share link.

Parts are rendered once and kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from django.core.paginator import Page, Paginator
from django.db.models import Q
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_lazy

from submissions.cases import case_list, read as cases
from submissions.cases.read import CasePairs, cases_by_member, decided_pairs, is_linking
from submissions.core.access import readable_pairs
from submissions.core.names import Names, follows_decisions, search_terms, search_words
from submissions.matches.bands import pair_bins
from submissions.models import Assignment, Boilerplate, Decision, Document, Report, Submission
from submissions.pages.rendered import render_part
from submissions.pairs.read import (
    Flag,
    Flags,
    band_of,
    bands_of,
    displayed_pair,
    pair_similarities,
    sameness_counts,
    timed_submissions,
)
from submissions.pairs.source_view import SourceExcerpt, documents, source_excerpt
from submissions.reports.charts import histogram, histogram_students, passage_stripes
from submissions.reports.forms import FilterForm, parse_pair_filter, query_string
from submissions.reports.identical import listed_duplicates
from submissions.reports.old_work import has_earlier_work, listed_comparisons
from submissions.reports.read import (
    NOTHING,
    PairFilter,
    class_matches,
    condition,
    ids_by_word,
    listed_boilerplate,
    listed_boilerplate_uploads,
    listed_not_compared,
    listed_pairs,
    listed_students,
    ranked_pairs,
    skipped_content,
)
from submissions.uploads.read import submissions_by_id

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

    from submissions.core.models import ExclusionEffect, MovedPair
    from submissions.matches.ranked_pairs import Stripe
    from submissions.reports.address import Address, ReportPage
    from submissions.reports.read import ListedPair

# Pieces of common code that a page lists.
MAX_COMMON_CODE = 20
# Number of pairs that a page lists as most changed by exclusions.
CHANGED_LISTED = 10

# Rows of a page: as many as fit two screens.
PAIRS_A_PAGE = 30
UNDECIDED = Decision.State.UNDECIDED.value

# Rows of a page: as many as fit two screens.
STUDENTS_A_PAGE = 35

# Templates of the parts of each tab without a filter.
PARTS = {
    "students": {"students": "submissions/report/_students.html"},
    "ignored": {
        "excluded": "submissions/report/_excluded.html",
        "common": "submissions/report/_common_code.html",
        "skipped": "submissions/report/_skipped.html",
    },
    "uploads": {"skipped": "submissions/report/_skipped.html"},
}
# Tabs with a filter, and the template of the part that it changes.
FILTERED = {"cases": "submissions/report/_filtered_cases.html", "pairs": "submissions/report/_filtered.html"}
# The templates of the answer and of the report on these tabs, and of their parts that no decision changes.
REPORTS = {
    "cases": {"answer": "submissions/report/_answer.html", "report": "submissions/report/_tab_cases.html"},
    "pairs": {"answer": "submissions/report/_answer.html", "report": "submissions/report/_tab_pairs.html"},
}
STEADY = {
    "cases": {
        "form": "submissions/report/_case_filter.html", "same": "submissions/report/_same.html",
        "histogram": "submissions/report/_histogram.html",
    },
    "pairs": {
        "form": "submissions/report/_pair_filter.html", "made": "submissions/report/_made.html",
        "histogram": "submissions/report/_pair_histogram.html",
        "not_compared": "submissions/report/_not_compared.html",
    },
}  # fmt: skip
TITLES = {
    "cases": gettext_lazy("Cases"),
    "pairs": gettext_lazy("Pairs"),
    "students": gettext_lazy("Students"),
    "ignored": gettext_lazy("Ignored code"),
    "uploads": gettext_lazy("Uploads"),
}
SHARED = {"cases": "shared", "pairs": "shared_pairs", "ignored": "shared_ignored"}

# Pairs that the answer shows with a picture.
SHOWN_TO_READ = 6


class RegisteredBoilerplate(NamedTuple):
    """Boilerplate, with an excerpt if it is a passage of a submission and not a file."""

    boilerplate: Boilerplate
    excerpt: SourceExcerpt | None


class CommonCode(NamedTuple):
    """A piece of common code of `tokens` tokens, which `submissions` submissions contain."""

    tokens: int
    submissions: int
    excerpt: SourceExcerpt


class ChangedPair(NamedTuple):
    """A pair with its similarity and its larger share, each with and (`_before`) without the exclusions."""

    left: Submission
    right: Submission
    similarity: float
    similarity_before: float
    share: float
    share_before: float


def boilerplate_context(assignment: Assignment, names: Names) -> dict[str, Any]:
    """Return the context of `_boilerplate_now.html`.

    `boilerplate_version` changes when the displayed state changes.
    """
    uploads, registered = (listed_boilerplate_uploads(assignment), registered_boilerplate(assignment, names))
    displayed = (
        [(upload.pk, upload.state) for upload in uploads],
        [(row.boilerplate.pk, row.boilerplate.document.state) for row in registered],
    )
    return {
        "boilerplate_uploads": uploads,
        "boilerplate_is_read": any(upload.is_running for upload in uploads),
        "boilerplate_version": f"{crc32(repr(displayed).encode()):08x}",
        "registered_boilerplate": registered,
    }


def registered_boilerplate(assignment: Assignment, names: Names) -> list[RegisteredBoilerplate]:
    """Return an assignment's boilerplate: files that were handed out, and passages that are ignored."""
    rows = listed_boilerplate(assignment)
    if names.hidden:
        rows.sort(key=lambda row: (row.first is not None, names.redact_text(row.name), row.pk))
    by_id = documents(row.document_id for row in rows if row.first is not None)
    return [RegisteredBoilerplate(row, _boilerplate_excerpt(row, by_id, names)) for row in rows]


def _boilerplate_excerpt(boilerplate: Boilerplate, by_id: dict[int, Document], names: Names) -> SourceExcerpt | None:
    first, after, document = boilerplate.first, boilerplate.after, by_id.get(boilerplate.document_id)
    if first is None or after is None or document is None:
        return None
    return source_excerpt(document, first, after, names)


def exclusion_context(report: Report, names: Names) -> dict[str, Any]:
    """Return the common code and the effect of the exclusions."""
    common = report.findings.common if report.findings else []
    effect = report.findings.effect if report.findings else None
    by_id = documents(passage.document for passage in common[:MAX_COMMON_CODE])
    return {
        "common": [
            CommonCode(
                passage.after - passage.first,
                passage.submissions,
                source_excerpt(by_id[passage.document], passage.first, passage.after, names),
            )
            for passage in common[:MAX_COMMON_CODE]
            if passage.document in by_id
        ],
        "more_common": max(0, len(common) - MAX_COMMON_CODE),
        "effect": effect,
        "shares": _excluded_shares(effect) if effect else {},
        "changed_pairs": _changed_pairs(effect.moved[:CHANGED_LISTED] if effect else []),
    }


def _excluded_shares(effect: ExclusionEffect) -> dict[str, float]:
    """Return the shares of boilerplate, of common code, and of both together among all tokens."""
    tokens = max(effect.tokens, 1)
    boilerplate, common = effect.boilerplate / tokens, effect.common / tokens
    return {"boilerplate": boilerplate, "common": common, "all": boilerplate + common}


def _changed_pairs(pairs: list[MovedPair]) -> list[ChangedPair]:
    by_id = submissions_by_id(pk for pair in pairs for pk in (pair.left, pair.right))
    return [
        ChangedPair(
            by_id[pair.left], by_id[pair.right], pair.similarity, pair.similarity_before, pair.share, pair.share_before
        )
        for pair in pairs
        if pair.left in by_id and pair.right in by_id
    ]


class ReportRow(NamedTuple):
    """A pair of the table; `case` is None below the threshold. `band`: see `submissions.matches.bands`."""

    pair: ListedPair
    flags: list[Flag]
    case: CasePairs | None
    band: str


class DecidedRow(NamedTuple):
    """A row of the table: its rendered cells, and what was decided on its pair.

    `first_below` marks the first pair below the threshold.
    """

    cells: SafeString
    decision: str
    first_below: bool


class SelectedPairs(NamedTuple):
    """The pairs that the filter of a page selects, apart from its state of a decision.

    `ids` are their primary keys, in the order of the list. `above` of them are at or above the threshold, and
    `listed_above` of all pairs that the report lists; `pairs_above` counts all pairs.
    """

    ids: list[int]
    above: int
    listed_above: int
    pairs_above: int


class DecidedPair(NamedTuple):
    """A pair that is not undecided, by its primary key, with the state of its decision."""

    pk: int
    similarity: float
    state: str


class Tally(NamedTuple):
    """Number of pairs per state of decision: all, and those at or above the threshold."""

    listed: Counter[str]
    above: Counter[str]


def list_context(page: ReportPage) -> dict[str, Any]:
    """Return the context of the list of pairs: one page of it, and counts by decision."""
    pair_filter = page.pair_filter
    decisions = page.decisions if pair_filter.assignee or follows_decisions(pair_filter.text) else ""
    key = _undecided_filter(page), decisions
    selected = SelectedPairs(*page.kept_rows("pairs", partial(_selected, page), *key))
    decided = [
        DecidedPair(*row) for row in page.kept_rows("decided", partial(decided_pairs, page.report), page.decisions)
    ]
    above = sum(pair.similarity >= page.threshold for pair in decided)
    tally = _tally(page, selected, decided)
    return {
        "pairs_above": selected.pairs_above,
        "listed_above": selected.listed_above,
        "undecided": selected.listed_above - above,
        "tally": _decision_counts(tally),
        **_rows(page, selected, {pair.pk: pair.state for pair in decided}, _divider_index(page, tally)),
    }


def _undecided_filter(page: ReportPage) -> PairFilter:
    return replace(page.pair_filter, decision="")


def _selected(page: ReportPage) -> SelectedPairs:
    report, pair_filter, threshold = page.report, _undecided_filter(page), page.threshold
    pairs = ranked_pairs(report, pair_filter, page.names)
    rows = list(pairs.values_list("pk", "similarity"))
    return SelectedPairs(
        [pk for pk, _similarity in rows],
        sum(similarity >= threshold for _pk, similarity in rows),
        readable_pairs(report).filter(similarity__gte=threshold).count(),
        cases.pairs_above(report, threshold),
    )


def _tally(page: ReportPage, selected: SelectedPairs, decided: Sequence[DecidedPair]) -> Tally:
    listed, above, ids = Counter[str](), Counter[str](), set(selected.ids)
    for pair in decided:
        if pair.pk in ids:
            listed[pair.state] += 1
            above[pair.state] += pair.similarity >= page.threshold
    listed[UNDECIDED] = len(ids) - listed.total()
    above[UNDECIDED] = selected.above - above.total()
    return Tally(listed, above)


def _decision_counts(tally: Tally) -> list[tuple[str, str, int]]:
    """Return (state, label, number of pairs): first for all pairs, then for every state of a decision."""
    states = [(state.value, str(state.label), tally.listed[state.value]) for state in Decision.State]
    return [("", _("All"), tally.listed.total()), *states]


def _divider_index(page: ReportPage, tally: Tally) -> int | None:
    """Return the index of the first listed pair below the suggested threshold.

    None if the list is in another order, or if the filter sets a threshold itself.
    """
    pair_filter, above = page.pair_filter, tally.above
    if pair_filter.threshold or pair_filter.sort != "-similarity":
        return None
    return above[pair_filter.decision] if pair_filter.decision else above.total()


def _rows(
    page: ReportPage, selected: SelectedPairs, states: dict[int, str], divider_index: int | None
) -> dict[str, Any]:
    state = page.pair_filter.decision
    ids = [pk for pk in selected.ids if states.get(pk, UNDECIDED) == state] if state else selected.ids
    part: Page[int] = Paginator(ids, PAIRS_A_PAGE).get_page(page.address.query.get("page"))
    pair_ids = tuple(part.object_list)
    cells = page.kept("pair rows", partial(_cells, page, pair_ids), page.pair_filter, page.address.token, pair_ids)
    rows = [
        DecidedRow(cells[str(pk)], states.get(pk, UNDECIDED), index == divider_index)
        for index, pk in enumerate(pair_ids, part.start_index() - 1)
        if str(pk) in cells  # it may have been deleted meanwhile
    ]
    return {"page": part, "rows": rows}


def _cells(page: ReportPage, ids: Sequence[int]) -> dict[str, str]:
    """Return the cells of pairs without what was decided, by primary key."""
    context = page.context
    return {
        str(row.pair.pk): render_part("submissions/report/_pair_cells.html", context | {"row": row})
        for row in report_rows(page, ids)
    }


def report_rows(page: ReportPage, ids: Sequence[int]) -> list[ReportRow]:
    """Return the rows of some pairs, by their primary keys."""
    report, names, threshold = page.report, page.names, page.threshold
    if not ids:
        return []
    flags = Flags.from_report(report)
    by_member, bands = cases_by_member(report, threshold), bands_of(report, threshold)
    pairs = [displayed_pair(pair, names) for pair in listed_pairs(report, ids)]
    rows = []
    for pair in pairs:
        kinds = flags.between(*timed_submissions(pair), pair.same_files)
        case = by_member.get(pair.left_id) if is_linking(pair, threshold) else None
        rows.append(ReportRow(pair, kinds, case, band_of(bands, pair, kinds)))
    return rows


class PairToRead(NamedTuple):
    """A pair at or above the threshold; `sides`: where its passages lie on the left and on the right."""

    row: ReportRow
    sides: tuple[list[Stripe], list[Stripe]]


def reading_context(page: ReportPage, pairs_above: int) -> dict[str, Any]:
    """Return the context of the answer: the pairs to read, and how many of the class are in none of them.

    `pairs_above` reach the threshold. Decided pairs are read; whoever follows a link does not learn of decisions.
    """
    linking = {link[:2] for link in cases.linking_pairs(page.report, page.threshold)}
    decided = set() if page.address.token else {pk for pk, *_ in decided_pairs(page.report)}
    above = readable_pairs(page.report).filter(similarity__gte=page.threshold)
    rows = above.values_list("pk", "left_id", "right_id")
    sides = {pk: both for pk, *both in rows if tuple(both) in linking}
    ids = [pk for pk in sides if pk not in decided]
    count = pairs_above - len(sides) + len(ids)
    later = Q(left__in=page.new) | Q(right__in=page.new)
    kinds = sameness_counts(page.report, [sides[pk] for pk in ids])
    members = {member for pk in ids for member in sides[pk]}
    of_class = [match.submission for match in class_matches(page.report)]
    return {
        "to_read": _drawn(page, ids[:SHOWN_TO_READ]),
        "to_read_count": count,
        "new_to_read": above.filter(later, pk__in=ids).count() if page.new else 0,
        "kinds": kinds,
        "of_no_kind": count - sum(number for _flags, number in kinds),
        "more_to_read": count - len(ids[:SHOWN_TO_READ]),
        "pairs_tab": next(tab.url for tab in tabs(page.address, page.assignment) if tab.name == "pairs"),
        "apart": sum(pk not in members for pk in of_class),
        "of_class": len(of_class),
    }


def _drawn(page: ReportPage, ids: list[int]) -> list[PairToRead]:
    """Return pairs with their stripes, the sides as a reader sees them."""
    stored = {pair.pk: pair for pair in readable_pairs(page.report).filter(pk__in=ids)}
    stripes = passage_stripes(list(stored.values()))
    drawn = []
    for row in report_rows(page, ids):
        left, right = stripes[row.pair.pk]
        is_exchanged = row.pair.left_id != stored[row.pair.pk].left_id
        drawn.append(PairToRead(row, (right, left) if is_exchanged else (left, right)))
    return drawn


class Column(NamedTuple):
    """A column of the pairs that can be sorted; `explanation` is shown with its heading."""

    key: str
    label: StrOrPromise
    explanation: StrOrPromise


COLUMNS = (
    Column("left", gettext_lazy("Left"),
           gettext_lazy("The submission that the pair's page shows on the left")),
    Column("right", gettext_lazy("Right"),
           gettext_lazy("The submission that the pair's page shows on the right")),
    Column("similarity", gettext_lazy("Similarity"),
           gettext_lazy("What pairs are ranked by: rare shared code weighs more")),
    Column("left_share", gettext_lazy("Left share"),
           gettext_lazy("How much of the left submission is in shared passages")),
    Column("right_share", gettext_lazy("Right share"),
           gettext_lazy("How much of the right submission is in shared passages")),
    Column("tokens", gettext_lazy("Tokens"),
           gettext_lazy("Size of all shared passages together, in words and signs of the language")),
    Column("lines", gettext_lazy("Lines"), gettext_lazy("Lines of all shared passages together")),
    Column("longest", gettext_lazy("Longest"), gettext_lazy("Tokens in the longest shared passage")),
)  # fmt: skip


def steady_context(page: ReportPage, tab: str) -> dict[str, Any]:
    """Return the context of what no decision changes on the tab of cases or of pairs."""
    report, names = page.report, page.names
    if tab == "cases":
        return page.context | {
            "filter_form": FilterForm(page.address.query or None),
            "histogram": histogram(report),
            "students": {} if page.address.token else histogram_students(report, names),
            "duplicates": listed_duplicates(report, names),
        }
    return page.context | {
        "filter_form": _pair_filter_form(page),
        "has_earlier_work": has_earlier_work(report),
        "not_compared": listed_not_compared(report, names),
        "comparisons": listed_comparisons(report),
        "archive": report.findings.archive if report.findings else None,
        "pair_bins": pair_bins(pair_similarities(report), bands_of(report, page.threshold)),
    }


def _pair_filter_form(page: ReportPage) -> FilterForm:
    form = FilterForm(page.address.query or None, initial={"sort": page.pair_filter.sort})
    form.offer_flags(Flags.from_report(page.report).kinds)
    form.offer_assignees(page.assignees)
    return form


def findings_context(page: ReportPage, tab: str) -> dict[str, Any]:
    """Return the context that the threshold, the filter and decisions change, of the cases or the pairs."""
    summary = partial(cases.band_summary, page.report, page.threshold)
    bands = cases.BandSummary(*page.kept_rows("bands", summary, page.threshold))
    unknown = partial(unknown_words, page.report, page.pair_filter.text, page.names)
    context = page.context | {"bands": bands, "unknown_words": unknown}
    if tab == "cases":
        listed = case_list.list_context(page)
        return context | listed | reading_context(page, listed["pairs_above"])
    return context | list_context(page) | {"columns": COLUMNS}


def tab_context(page: ReportPage, tab: str) -> dict[str, Any]:
    """Return the context of a tab without a filter."""
    report, names = page.report, page.names
    if tab == "students":
        return page.context | _students_context(page.address.query, report, names)
    context = page.context | {"skipped": skipped_content(report, names)}
    return context | exclusion_context(report, names) if tab == "ignored" else context


def unknown_words(report: Report, text: str, names: Names | None) -> list[str]:
    """Return the words of a search that are in no name, and its terms with an impossible value."""
    plain = [word for word in text.split() if not search_terms(word)]
    found = ids_by_word(report, text, names)
    unknown = [word for word, ids in zip(plain, found, strict=True) if not ids]
    of_terms = ((word, term) for word in text.split() for term in search_terms(word))
    return unknown + [word for word, term in of_terms if condition(report, term, 1, names) == NOTHING]


def _students_context(query: Mapping[str, Any], report: Report, names: Names) -> dict[str, Any]:
    text = str(query.get("q", ""))
    students = listed_students(report, names)
    words = search_words(text)
    matching = [row for row in students if all(word.is_in(row.displayed) for word in words)]
    page = Paginator(matching, STUDENTS_A_PAGE).get_page(query.get("page"))
    unknown = partial(unknown_words, report, text, names)  # called where nothing is found
    return {"page": page, "student_count": len(students), "searched": text, "unknown_words": unknown}


class Tab(NamedTuple):
    name: str
    title: str
    url: str


def tabs(address: Address, assignment: Assignment) -> list[Tab]:
    """Return the tabs of a report; they keep the threshold of the address. A share link has some of them."""
    chosen = round(parse_pair_filter(address.query).threshold * 100)
    query = f"?threshold={chosen}" if chosen else ""
    if address.token:
        urls = {tab: reverse(name, args=[address.token]) for tab, name in SHARED.items()}
    else:
        views = {tab: "assignment" if tab == "cases" else tab for tab in TITLES}
        urls = {tab: reverse(name, args=[assignment.pk]) for tab, name in views.items()}
    filtered = {tab: url + query if tab in FILTERED else url for tab, url in urls.items()}
    return [Tab(tab, str(TITLES[tab]), url) for tab, url in filtered.items()]


def report_parts(page: ReportPage, tab: str) -> dict[str, SafeString]:
    """Return the parts of a tab of a finished report, by the keys of PARTS or STEADY; a filtered `report`."""
    address = page.address.key
    if tab not in FILTERED:
        return page.kept(f"tab {tab}", lambda: _rendered(PARTS[tab], tab_context(page, tab)), page.decisions, *address)
    offered = tuple(page.assignees) if tab == "pairs" else ()
    steady = page.kept(f"steady {tab}", lambda: _rendered(STEADY[tab], steady_context(page, tab)), *address, offered)

    def rendered() -> dict[str, str]:
        return _rendered(REPORTS[tab], findings_context(page, tab) | {"steady": steady})

    return page.kept(f"report {tab}", rendered, page.decisions, *address) | steady


def filtered_part(page: ReportPage, tab: str) -> dict[str, SafeString]:
    """Return `html`, the part that the threshold and the filter change, and `query`, the filter's query."""

    def rendered() -> dict[str, str]:
        context = findings_context(page, tab)
        query = query_string(page.pair_filter, context["page"].number)
        return _rendered({"html": FILTERED[tab]}, context) | {"query": query}

    return page.kept(f"filtered {tab}", rendered, page.decisions, *page.address.key)


def _rendered(templates: dict[str, str], context: dict[str, Any]) -> dict[str, str]:
    return {name: render_part(template, context) for name, template in templates.items()}
