"""Charts of a report: the histogram of best matches, and template tags for charts and addresses."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import timedelta
from html import unescape
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from django import template
from django.urls import reverse
from django.utils import translation
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, ngettext
from humanize import ordinal as english_ordinal

from fingerprint.engine import choices
from submissions.cases.case_list import LARGE_COHORT, Graph
from submissions.core.access import readable_submissions
from submissions.matches.ranked_pairs import Stripe, merged_stripes, parts_in_percent
from submissions.matches.source_html import UNSEEN, case_colour
from submissions.models import Batch, Pair, Report, Submission, SubmissionFile
from submissions.pages.filters import display_name_plain, pair_url, percent
from submissions.pages.language import fixed_text, threshold_reason
from submissions.pairs.read import bands_of, other_classes, suggested_threshold, threshold_of
from submissions.reports.forms import query_string
from submissions.reports.read import AssignmentOfStudent, PairFilter, class_matches

if TYPE_CHECKING:
    from django.template import Context

    from submissions.core.names import Names
    from submissions.matches.bands import Bands
    from submissions.reports.models import PassageRecord

# The kinds of evidence, under the names that a pair has them.
EVIDENCE = ("structure", "literals", "names", "imports")
register = template.Library()

DAY, HOUR, MINUTE = 86_400, 3_600, 60


# Characters of a running header or footer.
MAX_CHARACTERS = 90

# Distance of two assignments on a sparkline.
SPARK_STEP = 60

register.filter(case_colour)
register.filter(fixed_text)
register.filter(threshold_reason)


@register.filter
def any_of(submissions: Iterable[Submission], new: frozenset[int]) -> bool:
    return any(one.pk in new for one in submissions)


@register.filter
def bands_at(report: Report, threshold: float) -> Bands:
    return bands_of(report, threshold)


@register.filter
def others_sentence(report: Report) -> str:
    """Return what other assignments say of the suggested threshold; empty without any."""
    others = other_classes(report)
    return others.sentence(translation, "\u202f") if others else ""


def passage_stripes(pairs: Sequence[Pair]) -> dict[int, tuple[list[Stripe], list[Stripe]]]:
    """Return where the passages of each pair lie on both sides, without common code, by primary key.

    Files follow each other by path. A translated pair has none: its passages count other tokens.
    """
    members = {pk for pair in pairs for pk in (pair.left_id, pair.right_id)}
    files = SubmissionFile.objects.filter(submission__in=members).order_by("path")
    starts, totals, owners = dict[int, int](), Counter[int](), dict[int, int]()
    for pk, submission, tokens in files.values_list("pk", "submission", "document__token_count"):
        starts[pk], owners[pk] = totals[submission], submission
        totals[submission] += tokens

    def stripes(passages: Iterable[PassageRecord]) -> list[Stripe]:
        spans = sorted((starts[one.left_file] + one.left_token, one.tokens, owners[one.left_file]) for one in passages)
        return merged_stripes([(start / totals[owner], (start + n) / totals[owner]) for start, n, owner in spans])

    drawn = {pair.pk: [one for one in pair.passages if not (one.common or pair.translated)] for pair in pairs}
    return {pk: (stripes(some), stripes(one.exchanged for one in some)) for pk, some in drawn.items()}


@register.simple_tag(takes_context=True)
def graph_data(context: Context, graph: Graph) -> dict[str, object]:
    """Return a graph as JSON data for `graph.js`; a shared page links to pairs, but not to submissions.

    Pairs of less than `far` are to be looked at, the others stand out; `mixed` if there are some to look at.
    """
    far = bands_of(context["report"], context.get("threshold")).stands_out
    indices = {submission.pk: index for index, (submission, _) in enumerate(graph.nodes)}
    return {
        "nodes": [
            {
                "name": unescape(display_name_plain(context, submission.name)),
                "case": case,
                "colour": case_colour(case),
                "url": _submission_url(context, submission.pk),
            }
            for submission, case in graph.nodes
        ],
        "links": [
            {
                "source": indices[link.left],
                "target": indices[link.right],
                "similarity": link.similarity,
                "percent": percent(link.similarity),
                "url": pair_url(context, link.left, link.right),
            }
            for link in graph.links
        ],
        "far": far,
        "mixed": any(link.similarity < far for link in graph.links),
    }


def _submission_url(context: Context, pk: int) -> str:
    if context.get("token"):
        return ""
    return reverse("submission", args=[context["assignment"].pk, pk])


class Histogram(NamedTuple):
    """Best matches of a cohort's submissions, its threshold, and the threshold that the report suggests.

    `values` are similarities in ascending order; `reason` explains the suggestion. `bands` are those of the threshold.
    """

    values: list[float]
    threshold: float
    suggested_threshold: float
    reason: str
    bands: Bands

    def count_from(self, threshold: float) -> int:
        """Count the submissions whose best match is at or above `threshold`."""
        return len(self.values) - bisect_left(self.values, threshold)

    @property
    def counts_from_percent(self) -> list[int]:
        """The values of `count_from` for every whole percent from 0 to 100."""
        return [self.count_from(percent / 100) for percent in range(101)]

    @property
    def width(self) -> int:
        """Width of a bin, in percent."""
        return 2 if len(self.values) >= LARGE_COHORT else 5

    @property
    def bins(self) -> list[Bin]:
        counts = self.counts_from_percent
        lows = range(0, 100, self.width)
        from_low = [*(counts[low] for low in lows), 0]
        return [
            Bin(low, low + self.width, from_here - from_next)
            for low, (from_here, from_next) in zip(lows, pairwise(from_low), strict=True)
        ]


@register.filter
def histogram_data(histogram: Histogram) -> dict[str, object]:
    """Return a histogram as JSON data for `histogram.js`."""
    return {
        "from_percent": histogram.counts_from_percent,
        "width": histogram.width,
        "suggested": histogram.suggested_threshold,
        "threshold": histogram.threshold,
        "look": histogram.bands.look,
        "stands_out": histogram.bands.stands_out,
        "from_threshold": histogram.count_from(histogram.threshold),
    }


@register.simple_tag
def count_from(histogram: Histogram, threshold: float) -> int:
    return histogram.count_from(threshold)


@register.filter
def duration(time: timedelta) -> str:
    """Return a duration in its two largest units, such as `3 h 12 min`."""
    seconds = int(time.total_seconds())
    if seconds < MINUTE:
        return gettext("less than a minute")
    days, hours, minutes = seconds // DAY, seconds % DAY // HOUR, seconds % HOUR // MINUTE
    units = ((days, ngettext("day", "days", days)), (hours, gettext("h")), (minutes, gettext("min")))
    first = next(index for index, (count, _) in enumerate(units) if count)
    return " ".join(f"{count} {unit}" for count, unit in units[first : first + 2] if count)


@register.filter
def ordinal(rank: int) -> str:
    """Return a rank as an ordinal number, such as `3rd`."""
    if (get_language() or "en").startswith("en"):
        return str(english_ordinal(rank))
    # Translators: An ordinal number in figures, such as 3. in German; English makes it without this text.
    return gettext("%(rank)dth") % {"rank": rank}


@register.filter
def timeline_place(percent: float) -> str:
    """Return the place of a mark on the timeline, whose line goes from 3 % to 97 % of the width."""
    return f"{3 + percent * 0.94:.1f}%"


class SparkPoint(NamedTuple):
    """A point of a sparkline that is 100 high: `x` counts assignments, `y` goes down from 100 %."""

    x: float
    y: float
    row: AssignmentOfStudent


@register.filter
def spark_width(points: list[SparkPoint]) -> int:
    return SPARK_STEP * len(points)


@register.filter
def tenth(share: float) -> int:
    """Return a share in [0, 1] as a whole number from 0 to 10, for the tint of a cell."""
    return int(share * 10)


@register.filter
def language(key: str) -> str:
    """Return the title of a front-end, such as Python for `python`."""
    return dict(choices()).get(key, key)


@register.filter
def language_or_each(key: str) -> str:
    """Return the title of a front-end as `language` does, or that each file decides where there is none."""
    return language(key) if key else gettext("that of each file")


@register.filter
def lookup(counts: dict[int, int], key: int) -> int | None:
    return counts.get(key)


@register.filter
def evidence_percents(pair: Pair) -> dict[str, str]:
    """Return what each kind of evidence adds to the similarity of a pair, in percent; they add up to it."""
    parts = [getattr(pair, name) for name in EVIDENCE]
    percents = parts_in_percent(parts, pair.similarity)
    return {
        name: f"{whole}\u202f%" if whole else percent(part)
        for name, whole, part in zip(EVIDENCE, percents, parts, strict=True)
    }


@register.filter
def as_query(pair_filter: PairFilter) -> str:
    """Return a report's filter as the query of an address, or "" for the default one."""
    return query_string(pair_filter, page=1)


@register.filter
def table_title(name: str) -> str:
    """Return the title of a table that can be exported."""
    return {"pairs": gettext("Pairs"), "submissions": gettext("Submissions")}[name]


@register.simple_tag
def page_of_pages() -> SafeString:
    """Return the foot of a page as CSS: the numbers of the page and of the last page."""
    text = gettext("Page {page} of {pages}").format(page="\0page\0", pages="\0pages\0")
    parts = (f"counter({part})" if at % 2 else css_string(part) for at, part in enumerate(text.split("\0")) if part)
    return SafeString(" ".join(parts))


@register.filter
def css_string(text: str) -> SafeString:
    """Return a header or footer as a CSS string, in which all but ASCII letters and digits are escaped."""
    visible = UNSEEN.sub("", text)[:MAX_CHARACTERS]
    escaped = (char if char.isascii() and char.isalnum() else f"\\{ord(char):06x}" for char in visible)
    return SafeString(f'"{"".join(escaped)}"')


class Bin(NamedTuple):
    """Number of submissions with a best match in [`low`, `high`) percent; the last bin includes 100 %."""

    low: int
    high: int
    submissions: int


def sparkline(rows: Sequence[AssignmentOfStudent]) -> list[SparkPoint]:
    """Return the points of a student's best matches over the assignments of a course."""
    return [
        SparkPoint(SPARK_STEP * (index + 0.5), round(100 * (1 - row.similarity), 1), row)
        for index, row in enumerate(rows)
    ]


def histogram(report: Report) -> Histogram | None:
    """Return the best matches of the class of a report; None while there are none."""
    if report.findings is None:
        return None
    reason = report.parameters["threshold"]["reason"]
    values = sorted(match.similarity for match in class_matches(report))
    return Histogram(values, threshold_of(report), suggested_threshold(report), reason, bands_of(report))


def histogram_students(report: Report, names: Names) -> dict[str, object]:
    """Return the name and primary key of each submission of the histogram, the highest match first.

    `page` is the address of the page of a submission with the primary key 0.
    """
    of_class = readable_submissions(report).filter(batch__role=Batch.Role.CLASS).order_by()
    members = dict(of_class.values_list("pk", "name"))
    best = [match for match in report.findings.best if match.submission in members] if report.findings else []
    ranked = [(one.similarity, names.display_name(members[one.submission]), one.submission) for one in best]
    ranked.sort(key=lambda one: (-one[0], one[1].casefold()))
    return {"page": reverse("submission", args=[report.assignment_id, 0]), "students": [one[1:] for one in ranked]}
