"""Reasons for which a launch is refused."""

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


class NoticeRefused(Exception):
    """A notice of a platform that is not taken; the message is for the log and for the platform."""


class PlatformFailed(Exception):
    """A platform did not answer, or with something else than LTI says; the message is for the log."""


class HostNotStored(PlatformFailed):
    """An address is at no host that is stored of its platform; `host` is what to store."""

    def __init__(self, message: str, host: str) -> None:
        super().__init__(message)
        self.host = host


class WrongStatus(PlatformFailed):
    """A platform answered with this status, which is no success."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class TooMuch(PlatformFailed):
    """A platform answered with more bytes than are taken."""
