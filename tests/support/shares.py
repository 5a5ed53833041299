"""Addresses of pair pages, and share links, for the tests of decisions and shares."""

from datetime import timedelta

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from submissions.cases.read import PairNames
from submissions.models import Pair, Report, Share
from submissions.shares import links as shares

SOON = timedelta(days=1)


def best(report: Report) -> Pair:
    return report.pairs.all()[0]


def pair_page(pair: Pair) -> str:
    return reverse("pair", args=[pair.report.assignment_id, pair.left_id, pair.right_id])


def decided_on(pair: Pair) -> str:
    """Return what the form of a pair's page sends of its pair."""
    return "-".join(map(str, sorted((pair.left_id, pair.right_id))))


def link_to(share: Share, *sides: int) -> str:
    """Return the address of a share link, or of a pair behind it."""
    token = shares.share_token(share)
    return reverse("shared_pair", args=[token, *sides]) if sides else reverse("shared", args=[token])


def shared_pairs(share: Share) -> str:
    """Return the address of the tab of pairs behind a share link."""
    return reverse("shared_pairs", args=[shares.share_token(share)])


def shared_report(report: Report, user: User, *, anonymous: bool = False) -> Share:
    return shares.create_share(report.assignment, user, timezone.now() + SOON, anonymous=anonymous)


def shared_pair(pair: Pair, user: User) -> Share:
    names = PairNames.from_pair(pair)
    return shares.create_share(pair.report.assignment, user, timezone.now() + SOON, pair=names, anonymous=False)
