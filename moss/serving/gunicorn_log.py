"""Gunicorn's own logs, with lines like those of the service."""

from __future__ import annotations

from typing import Any

from gunicorn.glogging import Logger

from moss.log_lines import FORMATS, LOG_FORMAT


class ServiceLog(Logger):  # type: ignore[misc]  # gunicorn has no types
    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        for log in (self.error_log, self.access_log):
            for handler in log.handlers:
                handler.setFormatter(FORMATS[LOG_FORMAT]())
