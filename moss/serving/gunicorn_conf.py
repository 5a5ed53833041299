"""How gunicorn serves the site, on one machine and in containers.

`gunicorn --config=python:moss.serving.gunicorn_conf`
"""

from __future__ import annotations

wsgi_app = "moss.wsgi"
bind = "0.0.0.0:8000"
worker_class = "gthread"
workers = 2
threads = 4
# A worker that does not answer for so many seconds is restarted.
timeout = 120
control_socket_disable = True
