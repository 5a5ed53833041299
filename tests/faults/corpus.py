"""An archive that is added to a corpus by all workers during `tests.faults`, and what must come of it."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

from submissions.archive.jobs import add_documents
from submissions.archive.models import CorpusDocument, CorpusShard, CorpusSweep
from submissions.models import Job

Document = tuple[object, ...]

NAME, REFERENCE = "faults", "reference"
DOCUMENTS, WORDS = 600, 900
# Workers that were just killed do not answer at once.
END_SECONDS, TRIES, PAUSE_SECONDS = 120, 6, 10
# All that is stored of a document and its text.
TEXT = ("sha256", "profile", "kind", "language", "tokens", "digest", "sketch", "features", "simhash")
COLUMNS = ("name", "sha256", "reason", *(f"text__{name}" for name in TEXT))


class Archive:
    """A folder of documents, and the command that adds them to a corpus; one that failed is repeated."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.folder, self.log = folder, folder.with_suffix(".log")
        self._write(rng)
        self._command: subprocess.Popen[bytes] | None = None

    def _write(self, rng: random.Random) -> None:
        self.folder.mkdir()
        words = [f"word{number}" for number in range(3000)]
        for number in range(DOCUMENTS):
            (self.folder / f"{number}.txt").write_text(" ".join(rng.choices(words, k=WORDS)))

    def add(self) -> None:
        """Begin to add the documents, or go on where the command ended; do nothing while it runs."""
        if self._command is None or self._command.poll() is not None:
            command = [sys.executable, "-m", "moss", "corpus", "add", str(self.folder), "--name", NAME]
            with self.log.open("ab") as log:
                self._command = subprocess.Popen([*command, "--workers"], stdout=log, stderr=log)

    def finish(self) -> list[str]:
        """Repeat the command until it succeeds, as people do; return what is wrong."""
        for _ in range(TRIES):
            self.add()
            assert self._command
            if self._command.wait(END_SECONDS) == 0:
                return []
            time.sleep(PAUSE_SECONDS)
        return [f"the archive cannot be added to a corpus: {self.log.read_text()[-300:]!r}"]

    def violations(self) -> list[str]:
        """Compare what the workers stored, in each sweep, with what one process alone stores."""
        add_documents(REFERENCE, self.folder)
        expected = _stored(CorpusSweep.objects.get(corpus__name=REFERENCE))
        lines = [
            f"{sweep} is not as this process alone stores it"
            for sweep in CorpusSweep.objects.filter(corpus__name=NAME)
            if sweep.finished is None or _stored(sweep) != expected
        ]
        left = CorpusShard.objects.count() + Job.objects.filter(kind="corpus_shard").count()
        return lines + [f"{left} parts of work on a corpus are left"] * bool(left)


def _stored(sweep: CorpusSweep) -> list[Document]:
    rows = CorpusDocument.objects.filter(sweep=sweep).order_by("name").values_list(*COLUMNS)
    return [tuple(bytes(one) if isinstance(one, memoryview) else one for one in row) for row in rows]
