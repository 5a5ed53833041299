"""The kinds of background work that send something to others, or fetch it from them."""

from __future__ import annotations

from submissions.work.kinds import Kind

# After all other interactive work. Who does not answer holds up no short work twice.
LAST = 9

OUTGOING_KINDS = (
    # The attempts are those of `moss.webhooks.sending.WAITS` and the first; so below.
    Kind(
        "deliver",
        "moss.webhooks.sending.attempt",
        "moss.webhooks.sending.give_up",
        seconds=10,
        grace=20,
        priority=LAST,
        attempts=10,
        is_slow_again=True,
    ),
    Kind("tell_owner", "moss.webhooks.notices.tell_owner", priority=LAST),
    Kind("mail_report", "moss.accounts.report_mail.mail_report", priority=LAST),
    Kind(
        "fetch_submission",
        "moss.lti.fetching.fetch",
        "moss.lti.fetching.give_up",
        priority=LAST,
        attempts=7,
        is_slow_again=True,
    ),
    Kind("gather_submissions", "moss.lti.gathering.gather", priority=LAST),
    Kind("report_submission", "moss.lti.reporting.report", priority=LAST, attempts=5, is_slow_again=True),
)
