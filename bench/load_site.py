"""Prepare a server for `bench.load`, and run its readers and uploads."""

from __future__ import annotations

import re
import tempfile
import threading
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import psutil

from bench.installation import Installation
from bench.load_class import write_large_archive, zipped, zipped_files
from bench.load_client import Visitor
from bench.load_readers import LINK, LIST, NO_PLACE, LinkReader, Reader, Steps, run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.load_client import Response
    from bench.load_readers import Step

RANKED_SECONDS, POLL_SECONDS, SAMPLE_SECONDS = 600, 1.0, 2.0
UPLOADED_SUBMISSIONS, SESSIONS = 4, 8
MEGABYTE = 1_000_000
DONE = "<dt>Ranked</dt>"
SHARED = re.compile(r"/shared/[^/\"]+/")


class Sizes(NamedTuple):
    """Submissions of the class that is read, readers, uploads at once, and megabytes of the large upload.

    The class consists of random `files`; of generated ones where there are none. `link_readers` have no
    account and read by one share link.
    """

    submissions: int
    readers: int
    uploads: int
    megabytes: int
    files: Sequence[Path] = ()
    link_readers: int = 0


class Run(NamedTuple):
    """The steps of a measurement, by their kind.

    `memory` is that of the web processes together in MB, every SAMPLE_SECONDS; `processor` is their time.
    """

    title: str
    seconds: float
    steps: dict[str, list[Step]]
    memory: list[float]
    processor: float

    @property
    def errors(self) -> int:
        """The number of failed requests, without those for which a link had no place."""
        return sum(
            bool(step.error) and not (kind.startswith(LINK) and step.error == NO_PLACE)
            for kind, steps in self.steps.items()
            for step in steps
        )


class LoadedSite:
    """A server with a course for the measurement; `home` is None where it is not this process's own."""

    def __init__(self, address: str, user: str, password: str, home: Path | None) -> None:
        self.address, self.user, self.password = address, user, password
        self.installation = Installation(home) if home else None
        self.course = ""
        self.readers: list[Reader] = []
        self.link_readers: list[Reader] = []
        self.teacher = self._visitor()

    def prepare(self, sizes: Sizes) -> None:
        """Upload the class, wait until it is ranked, and sign everybody in."""
        archive = zipped_files(sizes.files, sizes.submissions) if sizes.files else zipped(sizes.submissions)
        self.course = self._create("/", {"name": f"Load {time.time():.0f}"})
        report = self._create(self.course, {"name": "Read"})
        _accepted(self.teacher.upload(f"{report}upload/", "files", "class.zip", archive))
        deadline = time.monotonic() + RANKED_SECONDS
        while DONE not in self.teacher.get(f"{report}{LIST}").body:
            if time.monotonic() > deadline:
                raise RuntimeError("The class was not ranked in time.")
            time.sleep(POLL_SECONDS)
        # Signing in is slow on purpose, and not what is measured: several readers have the same session.
        sessions = [self._visitor() for _ in range(min(sizes.readers, SESSIONS))]
        self.readers = [
            Reader(self._with_session(sessions[seed % len(sessions)]), report, seed) for seed in range(sizes.readers)
        ]
        if sizes.link_readers:
            link = self._share(report)
            self.link_readers = [LinkReader(Visitor(self.address), link, seed) for seed in range(sizes.link_readers)]

    def _share(self, report: str) -> str:
        """Return the address of a new share link of an assignment."""
        _accepted(self.teacher.post(f"{report}shares/", {"lasting": "day", "anonymous": "on"}))
        return str(SHARED.findall(self.teacher.get(f"{report}shares/").body)[0])

    def runs(self, sizes: Sizes, seconds: float, think: float) -> list[Run]:
        """Return the measurements; the last one lasts `seconds`, the others at most half a minute."""
        short = min(seconds, 30)
        runs = [
            self._run(f"{sizes.readers} readers, {think:g} s on a page", short, think),
            self._run(f"{sizes.readers} readers without a pause", short, 0),
        ]
        if self.link_readers:
            title = f"the same, {think:g} s on a page, beside {sizes.link_readers} by one link without a pause"
            readers = [partial(self._read_by_link, reader, short) for reader in self.link_readers]
            runs.append(self._run(title, short, think, *readers))
        if sizes.uploads or sizes.megabytes:
            runs.append(self._run_with_uploads(sizes, seconds, think))
        return runs

    def _read_by_link(self, reader: Reader, seconds: float, steps: Steps) -> None:
        reader.walk(steps, time.monotonic() + seconds, 0)

    def delete(self) -> None:
        """Delete the course with everything that was uploaded."""
        if self.course:
            self.teacher.post(f"{self.course}delete/", {})

    def _run(self, title: str, seconds: float, think: float, *uploaders: Callable[[Steps], object]) -> Run:
        steps, ended, memory = Steps(), threading.Event(), list[float]()
        watcher = threading.Thread(target=self._watch_memory, args=(memory, ended), daemon=True)
        watcher.start()
        until = time.monotonic() + seconds
        people: list[Callable[[], object]] = [partial(reader.walk, steps, until, think) for reader in self.readers]
        people += [partial(uploader, steps) for uploader in uploaders]
        begin, processor = time.monotonic(), self._processor_seconds()
        run(people)
        ended.set()
        watcher.join()
        return Run(title, time.monotonic() - begin, steps.by_kind(), memory, self._processor_seconds() - processor)

    def _run_with_uploads(self, sizes: Sizes, seconds: float, think: float) -> Run:
        with tempfile.TemporaryDirectory(prefix="moss-load-") as folder:
            large = Path(folder) / "large.zip"
            uploaders = [
                partial(self._upload, self._create(self.course, {"name": f"Small {number}"}), number)
                for number in range(sizes.uploads)
            ]
            title = f"the same beside {sizes.uploads} uploads at once"
            if sizes.megabytes:
                write_large_archive(large, sizes.megabytes)
                uploaders.append(partial(self._upload_large, self._create(self.course, {"name": "Large"}), large))
                title += f" and one of {sizes.megabytes} MB"
            return self._run(title, seconds, think, *uploaders)

    def _upload(self, assignment: str, number: int, steps: Steps) -> None:
        visitor = self._with_session(self.teacher)
        archive = zipped(UPLOADED_SUBMISSIONS, seed=number)
        steps.record("upload", lambda: visitor.upload(f"{assignment}upload/", "files", "class.zip", archive))

    def _upload_large(self, assignment: str, archive: Path, steps: Steps) -> None:
        visitor, path = self._with_session(self.teacher), f"{assignment}upload/"
        steps.record("large upload", lambda: visitor.upload(path, "files", "large.zip", archive))

    def _with_session(self, other: Visitor) -> Visitor:
        """Return a visitor with a connection of its own and the session of another one."""
        visitor = Visitor(self.address)
        visitor.cookies = dict(other.cookies)
        return visitor

    def _visitor(self) -> Visitor:
        visitor = Visitor(self.address)
        visitor.sign_in(self.user, self.password)
        return visitor

    def _create(self, page: str, data: dict[str, str]) -> str:
        """Send a form that makes something, and return its address."""
        return urlsplit(_accepted(self.teacher.post(page, data)).headers["Location"]).path

    def _processor_seconds(self) -> float:
        web = self.installation.processes("gunicorn") if self.installation else []
        return sum(times.user + times.system for times in (process.cpu_times() for process in web))

    def _watch_memory(self, memory: list[float], ended: threading.Event) -> None:
        while self.installation and not ended.wait(SAMPLE_SECONDS):
            memory.append(sum(map(_resident, self.installation.processes("gunicorn"))) / MEGABYTE)


def _resident(process: psutil.Process) -> float:
    try:
        return float(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0.0


def _accepted(response: Response) -> Response:
    """Return the response of a form; fail when it was not accepted."""
    if response.status != 302:  # noqa: PLR2004 - what Django answers to an accepted form
        raise RuntimeError(f"A form was not accepted: status {response.status}")
    return response
