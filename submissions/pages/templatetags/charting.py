"""Template tags and filters for the data of charts, for durations and for lookups."""

from __future__ import annotations

from html import unescape
from typing import TYPE_CHECKING

from django import template
from django.urls import reverse
from django.utils.translation import get_language, gettext, ngettext
from humanize import ordinal as english_ordinal

from fingerprint.engine import choices
from submissions.comparison.pair_rows import parts_in_percent
from submissions.comparison.source_html import colour
from submissions.pages.fixed_texts import fixed_text, threshold_reason
from submissions.pages.report.charts import SPARK_STEP
from submissions.pages.templatetags.pages import display_name_plain, pair_url, percent

if TYPE_CHECKING:
    from datetime import timedelta

    from django.template import Context

    from submissions.models import Pair
    from submissions.pages.report.charts import Graph, Histogram, SparkPoint

# The kinds of evidence, under the names that a pair has them.
EVIDENCE = ("structure", "literals", "names", "imports")
register = template.Library()
register.filter(colour)
register.filter(fixed_text)
register.filter(threshold_reason)

DAY, HOUR, MINUTE = 86_400, 3_600, 60


@register.simple_tag(takes_context=True)
def graph_data(context: Context, graph: Graph) -> dict[str, object]:
    """Return a graph as JSON data for `graph.js`; a shared page links to pairs, but not to submissions."""
    indices = {submission.pk: index for index, (submission, _) in enumerate(graph.nodes)}
    return {
        "nodes": [
            {
                "name": unescape(display_name_plain(context, submission.name)),
                "case": case,
                "colour": colour(case),
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
    }


def _submission_url(context: Context, pk: int) -> str:
    if context.get("token"):
        return ""
    return reverse("submission", args=[context["assignment"].pk, pk])


@register.filter
def histogram_data(histogram: Histogram) -> dict[str, object]:
    """Return a histogram as JSON data for `histogram.js`."""
    return {
        "from_percent": histogram.counts_from_percent,
        "width": histogram.width,
        "suggested": histogram.suggested_threshold,
        "threshold": histogram.threshold,
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


@register.filter
def spark_width(points: list[SparkPoint]) -> int:
    """Return the width of the picture of a sparkline."""
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
