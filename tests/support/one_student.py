"""A student with a name, an id, an address and a line of code of whom everything of two courses tells."""

from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from submissions.archive.models import Corpus, CorpusDocument, CorpusSweep
from submissions.cases.change import add_statement
from submissions.cases.read import pair_names
from submissions.core.models import Refusal
from submissions.core.names import ensure_aliases
from submissions.courses.change import replace_roster
from submissions.intake.rosters import parse_roster
from submissions.models import (
    Assignment,
    AuditEntry,
    BoilerplateUpload,
    CaseChange,
    CaseDecision,
    CaseMember,
    Change,
    Course,
    Decision,
    DeletedBatch,
    StatedReason,
)
from submissions.reports.read import report_state
from submissions.shares import links as shares
from submissions.uploads.change import create_batch
from tests.support.api import API, api_client
from tests.support.kept_classes import stored
from tests.support.sample_class import COPIED, HONEST, RENAMED, zipped
from tests.support.uploads import Committing, HandIn

NAME, ID, MAIL = "Zebulon Quartzovsky", "77123456", "zquartz@example.edu"
LINE = "xylophone_4711 = 'only in the work of one'"
# All by which the student could be found, in the forms in which files and messages have them.
TRACES = (NAME, "Quartzovsky, Zebulon", "quartzovsky", "zebulon", ID, MAIL, "zquartz", "xylophone_4711")
OTHERS = {"Adaline Byron": "20261234", "Bruno Popescu": "20265678", "Chidi Oneill": "20269999"}
ROSTER = "Name,SIS User ID,Email\n" + "".join(
    f"{name},{number},{mail}\n"
    for name, number, mail in (
        (NAME, ID, MAIL),
        *((name, number, f"{number}@example.edu") for name, number in OTHERS.items()),
    )
)


def records(*groups: tuple[str, ...]) -> str:
    """Return the records of a Gradescope export, with the students of each submission."""
    ids = {NAME: ID} | OTHERS
    lines = []
    for number, group in enumerate(groups):
        lines += [f"submission_{number}:", "  :submitters:"]
        for name in group:
            lines += [
                f"  - :name: {name}",
                f"    :sid: '{ids[name]}'",
                f"    :email: {ids[name]}@example.edu",
            ]
    return "\n".join(lines) + "\n"


CLASS = {
    "lab_export/submission_0/main.py": f"{COPIED}\n{LINE}\n",
    "lab_export/submission_1/main.py": COPIED,
    "lab_export/submission_2/main.py": RENAMED,
    "lab_export/submission_0/Zebulon Quartzovsky.bin": "\0\0",
    "lab_export/submission_metadata.yml": records((NAME,), ("Adaline Byron",), ("Bruno Popescu",)),
}
GROUPS = {
    "lab_export/submission_0/main.py": COPIED,
    "lab_export/submission_1/main.py": HONEST,
    "lab_export/submission_metadata.yml": records(("Adaline Byron", NAME), ("Chidi Oneill",)),
}


@dataclass(frozen=True, slots=True)
class Planted:
    """Two assignments of two courses that have work of the student; the second one has a group's."""

    first: Assignment
    second: Assignment
    owner: User


@pytest.fixture
def planted(
    alice: User,
    alice_client: Client,
    assignment: Assignment,
    hand_in: HandIn,
    django_capture_on_commit_callbacks: Committing,
) -> Planted:
    """Return what the real upload path and the real pages have stored of the student and of three others."""

    def store() -> None:
        replace_roster(assignment.course, "roster of zebulon quartzovsky.csv", parse_roster(ROSTER.encode()))
        hand_in(zipped(CLASS, "lab.zip"))
        second = Assignment.objects.create(course=Course.objects.create(owner=alice, name="Compilers"), name="Parsers")
        second.compared_with.add(assignment)
        with django_capture_on_commit_callbacks(execute=True):
            create_batch(second, alice, [zipped(GROUPS, "groups.zip")])
            sends_by_api(alice, assignment)
        for one in (assignment, second):
            ensure_aliases(one)
            decide(one, alice)
        mention(assignment, alice)

    stored("one student", store)
    open_pages(assignment, alice_client)
    return Planted(assignment, Assignment.objects.get(name="Parsers"), alice)


def sends_by_api(alice: User, assignment: Assignment) -> None:
    """Upload a file with the student's name twice, with one key: its answer is stored."""
    file = zipped({f"{NAME}/extra.py": f"{COPIED}\n{LINE}\n"}, f"{NAME}.zip")
    client = api_client(alice)
    answer = client.post(
        f"{API}/assignments/{assignment.pk}/uploads",
        {"files": file},
        headers={"Idempotency-Key": f"for {ID}"},
    )
    assert answer.status_code == 202, answer.content


def decide(assignment: Assignment, alice: User) -> None:
    """Decide on every pair, and on a case of all submissions, with notes that name the student."""
    report = report_state(assignment).report
    assert report
    for pair in report.pairs.select_related("left", "right"):
        decision = Decision.objects.create(
            assignment=assignment, left=pair.left.name, right=pair.right.name, notes=f"Talked to {NAME}."
        )
        Change.objects.create(decision=decision, who="alice", field="notes", after=f"Talked to {NAME}.")
    case = CaseDecision.objects.create(assignment=assignment, threshold=0.5, notes=f"Zebulon ({ID}) was first.")
    CaseChange.objects.create(decision=case, who="alice", field="notes", after=f"Zebulon ({ID}) was first.")
    for name in report.submissions.values_list("name", flat=True):
        CaseMember.objects.create(decision=case, assignment=assignment, name=name)
        if NAME in name:
            add_statement(assignment, name, alice, f"{NAME}.txt", f"I am {NAME}.".encode())
    pair = report.pairs.select_related("left", "right")[0]
    names = pair_names(assignment, pair.left_id, pair.right_id)
    shares.create_share(assignment, alice, timezone.now() + timedelta(days=1), pair=names)


def mention(assignment: Assignment, alice: User) -> None:
    """Name the student in every other text that people and programs can write."""
    Assignment.objects.filter(pk=assignment.pk).update(teams=f'"{NAME}", Adaline Byron\nBruno Popescu, Chidi Oneill')
    text = f"An appeal of {NAME}."
    StatedReason.objects.create(course=assignment.course, user=alice, reason=text, expires=timezone.now())
    DeletedBatch.objects.create(assignment=assignment, batch=999_999, name=f"{NAME}.zip")
    refusals = [Refusal(name=f"{NAME}.bin", reason="no text")]
    BoilerplateUpload.objects.create(assignment=assignment, name=f"{NAME}.zip", state="done", refusals=refusals)
    corpus = Corpus.objects.create(name="old", recipe="r")
    sweep = CorpusSweep.objects.create(corpus=corpus, number=1, source="/old")
    CorpusDocument.objects.create(sweep=sweep, name=f"2019/{NAME}/main.py", sha256="0" * 64)
    CorpusDocument.objects.create(sweep=sweep, name="2019/Adaline Byron/main.py", sha256="1" * 64)
    AuditEntry.objects.create(who="alice", action="saw", subject=NAME, course="A deleted course", page="pair")


def open_pages(assignment: Assignment, alice_client: Client) -> None:
    """Open a pair and a submission of the student, which the audit log notes."""
    report = report_state(assignment).report
    assert report
    submission = report.submissions.filter(students__name=NAME).first()
    assert submission
    alice_client.get(reverse("submission", args=[assignment.pk, submission.pk]))
    pair = report.pairs.filter(left=submission).first() or report.pairs.filter(right=submission).first()
    assert pair
    alice_client.get(reverse("pair", args=[assignment.pk, pair.left_id, pair.right_id]), follow=True)
