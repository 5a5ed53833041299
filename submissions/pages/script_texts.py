"""The texts that scripts write into pages, by script; a page has them as JSON, in its language.

Where a text has a number, a script chooses between `…_one` and `…_many`.
"""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

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
