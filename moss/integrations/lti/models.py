"""Tables of learning platforms: their accounts, courses and keys, and the submissions that they push."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from moss.integrations.lti.addresses import check_address, check_addresses, origin
from submissions.core.database import SealedTextField
from submissions.courses.models import Role
from submissions.models import Assignment, Batch, Course, Membership, Submission

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as Promise

__all__ = [
    "LONGEST_ADDRESS",
    "LONGEST_ID",
    "AttachedActivity",
    "DeepLinkRequest",
    "GivenRole",
    "Platform",
    "PlatformAccount",
    "PlatformCourse",
    "PushedFile",
    "PushedSubmission",
    "RegistrationAddress",
    "ToolKey",
    "UsedNonce",
]

# As long as LTI lets identifiers be.
LONGEST_ID = 255
LONGEST_ADDRESS = 1000


def _address(label: Promise) -> models.CharField[str, str]:
    return models.CharField(label, max_length=LONGEST_ADDRESS, validators=(check_address,))


class Platform(models.Model):
    """A learning platform in which this service is registered as a tool."""

    name = models.CharField(_("Name"), max_length=100, unique=True)
    issuer = models.CharField(_("Issuer"), max_length=LONGEST_ID)
    client_id = models.CharField(_("Client id"), max_length=LONGEST_ID)
    deployments = models.TextField(
        _("Deployment ids"),
        help_text=_("One a line. Launches of other deployments are refused."),
    )
    auth_url = _address(_("Address of its sign-in (authentication request)"))
    token_url = _address(_("Address of its access tokens"))
    jwks_url = _address(_("Address of its public keys (JWKS)"))
    token_audience = models.CharField(
        _("Audience of access tokens"),
        max_length=1000,
        blank=True,
        help_text=_("Only where the platform names one. Empty: the address of its access tokens."),
    )
    service_urls = models.TextField(
        _("Other addresses of its services"),
        blank=True,
        validators=(check_addresses,),
        help_text=_("One a line. Only needed if its courses are on another host than the addresses above."),
    )
    trusts_mail = models.BooleanField(
        _("Its e-mail addresses are verified"),
        default=False,
        help_text=_(
            "Only if people cannot change their own address there: whoever comes with the "
            "address of an account of this service gets that account, unless it is an "
            "administrator's."
        ),
    )
    # The keys that it published, and when it was asked for them last.
    keys: models.JSONField[object, object] = models.JSONField(default=list, editable=False)
    keys_asked = models.DateTimeField(null=True, editable=False)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)
        constraints = (
            models.UniqueConstraint(
                fields=("issuer", "client_id"),
                name="lti_platform_once",
                violation_error_message=_("A platform with this issuer and client id is stored already."),
            ),
        )

    def __str__(self) -> str:
        return self.name

    def has_address(self, address: str) -> bool:
        """Return whether an address is at one of the hosts that are stored of this platform."""
        stored = (self.auth_url, self.token_url, self.jwks_url, *self.service_urls.split())
        return bool(origin(address)) and origin(address) in {origin(one) for one in stored}


class RegistrationAddress(models.Model):
    """An address at which a platform can be registered by itself, until it is used or an hour old."""

    # Of the key in the address.
    digest = models.CharField(max_length=64, unique=True)
    # The user name, stored as text because the account may be deleted.
    created_by = models.CharField(max_length=150)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        """Return nothing of the key: it is a secret."""
        return f"registration address {self.pk}"


class ToolKey(models.Model):
    """The key pair with which this service signs what it sends to platforms; there is one row."""

    # In PEM; on no page and not in Django's admin.
    private_key = SealedTextField()
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        """Return nothing of the key: it is a secret."""
        return f"key {self.pk}"


class UsedNonce(models.Model):
    """The nonce of a launch or a notice that was taken, so that it is not taken again.

    Deleted when the state of its launch expired, or after `until`, when its notice expired.
    """

    nonce = models.CharField(max_length=64, unique=True)
    created = models.DateTimeField(auto_now_add=True, db_index=True)
    until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.nonce


class PlatformAccount(models.Model):
    """The account of a person of a platform."""

    platform = models.ForeignKey(Platform, models.CASCADE, related_name="accounts")
    subject = models.CharField(max_length=LONGEST_ID)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="platform_accounts")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("platform", "subject"), name="lti_account_once_a_person"),
        )

    def __str__(self) -> str:
        return f"{self.platform}: {self.user}"


class PlatformCourse(models.Model):
    """The course that belongs to a course of a platform, which LTI calls a context."""

    platform = models.ForeignKey(Platform, models.CASCADE, related_name="courses")
    deployment = models.CharField(max_length=LONGEST_ID)
    context = models.CharField(max_length=LONGEST_ID)
    course = models.OneToOneField(Course, models.CASCADE, related_name="platform_course")
    # Where the platform lists the people of the course; empty where it does not.
    memberships_url = models.CharField(max_length=2000, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("platform", "deployment", "context"), name="lti_course_once_a_context"
            ),
        )

    def __str__(self) -> str:
        return f"{self.platform}: {self.course}"


class GivenRole(models.Model):
    """The role that a launch gave. A membership with another one has that of a person, which stays."""

    membership = models.OneToOneField(Membership, models.CASCADE, related_name="given_role")
    role = models.CharField(max_length=10, choices=Role.choices)

    def __str__(self) -> str:
        return self.role


class DeepLinkRequest(models.Model):
    """A platform's question which assignment a link is to open, until it is answered or expires."""

    platform_course = models.ForeignKey(PlatformCourse, models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    return_url = models.CharField(max_length=2000)
    # Where the platform is told to send its notices; empty where it asks for a link, not for a processor.
    notices_url = models.CharField(max_length=2000, blank=True)
    # The activity that the processor is for; empty where the platform does not say.
    activity = models.CharField(max_length=LONGEST_ID, blank=True)
    # What the platform wants to have back; null where it sent nothing.
    data = models.TextField(null=True)  # noqa: DJ001 - an empty text is sent back as one
    created = models.DateTimeField(auto_now_add=True, db_index=True)

    def __str__(self) -> str:
        return f"{self.platform_course}: {self.user}"


class AttachedActivity(models.Model):
    """An activity of a platform, such as its assignment, whose submissions an assignment here gets."""

    platform_course = models.ForeignKey(PlatformCourse, models.CASCADE, related_name="activities")
    activity = models.CharField(max_length=LONGEST_ID)
    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="activities")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("platform_course", "activity", "assignment"), name="lti_activity_once"
            ),
        )

    def __str__(self) -> str:
        return f"activity of assignment {self.assignment_id}"


class PushedSubmission(models.Model):
    """A submission that a platform told of: fetched from there, then read in an upload with others."""

    class State(models.TextChoices):
        WAITING = "waiting", _("to be fetched")
        FETCHED = "fetched", _("fetched")
        READ = "read", _("in an upload")
        # The same student's later submission came first.
        REPLACED = "replaced", _("replaced by a later one")
        FAILED = "failed", _("failed")

    class Problem(models.TextChoices):
        """The reason for which the last attempt to fetch it failed."""

        NOTHING = "nothing", _("The platform named no file.")
        TOO_LARGE = "too large", _("A file is too large, or all files together are.")
        HOST = (
            "host",
            _(
                "A file is on a host that is not among the stored addresses of the platform. Ask the "
                "administrator of this service to add it."
            ),
        )
        GONE = "gone", _("The platform no longer has the file.")
        OTHER_BYTES = "other bytes", _("What came is not the file that the platform named.")
        NO_ANSWER = "no answer", _("The platform did not send the file.")
        NO_ROOM = "no room", _("The owner's courses have no storage left. Delete old assignments or uploads.")

    # Those whose files are still to come, or to be read.
    UNDER_WAY = (State.WAITING, State.FETCHED)

    platform_course = models.ForeignKey(PlatformCourse, models.CASCADE, related_name="pushed")
    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="pushed")
    # What the platform calls it, and the student.
    submission = models.CharField(max_length=LONGEST_ID)
    subject = models.CharField(max_length=LONGEST_ID)
    name = models.CharField(max_length=400, blank=True)
    submitted = models.DateTimeField()
    # Its files: `asset_id`, `url`, `sha256_checksum`, `size` and `name` of each.
    assets: models.JSONField[list[dict[str, Any]], list[dict[str, Any]]] = models.JSONField(default=list)
    report_url = models.CharField(max_length=2000, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    problem = models.CharField(max_length=20, choices=Problem.choices, blank=True)
    # Which file, host or limit the problem is about.
    detail = models.TextField(blank=True)
    fetched = models.DateTimeField(null=True)
    batch = models.ForeignKey(Batch, models.SET_NULL, null=True, related_name="pushed")
    # What the platform was told last.
    reported = models.CharField(max_length=20, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("platform_course", "assignment", "submission"), name="lti_pushed_once"
            ),
        )

    def __str__(self) -> str:
        return f"submission {self.pk} of platform course {self.platform_course_id}"

    def read_submission(self) -> Submission | None:
        """Return what it became in its upload; None where it is not read, or only another attempt is."""
        rows = Submission.objects.filter(batch=self.batch_id, batch__state__in=Batch.FULLY_READ)
        return rows.filter(students__identifier=self.subject, students__name=self.name).first()


class PushedFile(models.Model):
    """The bytes of a file of a pushed submission, until it is in an upload."""

    submission = models.ForeignKey(PushedSubmission, models.CASCADE, related_name="files")
    name = models.CharField(max_length=1000)
    data = models.BinaryField()

    def __str__(self) -> str:
        return self.name
