"""Settings of the logs and of `/metrics`."""

from __future__ import annotations

import logging

from moss.log_lines import FORMATS, LOG_FORMAT
from moss.variables import value

LOG_LEVEL = value("MOSS_LOG_LEVEL")
# What a request to /metrics has to state; without it there is no such address.
METRICS_TOKEN = value("MOSS_METRICS_TOKEN")

# Warnings of libraries, such as Celery's about root, become lines like the others.
logging.captureWarnings(LOG_FORMAT == "json")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": FORMATS[LOG_FORMAT]}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    # At INFO, these log several lines a task or a sign-in.
    "loggers": {
        name: {"level": "DEBUG" if LOG_LEVEL == "DEBUG" else "WARNING"}
        for name in ("axes", "celery.app.trace", "celery.worker.strategy")
    },
}
