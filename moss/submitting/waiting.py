"""Upload a folder or have repositories fetched, and wait until the pairs are ranked."""

from __future__ import annotations

import os
import tempfile
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moss.submitting.sending import BegunUpload, send_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from moss.submitting.client import Service
    from moss.submitting.sending import Progress

# Seconds between two questions for the state.
EVERY = 1.0
STAGES = {
    "queued": "Waiting",
    "unpacking": "Unpacking",
    "fingerprinting": "Reading",
    "ranking": "Ranking",
}


class NotRanked(Exception):
    """There is no report of what was uploaded; the message says why."""


def submit_folder(
    service: Service, folder: Path, assignment: int, *, role: str, show: int, progress: Progress
) -> dict[str, Any]:
    """Return the upload, the report, and its first pairs; go on where an earlier call was ended.

    Raises
    ------
    NotRanked
        When the folder is empty, or the upload or the ranking failed or was cancelled.
    ServerRefused
        When the server did not do what was asked.
    """
    path = f"/assignments/{assignment}"
    with tempfile.TemporaryDirectory() as temporary:
        archive = Path(temporary) / "upload.zip"
        if not pack(folder, archive):
            raise NotRanked(f"There is no file in {folder}.")
        name = f"{folder.resolve().name or 'upload'}.zip".encode(errors="replace").decode()
        begun = BegunUpload.of(archive, service.server, path, role)
        upload = send_file(
            service, path, archive, {"filename": name, "role": role}, progress=progress, begun=begun
        )
    try:
        result = _ranked(service, path, upload, show, progress)
    except NotRanked:
        begun.forget()
        raise
    begun.forget()
    return result


def submit_repositories(
    service: Service, source: dict[str, Any], assignment: int, *, role: str, show: int, progress: Progress
) -> dict[str, Any]:
    """Have the repositories of a list fetched; return them, the upload, the report, and its first pairs.

    `source` is what the API takes: the list, a token for it, and when it is fetched once more.

    Raises
    ------
    NotRanked, ServerRefused
        As `submit_folder` does; the message names the repositories where none could be fetched.
    """
    path = f"/assignments/{assignment}"
    fetch = service.post(f"{path}/repositories", {**source, "role": role})
    one = f"{path}/repositories/{fetch['id']}"
    while fetch["state"] == "fetching":
        progress("Fetching", fetch["done"], fetch["total"])
        time.sleep(EVERY)
        fetch = service.get(one)
    if fetch["state"] != "done":
        reasons = [f"{row['student']}: {row['reason']}" for row in fetch["repositories"] if row["reason"]]
        raise NotRanked(" ".join([f"The list is {fetch['state']}. {fetch['message']}".strip(), *reasons]))
    upload = service.get(f"/uploads/{fetch['upload']}")
    return {"repositories": fetch["repositories"], **_ranked(service, path, upload, show, progress)}


def _ranked(
    service: Service, path: str, upload: dict[str, Any], show: int, progress: Progress
) -> dict[str, Any]:
    upload = _wait_for_upload(service, upload, progress)
    report = _wait_for_report(service, path, progress)
    pairs = service.get(f"{path}/pairs?limit={show}")["items"]
    return {"upload": upload, "report": report, "pairs": pairs}


def pack(folder: Path, archive: Path) -> int:
    """Write all files of a folder to a zip, without following links; return their number."""
    count = 0
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as packed:
        for path in _files(folder):
            name = os.fsencode(path.relative_to(folder).as_posix()).decode(errors="replace")
            packed.write(path, name)
            count += 1
    return count


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(place, name)
            if path.is_file() and not path.is_symlink():
                yield path


def _wait_for_upload(service: Service, upload: dict[str, Any], progress: Progress) -> dict[str, Any]:
    while upload["state"] in STAGES:
        ranking = upload["ranking"]
        if ranking:
            progress(ranking["stage"], ranking["done"], ranking["total"])
        else:
            progress(STAGES[upload["state"]], upload["documents_done"], upload["documents_total"])
        time.sleep(EVERY)
        upload = service.get(f"/uploads/{upload['id']}")
    if upload["state"] != "done":
        raise NotRanked(f"The upload is {upload['state']}. {upload['message']}".strip())
    return upload


def _wait_for_report(service: Service, path: str, progress: Progress) -> dict[str, Any]:
    report: dict[str, Any] = service.get(f"{path}/report")
    while report["state"] == "pending":
        ranking = report["ranking"] or {"stage": "Ranking", "done": 0, "total": 0}
        progress(ranking["stage"], ranking["done"], ranking["total"])
        time.sleep(EVERY)
        report = service.get(f"{path}/report")
    if report["state"] != "done":
        raise NotRanked(f"There is no report: its state is {report['state']}. {report['message']}".strip())
    return report
