"""Count again what the service states of each class below a folder: `make judge FOLDER=...`.

A class is a folder of the name `files/CLASS` or `sub`, as labelled sets have it, with a file or a folder for each
submission. This takes minutes a class, so no other target collects it.
"""

import os
import re
from pathlib import Path

import pytest
from django.test import Client

from submissions.models import Assignment
from tests.support.checking.exported import Exported
from tests.support.checking.sentences import falsehoods
from tests.support.sample_class import zipped
from tests.support.uploads import HandIn

pytestmark = pytest.mark.services

ROOT = Path(os.environ["FOLDER"])
CLASSES = sorted(path for path in (*ROOT.glob("**/files/*"), *ROOT.glob("**/sub")) if path.is_dir())


def files_of(folder: Path) -> dict[str, dict[str, bytes]]:
    """Return the files of each submission by path; its name has letters and digits only, which no layout shortens."""
    return {
        re.sub(r"[\W_]+", "", one.stem if one.is_file() else one.name): {
            str(path.relative_to(folder if one.is_file() else one)): path.read_bytes()
            for path in ([one] if one.is_file() else one.rglob("*"))
            if path.is_file()
        }
        for one in sorted(folder.iterdir())
    }


def text_of(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


@pytest.mark.parametrize("folder", CLASSES, ids=str)
def test_what_is_stated_of_a_class_on_disk_is_so(
    folder: Path, hand_in: HandIn, assignment: Assignment, alice_client: Client
) -> None:
    raw = files_of(folder)
    hand_in(zipped({f"{name}/{path}": data for name, files in raw.items() for path, data in files.items()}))
    sources = {name: {path: text_of(data) for path, data in files.items()} for name, files in raw.items()}
    assert "\n".join(falsehoods(Exported(alice_client, assignment, sources, raw))) == ""
