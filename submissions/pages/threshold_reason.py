"""The reason of the suggested threshold in the language of the page: reports store it in English."""

from __future__ import annotations

import re

from django.utils.translation import gettext as _, ngettext

# The sentences that `fingerprint.ranking.threshold` writes.
FEW = re.compile(
    r"(?:one pair is|(?P<n>\d+) pairs are) too few for an estimate; (?P<default>\d+%) suits most tasks"
)
SPREAD = re.compile(
    r"half of the (?P<n>\d+) pairs are below (?P<median>\d+%) and a fifth above (?P<upper>\d+%),"
    r" so unrelated pairs (?:rarely exceed (?P<estimate>\d+%)|may reach 100%)"
    r"(?:; (?P<value>\d+%) is the (?P<bound>lowest|highest) suggestion)?"
)


def threshold_reason(reason: str) -> str:
    """Return the reason with its figures in the language of the page; one of another form as it is."""
    if found := FEW.fullmatch(reason):
        count = int(found["n"] or 1)
        text = ngettext(
            "one pair is too few for an estimate; {default} suits most tasks",
            "{n} pairs are too few for an estimate; {default} suits most tasks",
            count,
        )
        return text.format(n=count, default=found["default"])
    if found := SPREAD.fullmatch(reason):
        return _spread(found).format(**found.groupdict())
    return reason


def _spread(found: re.Match[str]) -> str:
    if found["estimate"]:
        text = _(
            "half of the {n} pairs are below {median} and a fifth above {upper}, so unrelated pairs rarely"
            " exceed {estimate}"
        )
    else:
        text = _(
            "half of the {n} pairs are below {median} and a fifth above {upper}, so unrelated pairs may reach"
            " 100%"
        )
    bounds = {
        "lowest": _("{reason}; {value} is the lowest suggestion"),
        "highest": _("{reason}; {value} is the highest suggestion"),
    }
    return bounds[found["bound"]].replace("{reason}", text) if found["bound"] else text
