"""Gunicorn's configuration, used by `moss serve` and by the containers.

`gunicorn --config=python:moss.serving.gunicorn_conf`
"""

from __future__ import annotations

import os
import shutil
import tempfile
import wsgiref.util
from typing import Any

wsgi_app = "moss.wsgi"
bind = "0.0.0.0:8000"
worker_class = "moss.serving.gunicorn_worker.ClosingThreadWorker"
# `moss doctor` computes with this number.
workers = 2
# A slow client holds a thread. Threads cost little; they share MOSS_WEB_CONNECTIONS.
threads = 32
# A worker whose threads are all in use accepts no connection, so that the other one does.
worker_connections = threads
# After so many requests a process ends and another one takes its place: what Python or a library keeps of
# malformed requests is given back. The processes end at different times.
max_requests, max_requests_jitter = 20_000, 10_000
# Bytes of the first line of a request: as many as nginx takes by default.
limit_request_line = 8190
# Seconds after which a worker that does not respond is restarted.
timeout = 120
control_socket_disable = True
logger_class = "moss.serving.gunicorn_worker.ServiceLog"
# Only used with --access-logfile: neither queries nor referrers.
access_log_format = "%(h)s %(m)s %(U)s %(s)s %(B)s %(L)s %({x-request-id}o)s"
# No header of a request changes its address or its scheme here: submissions.pages.requests decides which are believed.
forwarded_allow_ips = ""


def on_starting(_server: Any) -> None:
    """Make the folder in which the processes of this server count their requests together.

    Their library reads the variable when a process imports it.
    """
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = tempfile.mkdtemp(prefix="moss-metrics-")


def post_worker_init(worker: Any) -> None:
    """Load what pages need before a process takes requests, and leave the path to the application.

    Gunicorn would refuse the health check, which is without the path.
    """
    os.environ.pop("SCRIPT_NAME", None)
    if worker.app.app_uri == wsgi_app:
        environ = {"PATH_INFO": "/accounts/login/", "HTTP_HOST": "localhost", "HTTP_X_FORWARDED_PROTO": "https"}
        wsgiref.util.setup_testing_defaults(environ)
        worker.wsgi(environ | {"REMOTE_ADDR": "127.0.0.1", "moss.warming": True}, lambda *_: None).close()


def on_exit(_server: Any) -> None:
    # A worker that was killed may still be ending, and write there.
    shutil.rmtree(os.environ["PROMETHEUS_MULTIPROC_DIR"], ignore_errors=True)
