"""The page of a course, and its part in the department's archive."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from submissions.cases.change import CaseNames, DecisionInput, decide_case
from submissions.intake.layouts.places import participant
from submissions.models import (
    Assignment,
    AuditEntry,
    Batch,
    Course,
    CourseRoster,
    Membership,
    Report,
    Submission,
    SubmissionStudent,
)
from tests.support.api import api_client, send
from tests.support.archive import Department
from tests.support.html import get_page, page_of
from tests.support.reports import create_report
from tests.support.sample_class import CLASS, zipped
from tests.support.uploads import CountQueries


def test_creating_a_course_opens_it_and_only_others_may_have_one_of_its_name(
    alice_client: Client, bob_client: Client, alice: User
) -> None:
    courses, sent = reverse("courses"), {"name": "Compilers"}
    page = get_page(alice_client, courses)
    assert page.text(".empty strong") == "No course yet."
    assert page.texts("button.primary") == ["Compare"]
    response = alice_client.post(courses, sent)
    course = Course.objects.get(owner=alice, name="Compilers")
    assert response.headers["Location"] == course.get_absolute_url()
    page = get_page(alice_client, course.get_absolute_url())
    assert page.text(".empty strong") == "No assignment yet."
    assert bob_client.post(courses, sent).status_code == 302
    again = alice_client.post(courses, sent)
    assert again.status_code == 422
    assert page_of(again).text(".error").startswith("You have a course of this name already")
    asked = get_page(alice_client, reverse("delete_course", args=[course.pk]))
    assert "Compilers holds nothing yet." in asked.texts("form.card p")
    assert not asked.has(".lost")


def test_bob_sees_his_courses_and_their_owners(bob_client: Client, bob: User, assignment: Assignment) -> None:
    Course.objects.create(owner=bob, name="Networks")
    page = get_page(bob_client, reverse("courses"))
    assert page.texts(".rows .name") == ["Networks"]
    assert assignment.course.name not in page.html
    Membership.objects.create(course=assignment.course, user=bob, role=Membership.Role.ASSISTANT)
    assert "1 assignment · alice" in get_page(bob_client, reverse("courses")).texts(".rows .meta")
    page = get_page(bob_client, assignment.course.get_absolute_url())
    assert page.text(".lead") == "Taught by alice"


def test_creating_an_assignment_opens_it_as_was_chosen(alice_client: Client, assignment: Assignment) -> None:
    address = assignment.course.get_absolute_url()
    sent = {"name": "Sorting", "language": "python", "common_limit": "7"}
    response = alice_client.post(address, sent)
    created = Assignment.objects.get(name="Sorting")
    assert response.headers["Location"] == created.get_absolute_url()
    assert (created.course, created.language, created.common_limit) == (assignment.course, "python", 7)
    alice_client.post(address, {"name": "Trees"})
    created = Assignment.objects.get(name="Trees")
    assert (created.language, created.common_limit) == ("", None)


def test_bad_values_of_an_assignment_are_refused(alice_client: Client, assignment: Assignment) -> None:
    for sent, reason in (
        ({"name": ""}, "This field is required"),
        ({"name": assignment.name}, "This course has an assignment of this name already"),
        ({"name": "x", "common_limit": "1"}, "greater than or equal to 2"),
        ({"name": "x", "common_limit": "many"}, "Enter a whole number"),
        ({"name": "x", "language": "klingon"}, "Select a valid choice"),
        ({"name": "x" * 201}, "at most 200 characters"),
    ):
        response = alice_client.post(assignment.course.get_absolute_url(), sent)
        assert response.status_code == 422
        assert reason in page_of(response).text(".error")
    assert Assignment.objects.count() == 1


def test_names_with_markup_are_shown_as_text(alice_client: Client, alice: User) -> None:
    course = Course.objects.create(owner=alice, name="<script>alert(1)</script>")
    for address, name in ((reverse("courses"), ".rows .name"), (course.get_absolute_url(), "h1")):
        page = get_page(alice_client, address)
        assert page.text(name) == "<script>alert(1)</script>"
        assert page.inline_code() == []


def test_the_lists_take_as_many_queries_for_many_rows_as_for_one(
    alice_client: Client, alice: User, assignment: Assignment, django_assert_num_queries: CountQueries
) -> None:
    for n in range(20):
        course = Course.objects.create(owner=alice, name=f"Course {n}")
        Assignment.objects.create(course=course, name="One")
        Assignment.objects.create(course=assignment.course, name=f"Task {n}")
    with django_assert_num_queries(4):  # session, user, courses, what is assigned
        alice_client.get(reverse("courses"))
    # session, user, course, assignments, reports, what is withheld, decided cases, those by hand, roster,
    # requests, stopped webhooks, sources that go
    with django_assert_num_queries(16):
        alice_client.get(assignment.course.get_absolute_url())


def test_a_course_is_renamed_within_the_names_of_its_owner(
    alice_client: Client, admin_client: Client, admin: User, alice: User, assignment: Assignment
) -> None:
    for owner, name in ((alice, "Compilers"), (admin, "Networks")):
        Course.objects.create(owner=owner, name=name)
    course, address = assignment.course, reverse("rename_course", args=[assignment.course.pk])
    assert get_page(alice_client, address).values("input[name=name]", "value") == ["Programming 1"]
    for name, reason in (("", "This field is required"), ("Compilers", "of this name already")):
        response = alice_client.post(address, {"name": name})
        assert response.status_code == 422
        page = page_of(response)
        assert reason in page.text(".error")
        assert page.text("title") == "Settings of Programming 1 · moss"
    course.refresh_from_db()
    assert course.name == "Programming 1"
    for _ in range(2):  # Its own name is no other course's.
        response = alice_client.post(address, {"name": "Programming 2"})
        assert response.headers["Location"] == course.get_absolute_url()
    course.refresh_from_db()
    assert course.name == "Programming 2"
    assert admin_client.post(address, {"name": "Networks"}).status_code == 302


def test_deleting_says_first_what_goes_with_it(
    alice_client: Client, report: Report, assignment: Assignment, batch: Batch
) -> None:
    course, sources = assignment.course, "3 submissions with their sources"
    kept = Course.objects.create(owner=course.owner, name="Networks").assignments.create(name="Sockets")
    settings = get_page(alice_client, reverse("assignment_settings", args=[assignment.pk]))
    assert reverse("delete_assignment", args=[assignment.pk]) in settings.links()
    for what, pk, losses in (
        ("batch", batch.pk, {sources}),
        ("course", course.pk, {"1 assignment", "1 upload", sources}),
        ("assignment", assignment.pk, {"1 upload", sources, "1 report with its pairs"}),
    ):
        page = get_page(alice_client, reverse(f"delete_{what}", args=[pk]))
        assert page.text("h1") == f"Delete this {what.replace('batch', 'upload')}?"
        assert losses <= {*page.texts(".lost li")}
    page = page_of(alice_client.post(reverse("delete_assignment", args=[assignment.pk]), follow=True))
    assert page.text(".notices") == "Statistics was deleted with everything that belonged to it."
    assert Assignment.objects.get() == kept
    assert alice_client.get(assignment.get_absolute_url()).status_code == 404
    page = page_of(alice_client.post(reverse("delete_course", args=[course.pk]), follow=True))
    assert page.text(".notices").startswith("Programming 1 was deleted")
    assert (Course.objects.get(), Assignment.objects.get()) == (kept.course, kept)


def shown_assignments(client: Client, course: Course) -> list[str]:
    return get_page(client, course.get_absolute_url()).texts("section[aria-label=Assignments] > .rows .name")


def test_assignments_are_in_natural_order(alice_client: Client, assignment: Assignment) -> None:
    for name in ("HW10", "HW2", "HW1", "hw 3"):
        Assignment.objects.create(course=assignment.course, name=name)
    assert shown_assignments(alice_client, assignment.course) == ["HW1", "HW2", "hw 3", "HW10", "Statistics"]


def test_an_assignment_has_its_date_and_its_cases(alice_client: Client, assignment: Assignment) -> None:
    report = create_report(assignment, {("ann", "ben"): 0.9, ("eve", "fay"): 0.7})
    [row] = get_page(alice_client, assignment.course.get_absolute_url()).texts(".rows li")
    assert "2 cases, 2 undecided" in row
    members = CaseNames(["ann", "ben"], ["eve", "fay"], 0.5)
    decide_case(assignment, members, assignment.course.owner, DecisionInput("clear", None, ""))
    assignment.reports.create(state="failed")
    [row] = get_page(alice_client, assignment.course.get_absolute_url()).texts(".rows li")
    assert "2 cases, 1 undecided" in row
    assert "added " in row
    assert "the last ranking failed" in row
    assert report.pairs.count() == 2


@pytest.fixture
def two_assignments(assignment: Assignment, bob: User) -> Assignment:
    """Return an assignment of a course in which Ann and Ben stand out twice; Cal and Dan also in Bob's."""
    create_report(assignment, {("ann", "ben"): 0.9, ("cal", "dan"): 0.8, ("eve", "fay"): 0.2})
    later = Assignment.objects.create(course=assignment.course, name="Trees")
    create_report(later, {("Ben", "ann"): 0.7, ("cal", "eve"): 0.8, ("eve", "fay"): 0.9})
    others = Course.objects.create(owner=bob, name="Programming 1")
    create_report(Assignment.objects.create(course=others, name="Sorting"), {("cal", "dan"): 0.9})
    return assignment


def test_the_same_two_students_in_two_assignments_are_named_and_nobody_of_another_course(
    alice_client: Client, two_assignments: Assignment
) -> None:
    page = get_page(alice_client, two_assignments.course.get_absolute_url())
    [row] = page.texts(".recurring li")
    assert row.casefold() == "ann and benstatistics 90\u202f%, trees 70\u202f% · recognised by: name alone"
    for address in page.values(".recurring a", "href"):
        assert alice_client.get(address, follow=True).status_code == 200
    for number, one in enumerate(Submission.objects.all()):  # anew in each assignment, as Moodle does
        one.students.create(name=one.name, identifier=participant(str(number)))
    numbered = get_page(alice_client, two_assignments.course.get_absolute_url())
    assert numbered.texts(".recurring li") == [row]


def test_students_are_the_same_by_the_id_of_their_platform_and_have_the_name_of_the_roster(
    alice_client: Client, assignment: Assignment
) -> None:
    roster = CourseRoster.objects.create(course=assignment.course, name="class.csv")
    enrolled = roster.students.create(name="Ann Q. Meyer", login="am12")
    later = Assignment.objects.create(course=assignment.course, name="Trees")
    reports = [
        create_report(assignment, {("ann", "ben"): 0.9, ("cal", "dan"): 0.9}),
        create_report(later, {("ann meyer", "ben 2"): 0.8, ("cal", "dan"): 0.9}),
    ]
    for number, report in enumerate(reports):
        for submission in report.submissions.all():
            person = submission.name.split()[0]
            # The same name, but another person: the ids differ.
            identifier = f"{person}{number}" if person in {"cal", "dan"} else person
            submission.students.create(name=submission.name, identifier=identifier)
    SubmissionStudent.objects.filter(name__startswith="ann").update(enrolled=enrolled, identifier="am12")
    page = get_page(alice_client, assignment.course.get_absolute_url())
    [row] = page.texts(".recurring li")
    assert row.startswith("Ann Q. Meyer and ben")
    assert row.endswith("Statistics 90\u202f%, Trees 80\u202f% · recognised by: login")


def test_pairs_that_come_back_have_made_up_names_where_names_are_hidden_and_team_mates_do_not(
    alice_client: Client, two_assignments: Assignment
) -> None:
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    page = get_page(alice_client, two_assignments.course.get_absolute_url())
    [row] = page.texts(".recurring li")
    assert not {"ann", "ben"} & {*row.casefold().replace(",", " ").split()}
    for label in page.values(".recurring a", "aria-label"):
        assert not {"ann", "ben"} & {*label.casefold().split()}
    Assignment.objects.filter(pk=two_assignments.pk).update(compare_mates=True, teams="ann, ben")
    assert not get_page(alice_client, two_assignments.course.get_absolute_url()).has(".recurring")


def test_the_page_of_a_course_takes_as_many_queries_for_many_reports_as_for_few(
    alice_client: Client, two_assignments: Assignment, django_assert_num_queries: CountQueries
) -> None:
    address = two_assignments.course.get_absolute_url()
    with django_assert_num_queries(19):
        assert get_page(alice_client, address).has(".recurring")
    for number in range(8):
        another = Assignment.objects.create(course=two_assignments.course, name=f"Task {number}")
        create_report(another, {("ann", "ben"): 0.9, ("cal", "dan"): 0.8, ("eve", "fay"): 0.7})
    with django_assert_num_queries(19):
        page = get_page(alice_client, address)
    assert len(page.all(".recurring li")) == 3


def course_settings(department: Department) -> str:
    return reverse("rename_course", args=[department.assignment.course_id])


def takes_part(department: Department) -> bool:
    department.assignment.course.refresh_from_db()
    return department.assignment.course.in_archive


@pytest.mark.long
def test_the_owner_decides_whether_a_course_takes_part_and_others_who_manage_it_do_not(
    department: Department, alice_client: Client, colleague_client: Client
) -> None:
    address, sent = course_settings(department), {"name": "Statistics", "in_archive": "False"}
    field = get_page(colleague_client, address).all("#id_in_archive")[0]
    assert "disabled" in field.attributes
    colleague_client.post(address, sent)
    assert takes_part(department)
    alice_client.post(address, sent)
    assert not takes_part(department)
    entry = AuditEntry.objects.filter(who="alice").latest("pk")
    assert (entry.action, entry.page) == ("course", "rename_course")


def test_the_archive_is_a_choice_that_ranks_again(department: Department, alice_client: Client) -> None:
    department.assignment.compare_archive = False
    department.assignment.save()
    department.hand_in(zipped(CLASS))
    assert department.old_names() == set()
    address = reverse("assignment_settings", args=[department.assignment.pk])
    assert "Python 2" in get_page(alice_client, address).text("#id_compare_archive_helptext")
    with department.committing(execute=True):
        alice_client.post(address, {"name": "Statistics", "compare_archive": "True"})
    assert department.old_names() == {"zacharias", "yvonne"}
    assert get_page(alice_client, address).texts("#id_compare_archive option[selected]") == ["Compare with all of it"]


def test_a_course_that_does_not_take_part_is_refused_the_archive_and_keeps_its_choice(
    department: Department, alice_client: Client
) -> None:
    department.assignment.course.in_archive = False
    department.assignment.course.save()
    address = reverse("assignment_settings", args=[department.assignment.pk])
    page = get_page(alice_client, address)
    assert "disabled" in page.all("#id_compare_archive")[0].attributes
    assert "does not take part" in page.text("#id_compare_archive_helptext")
    sent = {"name": "Statistics", "compare_archive": "True"}
    assert alice_client.post(address, sent).status_code == 422
    assert alice_client.post(address, {"name": "Statistics"}).status_code == 302
    department.assignment.refresh_from_db()
    assert department.assignment.compare_archive


def test_a_program_reads_and_sets_both_choices(department: Department, alice: User, colleague: User) -> None:
    course, assignment = department.assignment.course_id, department.assignment.pk
    client = api_client(alice)
    assert send(client, "get", f"/courses/{course}").json()["in_archive"]
    assert send(client, "get", f"/assignments/{assignment}").json()["compare_archive"]
    changed = send(client, "patch", f"/courses/{course}", {"in_archive": False}).json()
    assert (changed["in_archive"], changed["name"]) == (False, "Programming 1")
    assert AuditEntry.objects.latest("pk").page == "api_course"
    refused = send(client, "patch", f"/assignments/{assignment}", {"compare_archive": True})
    assert refused.status_code == 422
    assert send(client, "patch", f"/assignments/{assignment}", {"term": "2027"}).status_code == 200
    others = api_client(colleague)
    assert send(others, "patch", f"/courses/{course}", {"in_archive": True}).status_code == 403
    assert send(others, "patch", f"/courses/{course}", {"keep_months": 6}).json()["keep_months"] == 6


def test_administrators_see_who_takes_part_and_how_much(department: Department, admin_client: Client) -> None:
    address = reverse("department")
    page = get_page(admin_client, address)
    assert page.text("#archive") == (
        "2 courses take part in the department's archive. It holds 2 submissions of 1 assignment. Terms: michaelmas"
    )
    assert page.texts("td[data-label=archive]") == ["takes part", "takes part"]
    Course.objects.filter(pk=department.assignment.course_id).update(in_archive=False)
    assert get_page(admin_client, address).texts("td[data-label=archive]").count("takes part") == 1
