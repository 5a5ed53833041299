"""Check of the settings by Django, as `manage check --deploy` does it."""

from __future__ import annotations

from django.core.checks import ERROR, run_checks

from moss.doctor.findings import Finding, ok, problem, warning

ADVICE = "Set SECRET_KEY, MOSS_ALLOWED_HOSTS, MOSS_HTTPS and MOSS_PROXIES as docs/running.md says."


def deployment() -> Finding:
    """Check the secret key, the host names and HTTPS."""
    found = [message for message in run_checks(include_deployment_checks=True) if not message.is_silenced()]
    if not found:
        return ok("settings", "SECRET_KEY, host names and HTTPS are set")
    worst = max(found, key=lambda message: message.level)
    state = problem if worst.level >= ERROR else warning
    first = worst.msg.split(". ")[0].rstrip(".")
    others = ", ".join(message.id or "" for message in found)
    return state("settings", f"{first} ({others})", ADVICE)
