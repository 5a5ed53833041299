"""Tables of learning platforms: their addresses, accounts, courses and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

from moss.outgoing import is_loopback, web_origin
from submissions.core.database import SealedTextField
from submissions.courses.models import Role
from submissions.models import Course, Membership

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as Promise

# As long as LTI lets identifiers be.
LONGEST_ID = 255
LONGEST_ADDRESS = 1000


def origin(address: str) -> str:
    """Return scheme, host and port of an address with HTTPS, or of this machine; empty for any other one."""
    web = web_origin(address)
    return web if web.startswith("https:") or is_loopback(urlsplit(web).hostname or "") else ""


def check_address(address: str) -> None:
    """Raise ValidationError for an address without HTTPS that is not of this machine."""
    if any(character.isspace() for character in address) or not origin(address):
        raise ValidationError(
            _("“%(address)s” is not an address that begins with https:// and names a host."),
            params={"address": address},
        )


def check_addresses(text: str) -> None:
    """Raise ValidationError where a line is no address."""
    for line in text.split():
        check_address(line)


def _address(label: Promise) -> models.CharField[str, str]:
    return models.CharField(label, max_length=LONGEST_ADDRESS, validators=(check_address,))


class Platform(models.Model):
    """A learning platform in which this service is registered as a tool."""

    name = models.CharField(_("Name"), max_length=100, unique=True)
    issuer = models.CharField(_("Issuer"), max_length=LONGEST_ID)
    client_id = models.CharField(_("Client id"), max_length=LONGEST_ID)
    deployments = models.TextField(
        _("Deployment ids"), help_text=_("One a line. Launches of other deployments are refused.")
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
    """The nonce of a launch that was taken, so that it is not taken again, until its state expired."""

    nonce = models.CharField(max_length=64, unique=True)
    created = models.DateTimeField(auto_now_add=True, db_index=True)

    def __str__(self) -> str:
        return self.nonce


class PlatformAccount(models.Model):
    platform = models.ForeignKey(Platform, models.CASCADE, related_name="accounts")
    subject = models.CharField(max_length=LONGEST_ID)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="platform_accounts")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("platform", "subject"), name="lti_account_once_a_person"),)

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
            models.UniqueConstraint(fields=("platform", "deployment", "context"), name="lti_course_once_a_context"),
        )

    def __str__(self) -> str:
        return f"{self.platform}: {self.course}"


class GivenRole(models.Model):
    """The role that a launch gave. If the membership has another role, a person chose that role: it stays."""

    membership = models.OneToOneField(Membership, models.CASCADE, related_name="given_role")
    role = models.CharField(max_length=10, choices=Role.choices)

    def __str__(self) -> str:
        return self.role


class DeepLinkRequest(models.Model):
    """A platform's question which assignment a link is to open, until it is answered or expires."""

    platform_course = models.ForeignKey(PlatformCourse, models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    return_url = models.CharField(max_length=2000)
    # What the platform wants to have back; null where it sent nothing.
    data = models.TextField(null=True)  # noqa: DJ001 - an empty text is sent back as one
    created = models.DateTimeField(auto_now_add=True, db_index=True)

    def __str__(self) -> str:
        return f"{self.platform_course}: {self.user}"
