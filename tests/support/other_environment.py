"""Programs under other environment variables, in processes that have imported nothing of the product yet.

They are forks of one process that has loaded the libraries of the settings: these take most of the time of a
start of Python that only reads the settings.
"""

import atexit
import json
import os
import subprocess
import sys
import traceback
from functools import cache
from importlib import import_module
from tempfile import TemporaryFile

LIBRARIES = ("django.core.exceptions", "dj_database_url", "environs", "redis.backoff", "ssl")


def run(program: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a program in Python with these environment variables alone; return its status and output."""
    server = _server()
    assert server.stdin
    assert server.stdout
    server.stdin.write(json.dumps([program, environment]) + "\n")
    server.stdin.flush()
    status, output, errors = json.loads(server.stdout.readline())
    return subprocess.CompletedProcess(program, status, output, errors)


@cache
def _server() -> subprocess.Popen[str]:
    command = [sys.executable, "-m", __name__]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(_end, server)
    return server


def _end(server: subprocess.Popen[str]) -> None:
    server.communicate()


def _serve() -> None:
    for library in LIBRARIES:
        import_module(library)
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_in_a_fork(*json.loads(line))) + "\n")
        sys.stdout.flush()


def _in_a_fork(program: str, environment: dict[str, str]) -> tuple[int, str, str]:
    with TemporaryFile() as output, TemporaryFile() as errors:
        child = os.fork()
        if not child:
            os.dup2(output.fileno(), 1)
            os.dup2(errors.fileno(), 2)
            _become(program, environment)
        _, status = os.waitpid(child, 0)
        output.seek(0)
        errors.seek(0)
        return os.waitstatus_to_exitcode(status), output.read().decode(), errors.read().decode()


def _become(program: str, environment: dict[str, str]) -> None:
    """Run the program, and end as Python would."""
    os.environ.clear()
    os.environ.update(environment)
    status = 1
    try:
        exec(program, {})
        status = 0
    except BaseException:  # noqa: BLE001 - of any kind, as Python prints them
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    _serve()
