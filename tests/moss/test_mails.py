"""Every kind of mail is in the language of the person who gets it, whatever language is active."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from click.testing import CliRunner
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.utils import timezone
from django.utils.translation import override
from pytest_django.fixtures import Settings

from moss.commands.operations import account
from moss.integrations.accounts.models import MailChoice
from moss.integrations.accounts.report_mail import mail_report
from moss.integrations.webhooks.models import Webhook
from moss.integrations.webhooks.sending import tell_owner as tell_owner_of_webhook
from submissions.core.access import WithheldPair
from submissions.core.mails import language_at
from submissions.courses import change as people, retention
from submissions.models import Assignment, Batch, Course, Job, Membership, ReadingRequest, Report
from submissions.shares import links as shares
from submissions.students.exporting import note_export
from submissions.students.finding import CourseOfStudent
from submissions.students.scope import Scope
from tests.support.paths import ROOT
from tests.support.shares import shared_report

ADDRESS = "https://moss.example.org/page"
# What no translation changes: names, addresses, e-mail addresses and dates with digits.
SAME = re.compile(r"\S*[@/:\d]\S*|alice|colin|Statistics|Programming 1|ill")


def report_ready(report: Report, alice: User, _colleague: User) -> None:
    mail_report(Job(subject=report.assignment_id, part=alice.pk))


def webhook_stopped(report: Report, alice: User, _colleague: User) -> None:
    course = report.assignment.course
    webhook = Webhook.objects.create(course=course, maker=alice, created_by="alice", url=ADDRESS, events=[])
    tell_owner_of_webhook(Job(subject=webhook.pk))


def links_stopped(report: Report, _alice: User, colleague: User) -> None:
    shared_report(report, colleague)
    colleague.memberships.update(role=Membership.Role.ASSISTANT)
    shares.tell_owners()


def assignment_goes(report: Report, _alice: User, _colleague: User) -> None:
    Course.objects.update(keep_months=12)
    before = timezone.now() - timedelta(days=400)
    Assignment.objects.filter(pk=report.assignment_id).update(created=before)
    Batch.objects.update(created=before)
    retention.apply_retention()


def sources_go(report: Report, _alice: User, _colleague: User) -> None:
    Course.objects.update(keep_months=None, keep_sources_days=30)
    Report.objects.filter(pk=report.pk).update(finished=timezone.now() - timedelta(days=31))
    retention.apply_source_retention()


def invited(report: Report, alice: User, colleague: User) -> None:
    invitation = people.invite(report.assignment.course, colleague, alice.email, Membership.Role.ASSISTANT)
    people.send_invitation(invitation, ADDRESS)


def account_made(_report: Report, alice: User, _colleague: User) -> None:
    runner = CliRunner().invoke(account, ["invite", alice.username])
    assert runner.exit_code == 0, runner.output


def access_given(report: Report, alice: User, colleague: User) -> None:
    people.state_reason(report.assignment.course, colleague, "ill")
    access = people.access_text(colleague.memberships.get())
    people.tell_owner(alice, report.assignment.course, colleague, access, ADDRESS)


def student_exported(report: Report, _alice: User, _colleague: User) -> None:
    one = CourseOfStudent(report.assignment.course, (), (), is_ambiguous=False, same_names=0)
    note_export(Scope("ada", (one,)), "colleague", "ill")


def reading_asked_for(report: Report, _alice: User, colleague: User) -> None:
    one = report.submissions.first()
    assert one is not None
    shares.announce_request(WithheldPair(one, 0.5, report.assignment.course, one, None), colleague, ADDRESS)


def reading_answered(_report: Report, alice: User, _colleague: User) -> None:
    shares.announce_answer(ReadingRequest(asked_by=alice, state=ReadingRequest.State.REFUSED), ADDRESS)


# By its template, a function that sends Alice a mail.
KINDS: dict[str, Callable[[Report, User, User], None]] = {
    "accounts/invited.txt": account_made,
    "accounts/report_ready.txt": report_ready,
    "webhooks/stopped.txt": webhook_stopped,
    "submissions/shares/links_stopped.txt": links_stopped,
    "submissions/department/retention.txt": assignment_goes,
    "submissions/department/sources_retention.txt": sources_go,
    "submissions/people/invitation.txt": invited,
    "submissions/people/access_given.txt": access_given,
    "submissions/people/student_exported.txt": student_exported,
    "submissions/people/reading_request.txt": reading_asked_for,
    "submissions/people/reading_answer.txt": reading_answered,
}


@pytest.fixture
def with_mail(report: Report, settings: Settings) -> None:
    """Send mail; with settings that were changed before, the class would be ranked anew for each test."""
    settings.MAIL = True


def sentences(mail: EmailMessage) -> set[str]:
    """Return the subject and the lines of a mail that have words, without what no language changes."""
    lines = (SAME.sub(" ", line).strip() for line in (str(mail.subject), *str(mail.body).splitlines()))
    return {line for line in lines if re.search(r"[^\W\d]{4}", line)}


def test_every_template_of_a_mail_has_a_test() -> None:
    templates = (path.relative_to(ROOT / "templates").as_posix() for path in ROOT.glob("templates/**/*.txt"))
    # Those of a new password are sent while its person looks at a page.
    assert {name for name in templates if not name.startswith("account/email/")} == {*KINDS}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("with_mail")
def test_a_mail_is_in_the_language_of_its_person(
    kind: str, report: Report, colleague: User, mailoutbox: list[EmailMessage]
) -> None:
    alice = report.assignment.course.owner
    choice = MailChoice.objects.create(user=alice)
    by_language: dict[str, set[str]] = {}
    for language, active in (("en", "de"), ("de", "es"), ("es", "en")):
        choice.language = language
        choice.save()
        undo(report)
        mailoutbox.clear()
        with override(active):
            KINDS[kind](report, alice, colleague)
        [mail] = mailoutbox
        assert mail.to == [alice.email]
        by_language[language] = sentences(mail)
    assert all(by_language.values())
    assert not by_language["en"] & by_language["de"]
    assert not by_language["en"] & by_language["es"]
    assert not by_language["de"] & by_language["es"]
    assert re.search(r"\b(the|you|your|to)\b", " ".join(by_language["en"]))
    assert re.search(r"\b(der|die|das|Sie|ein)\b", " ".join(by_language["de"]))
    assert re.search(r"\b(el|la|los|las|de|del|un)\b", " ".join(by_language["es"]))


def undo(report: Report) -> None:
    """Let what was announced once be announced again."""
    Membership.objects.update(role=Membership.Role.INSTRUCTOR)
    Assignment.objects.filter(pk=report.assignment_id).update(retention_notice=None, sources_notice=None)
    Webhook.objects.all().delete()
    report.assignment.shares.all().delete()
    report.assignment.course.invitations.all().delete()


def test_the_invitation_of_somebody_without_an_account_is_in_the_language_of_the_page(alice: User) -> None:
    MailChoice.objects.create(user=alice, language="es")
    with override("de"):
        assert language_at("nobody@example.org") == "de"
        assert language_at(alice.email.upper()) == "es"
        User.objects.create_user("other", alice.email)
        assert language_at(alice.email) == "de"
