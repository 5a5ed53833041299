"""The kinds of background work that send something to others, or fetch it from them."""

from __future__ import annotations

from submissions.work.kinds import Kind

# After all other interactive work.
LAST = 9

# The attempts are one more than the waits between them. Who does not answer holds up no short work twice.
OUTGOING_KINDS = (
    Kind(
        "deliver", "moss.integrations.webhooks.sending", "give_up", seconds=10, grace=20, priority=LAST,
        attempts=10, is_slow_again=True,
    ),
    Kind("tell_owner", "moss.integrations.webhooks.sending", priority=LAST),
    Kind("mail_report", "moss.integrations.accounts.report_mail", priority=LAST),
    Kind(
        "fetch_submission", "moss.integrations.lti.fetching", "give_up", priority=LAST, attempts=7,
        is_slow_again=True,
    ),
    # One list of a user at a time: each is a job that comes back after the work of others.
    Kind(
        "fetch_repositories", "moss.integrations.repositories.fetching", "give_up", priority=LAST, at_once=1
    ),
    Kind("gather_submissions", "moss.integrations.lti.gathering", priority=LAST),
    Kind(
        "report_submission", "moss.integrations.lti.reporting", priority=LAST, attempts=5,
        is_slow_again=True,
    ),
)  # fmt: skip
