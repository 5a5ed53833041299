"""Uploads are grouped in a child, as in this process; what ends the child is left out with a reason."""

import os
import signal
from collections.abc import Iterator, Mapping
from threading import Thread

import pytest

from submissions.intake.choices import Choices
from submissions.intake.entries import Entry
from submissions.intake.layouts.places import RECORD_BYTES
from submissions.intake.left_out.patterns import FilePatterns
from submissions.intake.limits import BadArchive
from submissions.intake.preview import ListedUpload, group_upload, preview_listed
from submissions.intake.sandbox.groupings import GroupingReader
from tests.submissions.intake.layouts.plain_samples import CODE
from tests.submissions.intake.layouts.records import BLACKBOARD_RECORD
from tests.submissions.intake.layouts.samples import SAMPLES
from tests.support import harmful_groupings
from tests.support.long_rows import rest_is_long

MEMORY = 1_000_000_000


@pytest.fixture(scope="module")
def reader() -> Iterator[GroupingReader]:
    reader = GroupingReader(MEMORY)
    yield reader
    reader.close()


@pytest.fixture
def harmful_reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[GroupingReader]:
    for limit in ("GROUP_SECONDS", "PREVIEW_SECONDS"):
        monkeypatch.setattr(f"submissions.intake.sandbox.groupings.{limit}", 1.0)
    reader = GroupingReader(MEMORY, harmful_groupings.__name__)
    yield reader
    reader.close()


def upload(files: Mapping[str, str], name: str = "class", choices: Choices | None = None) -> ListedUpload:
    data = {path: text.encode() for path, text in files.items()}
    rows = [Entry(path, len(each), digest=str(hash(each)).encode()) for path, each in data.items()]
    refused = Entry("ada/photo.png", 10, "not text")
    return ListedUpload([*rows, refused], data, name, choices or Choices(), FilePatterns((), ("*.h",)))


def blackboard(record: str) -> dict[str, str]:
    """Return an export of two students, of whom one's record says what it is given."""
    files = {}
    for login, name in (("abyron", "Ada Byron"), ("bpopescu", "Bruno Popescu")):
        start = f"Lab 1_{login}_attempt_2026-03-01-14-05-09"
        fields = {"name": name, "login": login, "file": "a.py", "stored": f"{start}_a.py"}
        files[f"{start}.txt"] = BLACKBOARD_RECORD.format(**fields)
        files[f"{start}_a.py"] = CODE
    return files | {"Lab 1_abyron_attempt_2026-03-01-14-05-09.txt": record}


@pytest.mark.parametrize(
    ("sample", "choices"),
    [
        *((sample, Choices()) for sample in SAMPLES),
        ("blackboard", Choices(depth=0)),
        ("blackboard", Choices(depth=2)),
        ("blackboard", Choices("moodle")),
        ("blackboard", Choices(attempts="all")),
        ("blackboard", Choices(renames={"a": "b"})),
    ],
    ids=str,
)
def test_a_child_groups_as_this_process_does(reader: GroupingReader, sample: str, choices: Choices) -> None:
    listed = upload(SAMPLES[sample], choices=choices)
    assert reader.group(listed) == group_upload(listed)
    assert reader.preview(listed) == preview_listed(listed)


@pytest.mark.long
@pytest.mark.parametrize(
    ("harm", "reason"),
    rest_is_long(
        [
            ("compute", "reading it took longer than 1 s"),
            ("allocate", "reading it takes more memory than the 1 GB that it may use"),
            ("crash", "it ended the program that reads it"),
            ("sleep", "reading it took longer than 1 s"),
            ("leave", "it ended the program that reads it"),
            ("fail", "it ended the program that reads it"),
        ],
        first=3,
    ),
)
def test_a_record_that_ends_the_child_is_left_out_and_the_rest_of_the_class_is_grouped(
    harmful_reader: GroupingReader, harm: str, reason: str
) -> None:
    grouped = harmful_reader.group(upload(blackboard(f"harm: {harm}"))).grouping
    assert grouped.layout.key == "blackboard"
    assert grouped.submissions.keys() == {"abyron", "Bruno Popescu"}
    record = grouped.ignored["Lab 1_abyron_attempt_2026-03-01-14-05-09.txt"]
    assert record == f"Blackboard's record of an attempt; not read, because {reason}"


@pytest.mark.long
def test_a_class_whose_records_end_the_child_is_grouped_by_names(harmful_reader: GroupingReader) -> None:
    files = {path: "harm: crash" if path.endswith(".txt") else CODE for path in blackboard("")}
    assert harmful_reader.group(upload(files)).grouping.submissions.keys() == {"abyron", "bpopescu"}


@pytest.mark.long
@pytest.mark.parametrize("harm", rest_is_long(["crash", "compute", "allocate", "fail"]))
def test_an_upload_whose_names_end_the_child_is_refused(harmful_reader: GroupingReader, harm: str) -> None:
    with pytest.raises(BadArchive, match=r"The upload was not grouped: .*\. Upload it in parts\."):
        harmful_reader.group(upload({f"harm: {harm}/a.c": CODE, "ben/b.c": CODE}))
    assert harmful_reader.group(upload({"ada/a.c": CODE, "ben/b.c": CODE})).grouping.submissions.keys() == {
        "ada",
        "ben",
    }


@pytest.mark.slow
@pytest.mark.parametrize("lie", rest_is_long(harmful_groupings.LIES, first=4))
def test_an_impossible_answer_is_no_answer(harmful_reader: GroupingReader, lie: str) -> None:
    names = {"Ada Byron/a.c": CODE, "ada/a.c": CODE, "ben/b.c": CODE}
    with pytest.raises(BadArchive, match="it ended the program that reads it"):
        harmful_reader.group(upload(names, lie))


def test_a_child_that_somebody_ends_is_replaced(reader: GroupingReader) -> None:
    listed, child = upload(SAMPLES["moodle"]), reader.start()
    child.wait_until_ready()
    os.kill(child.pid, signal.SIGKILL)
    assert reader.group(listed) == group_upload(listed)


def test_who_waits_too_long_is_told_so(reader: GroupingReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("submissions.intake.sandbox.groupings.TURN_SECONDS", 0.1)
    refusals: list[str] = []

    def ask() -> None:
        try:
            reader.preview(upload(SAMPLES["moodle"]))
        except BadArchive as refusal:
            refusals.append(str(refusal))

    with reader.lock:
        thread = Thread(target=ask)
        thread.start()
        thread.join()
    assert refusals == ["Other uploads are being grouped. Try again in a minute."]


def test_metadata_files_over_a_limit_are_not_read_and_say_so() -> None:
    for more, name in (("", "Ada Byron"), (" " * RECORD_BYTES, "abyron")):
        grouped = group_upload(upload(blackboard(f"Name: Ada Byron (abyron)\n{more}"))).grouping
        assert name in grouped.submissions
    reason = grouped.ignored["Lab 1_abyron_attempt_2026-03-01-14-05-09.txt"]
    assert reason.endswith("; not read, because it has 200 kB, and at most 200 kB are read")
    records = {f"{n}/Lab 1_s{n}_attempt_2026-03-01-14-05-09.txt": "x" * RECORD_BYTES for n in range(101)}
    reasons = group_upload(upload(blackboard("") | records)).grouping.ignored.values()
    assert any("all files of its kind have more than 20 MB" in reason for reason in reasons)
