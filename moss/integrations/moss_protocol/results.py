"""Read the database for the old result pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.http import Http404
from django.utils.crypto import constant_time_compare

from moss.integrations.moss_protocol.models import ClientResult
from moss.integrations.moss_protocol.uploads import digest
from submissions.models import Entry
from submissions.queries.exclusions import listed_boilerplate_uploads
from submissions.queries.reports import report_state
from submissions.queries.withheld import for_reader, readable_pairs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from submissions.models import Pair, Report


class Match(NamedTuple):
    """A pair with its number on the old pages, and its sides as the client named them, with their shares."""

    number: int
    pair: Pair
    left: str
    right: str
    left_percent: int
    right_percent: int

    @property
    def plain_left(self) -> str:
        """The name without a percent sign, by which clients find the percentage."""
        return self.left.replace("%", "_")

    @property
    def plain_right(self) -> str:
        return self.right.replace("%", "_")


def client_result(number: int, key: str) -> ClientResult:
    """Return the result of an address, or raise Http404 when there is none or the key is another one."""
    result = ClientResult.objects.select_related("assignment__course").filter(pk=number).first()
    if result is None or not constant_time_compare(result.key_digest, digest(key)):
        raise Http404("No such result.")
    return result


def newest_report(result: ClientResult) -> Report | None:
    return report_state(for_reader(result.assignment, None)).report


def matches(result: ClientResult, report: Report) -> list[Match]:
    """Return the pairs that the client asked for, most similar first."""
    return _named(result, list(enumerate(_pairs(report)[: result.shown])))


def match(result: ClientResult, report: Report, number: int) -> Match:
    """Return one of the pairs by its number, or raise Http404."""
    pairs = _pairs(report)[number : number + 1] if number < result.shown else []
    if not pairs:
        raise Http404("No such match.")
    return _named(result, [(number, pairs[0])])[0]


def _pairs(report: Report) -> Sequence[Pair]:
    """Return the pairs that share passages; the old pages show no others."""
    pairs = readable_pairs(report).filter(structure__gt=0, translated=False, lines__gt=0)
    return pairs.select_related("left", "right").defer("passages")  # type: ignore[return-value] # it is sliced


def _named(result: ClientResult, pairs: Iterable[tuple[int, Pair]]) -> list[Match]:
    pairs = list(pairs)
    names = _sent_names(result, {key for _, pair in pairs for key in (pair.left_id, pair.right_id)})
    return [
        Match(
            number,
            pair,
            names.get(pair.left_id, _without_blanks(pair.left.name)),
            names.get(pair.right_id, _without_blanks(pair.right.name)),
            round(100 * pair.left_share),
            round(100 * pair.right_share),
        )
        for number, pair in pairs
    ]


def _sent_names(result: ClientResult, submissions: set[int]) -> dict[int, str]:
    """Return the names by which the client knows submissions: of files, or of directories with a slash."""
    rows = Entry.objects.filter(submission__in=submissions, accepted=True).order_by("-pk")
    names: dict[int, str] = {}
    for submission, path in rows.values_list("submission_id", "name"):
        top = path.partition("/")[0] if result.directory else path
        plain = f"{top}/" if result.directory else top
        names[submission] = _without_blanks(result.names.get(top, plain))
    return names


def refused_files(result: ClientResult) -> list[str]:
    """Return what of the upload could not be used, with the reasons."""
    entries = Entry.objects.filter(batch__assignment=result.assignment, accepted=False)[:50]
    uploads = listed_boilerplate_uploads(result.assignment)
    base = [f"base file {row.name}: {row.reason}" for upload in uploads for row in upload.refusals]
    return [f"{entry.name}: {entry.reason}" for entry in entries] + base


def _without_blanks(name: str) -> str:
    return "_".join(name.split())
