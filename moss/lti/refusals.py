"""Why a launch is refused."""

from __future__ import annotations


class LaunchRefused(Exception):
    """A launch that is refused: the message says why, `remedy` what to do.

    Both are translated texts, for the person in front of the page. `detail` is for the log.
    """

    def __init__(self, reason: str, remedy: str, detail: str = "") -> None:
        super().__init__(reason)
        self.remedy = remedy
        self.detail = detail


class RegistrationRefused(LaunchRefused):
    """A registration of a platform that is refused; see `LaunchRefused`."""


class PlatformFailed(Exception):
    """A platform did not answer, or with something else than LTI says; the message is for the log."""
