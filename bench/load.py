"""Load of many people: `python -m bench.load [--seconds 60] [--write FILE]`.

Starts `moss serve` in a home of its own, uploads a generated class of Java programs (with `--folder`, one of
random files of a folder, each the submission of one student), signs readers in, and lets them walk the
report, its sorted and filtered lists, pairs and submissions; one step in a hundred is a decision.
Four runs: readers who look at each page for about `--think` seconds; readers who do not wait at all; readers
who look, beside `--link-readers` without an account who read by one share link and do not wait; and readers
who look, beside `--uploads` uploads at once and a large one. It prints response times and errors for
each kind of page, and the memory of the web processes.

`--address` and `--user` measure a server that runs already; the password is read from MOSS_LOAD_PASSWORD. A
course that is named "Load" is made there and deleted again.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bench.cohorts import sources
from bench.installation import start_server
from bench.load_figures import section, write_section
from bench.load_site import LoadedSite, Sizes

if TYPE_CHECKING:
    from collections.abc import Sequence

PASSWORD = "a password of this measurement only"


class Server(NamedTuple):
    """Address and account of the server to measure; `home` is None where it was running already."""

    address: str
    user: str
    password: str
    home: Path | None


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print the figures, and write them where that is asked for."""
    options = _options(arguments)
    files = sources(options.folder) if options.folder else []
    sizes = Sizes(options.submissions, options.readers, options.uploads, options.megabytes, files, options.link_readers)
    with ExitStack() as ends:
        server = _running(options) if options.address else _started(ends)
        site = LoadedSite(server.address, server.user, server.password, server.home)
        ends.callback(site.delete)
        site.prepare(sizes)
        runs = site.runs(sizes, options.seconds, options.think)
        text = section(runs, sizes, options.seconds, options.think)
    print(text)
    if options.write:
        write_section(options.write, text)
    if errors := sum(run.errors for run in runs):
        raise SystemExit(f"{errors} requests failed")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.load", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60, help="duration of the longest run")
    parser.add_argument("--think", type=float, default=1.0, help="seconds that a reader looks at a page")
    parser.add_argument("--readers", type=int, default=50)
    parser.add_argument("--submissions", type=int, default=120, help="size of the class that is read")
    parser.add_argument("--folder", type=Path, help="read a class of random files of this folder instead")
    parser.add_argument("--uploads", type=int, default=50, help="uploads at once in the last run, 0 for none")
    parser.add_argument("--megabytes", type=int, default=199, help="size of the large upload, 0 for none")
    parser.add_argument("--link-readers", type=int, default=20, help="readers of one share link, 0 for none")
    parser.add_argument("--write", type=Path, help="file whose section of figures is replaced")
    parser.add_argument("--address", help="such as https://moss.example.org/")
    parser.add_argument("--user", help="an account of that server")
    options = parser.parse_args(arguments)
    if bool(options.address) != bool(options.user):
        parser.error("--address and --user go together")
    return options


def _running(options: argparse.Namespace) -> Server:
    password = os.environ.get("MOSS_LOAD_PASSWORD")
    if not password:
        raise SystemExit("Set MOSS_LOAD_PASSWORD to the password of the account.")
    return Server(options.address, options.user, password, None)


def _started(ends: ExitStack) -> Server:
    """Start a server in a home of its own, with one account; `ends` stops and deletes it."""
    home = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="moss-load-"))) / "home"
    for name in [name for name in os.environ if name.startswith(("MOSS_", "DATABASE_", "REDIS_", "SECRET_"))]:
        del os.environ[name]
    os.environ["MOSS_HOME"] = str(home)
    server = start_server(home)
    ends.callback(server.wait, 60)
    ends.callback(server.terminate)
    command = [sys.executable, "-m", "moss", "manage", "createsuperuser", "--noinput"]
    account = {"DJANGO_SUPERUSER_PASSWORD": PASSWORD, "DJANGO_SUPERUSER_USERNAME": "reader"}
    environment = {**os.environ, **account, "DJANGO_SUPERUSER_EMAIL": "reader@example.org"}
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    log = (home.parent / "serve.log").read_text()
    return Server(log.partition("serves at ")[2].split()[0], "reader", PASSWORD, home)


if __name__ == "__main__":
    main()
