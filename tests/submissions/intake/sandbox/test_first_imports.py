"""A confined child imports and opens nothing, whatever it reads: it has no file left to do it with."""

import encodings
import io
import tarfile
from collections.abc import Iterator
from pkgutil import iter_modules

import pytest

from fingerprint.engine import Unreadable
from submissions.intake.choices import Choices
from submissions.intake.entries import PRIORS, Entry
from submissions.intake.layouts.registry import LAYOUTS
from submissions.intake.left_out.patterns import FilePatterns
from submissions.intake.preview import ListedUpload
from submissions.intake.rosters import RosterRefused
from submissions.intake.sandbox.archives import UploadedFile, unpack_all
from submissions.intake.sandbox.documents import DocumentReader
from submissions.intake.sandbox.groupings import GroupingReader
from submissions.intake.sandbox.process import Child, Ended, JobLimits
from tests.submissions.intake.layouts.samples import SAMPLES
from tests.submissions.intake.sandbox.test_documents import ALL
from tests.submissions.intake.test_names import NAMES
from tests.support import watched
from tests.support.archives import ARCHIVE_WRITERS, HAS_LIBARCHIVE, LIBARCHIVE_WRITERS, zip_by_hand

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("new_children")]

WINDOWS_ONLY = {"mbcs", "oem"}
MEMORY, SECONDS = 1_000_000_000, 20.0
FILES = {"ada/Main.java": b"class Main {}", "ben/Main.java": b"class Other {}"}
# The names of students in each code page, and what many classes have: one name beside names in ASCII.
CODE_PAGES = [(names, encoding) for encodings, names in NAMES.values() for encoding in encodings.split()]


def _names(names: str, encoding: str) -> Iterator[list[bytes]]:
    raw = [f"{name}/a.py".encode(encoding, "ignore") for name in names.split()]
    yield raw
    yield from ([name, b"ada/a.py"] for name in raw)


def _tarred(names: list[bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT, errors="surrogateescape") as archive:
        for name in names:
            info = tarfile.TarInfo(name.decode("utf-8", "surrogateescape"))
            info.size = 6
            archive.addfile(info, io.BytesIO(b"x = 1\n"))
    return out.getvalue()


def _documents() -> Iterator[tuple[str, bytes]]:
    """Yield mails in every encoding, and rich text in every code page, that Python has."""
    names = [module.name for module in iter_modules(encodings.__path__) if module.name not in WINDOWS_ONLY]
    for name in names:
        for charset in (f"={name}", f"*=us-ascii''{name}", f"*={name}''utf-8"):
            yield f"{name}.eml", f"Content-Type: text/plain; charset{charset}\n\nx = 1\n".encode()
    for page in (*(name[2:] for name in names if name.startswith("cp")), "1361", "936"):
        yield f"{page}.rtf", b"{\\rtf1\\ansi\\ansicpg%b x = 1 \\'e4\\'a1}" % page.encode()


def _archives() -> Iterator[tuple[str, bytes]]:
    for names, encoding in CODE_PAGES:
        for raw in _names(names, encoding):
            yield "class.zip", zip_by_hand([(name, b"x = 1\n") for name in raw])
            yield "class.tar", _tarred(raw)
    for name, write in (ARCHIVE_WRITERS | (LIBARCHIVE_WRITERS if HAS_LIBARCHIVE else {})).items():
        yield name, write(FILES)
        yield name, write(FILES)[:-20]


def test_the_watch_sees_a_first_import() -> None:
    child = Child("tests.support.watched.harmful_jobs", MEMORY)
    with pytest.raises(Ended, match=str(watched.STATUS)):
        list(child.do({"job": "import"}, [], JobLimits(SECONDS, SECONDS, 100)))


def test_unpacking_any_format_in_any_code_page_imports_nothing(caplog: pytest.LogCaptureFixture) -> None:
    files = [
        UploadedFile(f"{number}-{name}", len(data), lambda data=data: io.BytesIO(data))  # type: ignore[misc]
        for number, (name, data) in enumerate(_archives())
    ]
    entries = list(unpack_all(files, MEMORY, jobs="tests.support.watched.archive_jobs"))
    assert len([entry for entry in entries if entry.data]) > len(files)
    assert not caplog.records
    assert {encoding for _, encoding in CODE_PAGES} | {"cp1258"} == {*PRIORS}


def test_reading_a_mail_or_rich_text_in_any_encoding_imports_nothing(caplog: pytest.LogCaptureFixture) -> None:
    files = [
        UploadedFile(f"{number}-{name}", len(data), lambda data=data: io.BytesIO(data))  # type: ignore[misc]
        for number, (name, data) in enumerate(_documents())
    ]
    entries = list(unpack_all(files, MEMORY, jobs="tests.support.watched.archive_jobs"))
    assert len(entries) == len(files)
    assert [entry.reason for entry in entries if "Error" in entry.reason] == []
    assert not caplog.records


def test_grouping_any_layout_imports_nothing(caplog: pytest.LogCaptureFixture) -> None:
    reader = GroupingReader(MEMORY, "tests.support.watched.grouping_jobs")
    for key in ("", *LAYOUTS):
        for files in SAMPLES.values():
            data = {path: text.encode() for path, text in files.items()}
            rows = [Entry(path, len(text), digest=b"1") for path, text in data.items()]
            patterns = FilePatterns(("*.py",), ("*.h",))
            upload = ListedUpload(rows, data, "class", Choices(layout=key), patterns)
            reader.group(upload)
            reader.preview(upload)
    reader.close()
    assert not caplog.records


def test_reading_a_roster_in_any_code_page_imports_nothing(caplog: pytest.LogCaptureFixture) -> None:
    reader = GroupingReader(MEMORY, "tests.support.watched.grouping_jobs")
    for names, encoding in [*CODE_PAGES, (NAMES["Russian"][1], "utf-16"), (NAMES["Thai"][1], "utf-8-sig")]:
        rows = "".join(f"{name};{name}@example.org\n" for name in names.split())
        try:
            reader.roster(f"Name;Email\n{rows}".encode(encoding, "ignore"))
        except RosterRefused as refusal:
            assert "program" not in str(refusal)  # noqa: PT017 - a refusal is no import
    reader.close()
    assert not caplog.records


def test_reading_any_language_in_any_encoding_imports_nothing(caplog: pytest.LogCaptureFixture) -> None:
    reader = DocumentReader(MEMORY, "tests.support.watched.document_jobs")
    texts = {f"{encoding}.txt": names.encode(encoding, "ignore") * 9 for names, encoding in CODE_PAGES}
    for name, data in (ALL | texts).items():
        (language,) = reader.identify([Entry(name, len(data), data=data)], "", SECONDS)
        if not isinstance(language, Unreadable):
            reader.read(data, language, SECONDS, coarse=True)
    reader.close()
    assert not caplog.records
