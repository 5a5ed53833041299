"""Why work ended without its result: sentences that are stored, and that pages translate. Needs no Django."""

from __future__ import annotations

from fingerprint.reasons import gettext_noop

BROKEN = gettext_noop(
    "An error on the server; its log has the details. Try again, or report it to whoever runs this server."
)
OUT_OF_TIME = gettext_noop("This took longer than a worker may spend on it. Upload it in smaller parts.")
ENDED_PROCESS = gettext_noop(
    "This ended the process that worked on it {n} times; the log of the server may say why. Try it in"
    " smaller parts."
)
