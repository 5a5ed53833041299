"""Fixed texts of other code that a page shows in its language: of layouts, rules for files, and rankings."""

from __future__ import annotations

import re

from django.utils.translation import gettext, gettext_lazy as _, gettext_noop

from submissions.intake.layouts.registry import LAYOUTS
from submissions.intake.left_out.rules import REASONS

SCRIPT_TEXTS = {
    "copy": {"copied": _("Copied"), "by_keys": _("Press Ctrl+C to copy it")},
    "decide": {
        "not_saved": _(
            "Not saved: the server did not answer. See whether you are online, then decide again."
        ),
    },
    "graph": {"edge": _("{left} and {right}, {share}"), "node": _("{name}, case {number}")},
    "histogram": {"value": _("{share}, {above} of {total} submissions there or above")},
    "pair": {
        "position": _("Passage {position} of {total}"),
        "tip": _("Passage {number}: {size}"),
        "on_left": _("{here} here, {there} on the left"),
        "on_right": _("{here} here, {there} on the right"),
        "common_one": _("Common code: also in {n} other."),
        "common_many": _("Common code: also in {n} others."),
        "gap": _("Not in the other one: inserted or changed."),
    },
    "upload": {
        "more": _("and {n} more"),
        "unreadable": _("The folder cannot be read ({error}): make a zip of it and drop that."),
        "too_many": _("The folder has more than {n} files: make a zip of it and drop that."),
        "empty": _("The folder has no files: drop another one."),
        "sending": _("{sent} of {total} sent"),
        "sent": _("Sent. Waiting for the answer"),
        "refused": _("The upload was refused."),
        "too_large": _("These are {size}; at most {limit} can be sent at once."),
        "broken": _("The connection broke."),
        "cancelled": _("Cancelled."),
        "was_sent": _("It had been sent already: reload this page to see whether it was taken."),
        "not_sent": _("Nothing was kept."),
        "waits": _("The connection broke. Trying again"),
        "rest": _("Send this file again within a day: only the rest is sent."),
    },
}

# The stages of a ranking, as `submissions.ranking.rank` publishes them.
STAGES = (
    gettext_noop("Reading for the comparison across languages"),
    gettext_noop("Loading tokens and fingerprints"),
    gettext_noop("Aligning pairs"),
    gettext_noop("Grouping duplicates"),
    gettext_noop("Measuring the effect of exclusions"),
)
KNOWN = frozenset((*(layout.label for layout in LAYOUTS.values()), *REASONS.values(), *STAGES))
COMPARING = re.compile(r"Comparing ([\d,]+) submissions with each other")


def fixed_text(text: str) -> str:
    """Return a label, a reason or a stage in the language of the page; another text as it is."""
    if found := COMPARING.fullmatch(text):
        return gettext("Comparing {n} submissions with each other").format(n=found[1])
    return gettext(text) if text in KNOWN else text
