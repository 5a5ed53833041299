"""How charts get their figures, and times their words."""

from __future__ import annotations

from html import unescape
from typing import TYPE_CHECKING

from django import template
from django.urls import reverse
from humanize import ordinal

from fingerprint.engine import choices
from submissions.pages.source_view.render import colour
from submissions.pages.templatetags.pages import pair_url, percent, who_plainly

if TYPE_CHECKING:
    from datetime import timedelta

    from django.template import Context

    from submissions.pages.report.charts import Cluster, Graph, Histogram

register = template.Library()
register.filter(colour)
register.filter(ordinal)

DAY, HOUR, MINUTE = 86_400, 3_600, 60


@register.simple_tag(takes_context=True)
def graph_data(context: Context, graph: Graph) -> dict[str, object]:
    """Give a graph as the script wants it; nobody but its owner may open a submission's page."""
    at = {submission.pk: number for number, (submission, _) in enumerate(graph.nodes)}
    return {
        "nodes": [
            {
                "name": unescape(who_plainly(context, submission.name)),
                "cluster": cluster,
                "colour": colour(cluster),
                "url": _submission_url(context, submission.pk),
            }
            for submission, cluster in graph.nodes
        ],
        "links": [
            {
                "source": at[link.left],
                "target": at[link.right],
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
    return {
        "from_percent": histogram.from_percent,
        "width": histogram.width,
        "suggested": histogram.suggested,
        "from_suggested": histogram.from_line(histogram.suggested),
    }


@register.simple_tag
def from_line(histogram: Histogram, line: float) -> int:
    return histogram.from_line(line)


@register.filter
def lapse(time: timedelta) -> str:
    """Write how long something took, in its two largest units: `3 h 12 min`."""
    seconds = int(time.total_seconds())
    if seconds < MINUTE:
        return "less than a minute"
    days, hours, minutes = seconds // DAY, seconds % DAY // HOUR, seconds % HOUR // MINUTE
    units = ((days, "days" if days != 1 else "day"), (hours, "h"), (minutes, "min"))
    first = next(at for at, (count, _) in enumerate(units) if count)
    return " ".join(f"{count} {unit}" for count, unit in units[first : first + 2] if count)


@register.filter
def any_timed(clusters: list[Cluster]) -> bool:
    return any(cluster.timed for cluster in clusters)


@register.filter
def language(key: str) -> str:
    """Write what a front-end is called: Python for `python`."""
    return dict(choices()).get(key, key)


@register.filter
def at(counts: dict[int, int], key: int) -> int | None:
    return counts.get(key)
