"""The checks of `moss doctor`, in the order of its lines. A new check is a function in `CHECKS`."""

from __future__ import annotations

from subprocess import SubprocessError
from typing import TYPE_CHECKING

from django.db import DatabaseError
from redis.exceptions import RedisError

from moss.doctor import configuration, machine, saml, services
from moss.doctor.findings import Finding, problem

if TYPE_CHECKING:
    from collections.abc import Callable

CHECKS: tuple[Callable[[], Finding], ...] = (
    services.database,
    services.migrations,
    configuration.rights,
    services.broker,
    services.workers,
    services.maintenance,
    services.clock,
    services.mail,
    services.campus,
    saml.saml,
    machine.disk,
    machine.limits,
    machine.fonts,
    machine.libarchive,
    machine.kernels,
    configuration.deployment,
    configuration.sealed,
)
ADVICE: dict[type[Exception], str] = {
    DatabaseError: "Start Postgres, or correct DATABASE_URL and DATABASE_PASSWORD.",
    RedisError: "Start Valkey, or correct REDIS_URL and REDIS_PASSWORD.",
    OSError: "Check that the user who runs moss may read and write MOSS_HOME.",
    SubprocessError: "The machine may be too busy: try again.",
}


def findings(*, with_audit: bool = False) -> list[Finding]:
    """Return what each check found, and the one of the audit log, if it is asked for."""
    return [_finding(check) for check in (*CHECKS, *([configuration.audit] if with_audit else ()))]


def _finding(check: Callable[[], Finding]) -> Finding:
    """Return what a check found; what it needs and cannot reach is a problem."""
    try:
        return check()
    except (DatabaseError, RedisError, OSError, SubprocessError) as error:
        advice = next(text for kind, text in ADVICE.items() if isinstance(error, kind))
        reason = str(error).strip().split("\n")[0]
        return problem(check.__name__, f"{type(error).__name__}: {reason}", advice)
