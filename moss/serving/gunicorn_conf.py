"""Gunicorn's configuration, used by `moss serve` and by the containers.

`gunicorn --config=python:moss.serving.gunicorn_conf`
"""

from __future__ import annotations

wsgi_app = "moss.wsgi"
bind = "0.0.0.0:8000"
worker_class = "moss.serving.gunicorn_worker.ClosingThreadWorker"
workers = 2
# A slow client holds a thread. Threads cost little; each may keep one of Postgres's 100 connections.
threads = 32
# A worker whose threads are all in use accepts no connection, so that the other one does.
worker_connections = threads
# Seconds after which a worker that does not respond is restarted.
timeout = 120
control_socket_disable = True
# Only used with --access-logfile: neither queries nor referrers.
access_log_format = "%(h)s %(m)s %(U)s %(s)s %(B)s %(L)s"
# No header of a request changes its address or its scheme here; moss.proxies decides which are believed.
forwarded_allow_ips = ""
