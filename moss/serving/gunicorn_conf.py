"""Gunicorn's configuration, used by `moss serve` and by the containers.

`gunicorn --config=python:moss.serving.gunicorn_conf`
"""

from __future__ import annotations

wsgi_app = "moss.wsgi"
bind = "0.0.0.0:8000"
worker_class = "gthread"
workers = 2
threads = 4
# Seconds after which a worker that does not respond is restarted.
timeout = 120
control_socket_disable = True
