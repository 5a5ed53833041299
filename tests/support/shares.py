"""Pairs and links that tests of decisions and shares are about."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.urls import reverse
from django.utils import timezone

from submissions.actions import shares
from submissions.queries import PairNames

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from submissions.models import Pair, Report, Share

SOON = timedelta(days=1)


def best(report: Report) -> Pair:
    return report.pairs.all()[0]


def pair_page(pair: Pair) -> str:
    return reverse("pair", args=[pair.report.assignment_id, pair.left_id, pair.right_id])


def link_to(made: Share, *sides: int) -> str:
    """Give the address of a link, or of a pair behind it."""
    token = shares.share_token(made)
    return reverse("shared_pair", args=[token, *sides]) if sides else reverse("shared", args=[token])


def shared_report(report: Report, who: User, *, anonymous: bool = False) -> Share:
    return shares.create_share(report.assignment, who, timezone.now() + SOON, anonymous=anonymous)


def shared_pair(pair: Pair, who: User) -> Share:
    names = PairNames.from_pair(pair)
    return shares.create_share(
        pair.report.assignment, who, timezone.now() + SOON, pair=names, anonymous=False
    )
