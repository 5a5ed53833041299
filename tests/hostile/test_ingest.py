"""Thousands of hostile uploads: each is taken or refused with a reason, in time, and nothing breaks.

`make test-long` uploads one of each kind, `make test-hostile` all of them.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.utils import timezone

from moss.operations.maintenance import sweep
from submissions.models import Batch, Course
from submissions.uploads.files import KEPT_FOR_RETRY
from tests.hostile.corpus import SOURCES, all_cases, some_of_each_kind
from tests.hostile.ingest import Results, upload_all
from tests.hostile.names import CANARY
from tests.support.paths import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from django.contrib.auth.models import User
    from pytest_django.fixtures import Settings

    from tests.hostile.case import Case
    from tests.hostile.corpus import Source

pytestmark = pytest.mark.services

FILE_SECONDS = 1
# Folders above which a path with `..` or an absolute one may lead.
ELSEWHERE = (Path("/"), Path("/tmp"), Path.home(), ROOT, ROOT.parent)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Path:
    """Return a folder that has everything that an upload may write: stored uploads and temporary files."""
    work, temporary = tmp_path / "a" / "b" / "work", tmp_path / "temporary"
    work.mkdir(parents=True)
    temporary.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    settings.FILE_SECONDS = FILE_SECONDS
    settings.UPLOADS_AN_HOUR, settings.STORAGE_BYTES = 100_000, 10**12
    return tmp_path


@pytest.fixture
def upload_hostile(
    alice: User, transactional_db: None, eager_tasks: None, place: Path
) -> Callable[[Iterable[Case]], None]:
    """Return a function that uploads cases, prints what became of them, and fails where that was a fault."""

    def upload(cases: Iterable[Case]) -> None:
        results = Results()
        course = Course.objects.create(owner=alice, name="Hostile")
        before = set(_files(place))
        upload_all(cases, course, alice, FILE_SECONDS, results)
        # Failed uploads can be tried again for some days; then the server deletes their files.
        Batch.objects.update(touched=timezone.now() - 2 * KEPT_FOR_RETRY)
        sweep()
        results.outside += [str(path) for path in _files(place) if path not in before]
        results.outside += [str(path) for folder in ELSEWHERE for path in folder.glob(f"*{CANARY}*")]
        sys.stdout.write(f"{results}\n")
        assert not results.faults()

    return upload


def _files(place: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(place):
        yield from (Path(folder) / name for name in names)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_an_upload_of_each_kind_ends_in_time_and_stays_in_its_place(
    upload_hostile: Callable[[Iterable[Case]], None],
) -> None:
    cases = list(all_cases())
    assert len(cases) > 2000
    upload_hostile(some_of_each_kind(cases, 1))


@pytest.mark.hostile
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.__name__)
def test_every_upload_ends_in_time_and_stays_in_its_place(
    source: Source, upload_hostile: Callable[[Iterable[Case]], None]
) -> None:
    upload_hostile(all_cases(source))
