"""Pages of platforms, of links and rosters; their addresses."""

from __future__ import annotations

import logging
import secrets
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from csp.decorators import csp_replace
from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy, ngettext
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from moss.integrations.lti import launch
from moss.integrations.lti.launch import answer, find_request
from moss.integrations.lti.models import (
    LONGEST_ADDRESS,
    LONGEST_ID,
    DeepLinkRequest,
    Platform,
    PlatformCourse,
    RegistrationAddress,
    origin,
)
from moss.integrations.lti.people import students
from moss.integrations.lti.requests_out import PlatformFailed, RegistrationRefused, get_json, is_id, post_json
from moss.integrations.lti.tokens import MEMBERSHIPS, MESSAGES
from submissions.core.access import find_course
from submissions.core.rights import Right
from submissions.courses.change import replace_roster
from submissions.courses.forms import AssignmentForm
from submissions.models import Assignment, Course
from submissions.pages.requests import AuthenticatedRequest, signed_in, staff_only

HOLDS = timedelta(hours=1)
NAME = "moss"
PLATFORM = "https://purl.imsglobal.org/spec/lti-platform-configuration"
TOOL = "https://purl.imsglobal.org/spec/lti-tool-configuration"
CLAIMS = ["iss", "sub", "name", "given_name", "family_name", "email"]

logger = logging.getLogger(__name__)

LONGEST_TOKEN = 10_000

ADDRESS_LABELS = (
    ("login", gettext_lazy("Sign-in (initiate login)")),
    ("launch", gettext_lazy("Launch, redirect and deep linking")),
    ("keys", gettext_lazy("Public keys (JWKS)")),
)

MOST_DEPLOYMENTS = 1000


class ServiceAddresses(NamedTuple):
    """Addresses at which a platform finds this service."""

    login: str
    launch: str
    keys: str


def new_key(username: str) -> str:
    """Return the key of a new address for a registration; only its digest is stored."""
    RegistrationAddress.objects.filter(created__lt=timezone.now() - HOLDS).delete()
    key = secrets.token_urlsafe(32)
    RegistrationAddress.objects.create(digest=_digest(key), created_by=username)
    return key


def _digest(key: str) -> str:
    return sha256(key.encode()).hexdigest()


def _valid(key: str) -> QuerySet[RegistrationAddress]:
    return RegistrationAddress.objects.filter(digest=_digest(key), created__gte=timezone.now() - HOLDS)


def _used() -> RegistrationRefused:
    return RegistrationRefused(
        _("This address for a registration was used already, or is older than an hour."),
        _("Ask the administrator of this service for a new one."),
    )


def check_configuration(address: str) -> str:
    """Return the host of the address at which a platform says its configuration.

    Raises RegistrationRefused when it is no address with HTTPS.
    """
    if len(address) > LONGEST_ADDRESS or not origin(address):
        raise RegistrationRefused(
            _("The learning platform did not say where its configuration is."),
            _("Enter this address where the platform registers a tool of LTI 1.3 by dynamic registration."),
            f"configuration at {address!r:.200}",
        )
    return urlsplit(address).netloc


@transaction.atomic
def register(key: str, configuration: str, token: str, addresses: ServiceAddresses) -> Platform:
    """Register this service at a platform, store the platform, and use up the key.

    `configuration` and `token` are what the platform handed over. Raises RegistrationRefused when the key
    does not hold, or the platform is registered already. Raises PlatformFailed when the platform does not
    answer as LTI says; then the key still holds.
    """
    # Locked, so that two windows with one key do not register twice.
    address = _valid(key).select_for_update(skip_locked=True).first()
    if address is None:
        raise _used()
    platform, content = _read_configuration(configuration)
    endpoint = _address(content, "registration_endpoint")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = _object(post_json(platform, endpoint, _wishes(addresses), headers).content)
    platform.client_id = _text(answer, "client_id")
    deployment = _object(answer.get(TOOL)).get("deployment_id")
    platform.deployments = str(deployment)[:LONGEST_ID] if isinstance(deployment, str | int) else ""
    _store(platform)
    address.delete()
    return platform


def _read_configuration(address: str) -> tuple[Platform, dict[str, Any]]:
    """Return a platform, which is not stored and has no client id yet, and what it says of itself."""
    host = urlsplit(address).hostname
    content = _object(get_json(Platform(name=address, auth_url=address), address).content)
    issuer = _text(content, "issuer")
    if urlsplit(issuer).hostname != host:
        raise PlatformFailed(f"the issuer {issuer:.200} is not at {host}, where the configuration is")
    product = _object(content.get(PLATFORM)).get("product_family_code")
    platform = Platform(
        name=f"{product} ({host})"[:100] if isinstance(product, str) else str(host)[:100],
        issuer=issuer,
        auth_url=_address(content, "authorization_endpoint"),
        token_url=_address(content, "token_endpoint"),
        jwks_url=_address(content, "jwks_uri"),
    )
    if not platform.has_address(address):
        platform.service_urls = origin(address)
    return platform, content


def _wishes(addresses: ServiceAddresses) -> dict[str, Any]:
    """Return what a platform is to store of this service."""
    return {
        "application_type": "web",
        "response_types": ["id_token"],
        "grant_types": ["implicit", "client_credentials"],
        "client_name": NAME,
        "initiate_login_uri": addresses.login,
        "redirect_uris": [addresses.launch],
        "jwks_uri": addresses.keys,
        "token_endpoint_auth_method": "private_key_jwt",
        "scope": MEMBERSHIPS,
        TOOL: {
            "domain": urlsplit(addresses.launch).netloc,
            "target_link_uri": addresses.launch,
            "claims": CLAIMS,
            "messages": [{"type": kind, "target_link_uri": addresses.launch, "label": NAME} for kind in MESSAGES],
        },
    }


def _store(platform: Platform) -> None:
    names = set(Platform.objects.values_list("name", flat=True))
    plain, number = platform.name, 1
    while platform.name in names:
        number += 1
        platform.name = f"{plain[:90]} {number}"
    try:
        with transaction.atomic():
            platform.save()
    except IntegrityError as error:
        reason = _("A platform with this issuer and client id is stored already.")
        remedy = _("Ask the administrator of this service to remove it first.")
        raise RegistrationRefused(reason, remedy, f"{platform.issuer} again") from error


def _object(content: Any) -> dict[str, Any]:
    return content if isinstance(content, dict) else {}


def _text(content: dict[str, Any], name: str) -> str:
    value = content.get(name)
    if not is_id(value):
        raise PlatformFailed(f"{name} is {value!r:.200}")
    return value


def _address(content: dict[str, Any], name: str) -> str:
    value = content.get(name)
    if not is_id(value, LONGEST_ADDRESS) or set(value) & set(" \t\r\n") or not origin(value):
        raise PlatformFailed(f"{name} is no address with HTTPS: {value!r:.200}")
    return value


def service_addresses(request: HttpRequest) -> ServiceAddresses:
    """Return where a platform finds this service."""
    names = (f"lti_{name}" for name in ServiceAddresses._fields)
    return ServiceAddresses(*(request.build_absolute_uri(reverse(name)) for name in names))


@staff_only
@require_POST
def offer_registration(request: AuthenticatedRequest) -> HttpResponse:
    """Show the address of a new registration, once."""
    key = new_key(request.user.get_username())
    logger.info("account %s made an address for the registration of a platform", request.user.pk)
    address = request.build_absolute_uri(reverse("lti_register", args=[key]))
    return render(request, "lti/offer.html", {"address": address})


@csrf_exempt  # In a frame of the platform there is no cookie; the key in the address says who may do it.
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})  # type: ignore[arg-type] # its type has no view with arguments
@require_http_methods(["GET", "POST"])
def register_platform(request: HttpRequest, key: str) -> HttpResponse:
    """Ask whether to register a platform that came with its key; do it on a POST."""
    fields = request.POST if request.method == "POST" else request.GET
    configuration, token = fields.get("openid_configuration", ""), fields.get("registration_token", "")
    try:
        if not _valid(key).exists():
            raise _used()
        context = {"host": check_configuration(configuration)}
        if request.method == "GET":
            context |= {"configuration": configuration, "token": token[:LONGEST_TOKEN]}
            return render(request, "lti/register.html", context)
        platform = register(key, configuration, token[:LONGEST_TOKEN], service_addresses(request))
    except RegistrationRefused as refused:
        logger.warning("registration refused: %s", refused.detail or refused)
        return _refusal(request, str(refused), refused.remedy, 403)
    except PlatformFailed as failed:
        logger.warning("registration failed: %s", failed)
        reason = _("The platform did not answer as LTI 1.3 says. The log of this service says more.")
        remedy = _("Try again, or have the administrator of this service enter its addresses by hand.")
        return _refusal(request, reason, remedy, 422)
    logger.info("platform %s was registered by itself", platform.pk)
    return render(request, "lti/registered.html", {"platform": platform})


def _refusal(request: HttpRequest, reason: str, remedy: str, status: int) -> HttpResponse:
    return render(request, "lti/refused.html", {"reason": reason, "remedy": remedy}, status=status)


if TYPE_CHECKING:
    PlatformModelForm = forms.ModelForm[Platform]
    AssignmentChoiceField = forms.ModelChoiceField[Assignment]
else:
    PlatformModelForm = forms.ModelForm  # these take no parameter at run time
    AssignmentChoiceField = forms.ModelChoiceField


class LabelledAddress(NamedTuple):
    """An address of this service that a platform asks for; `key` tells it from the others."""

    key: str
    label: str
    url: str


@staff_only
@require_http_methods(["GET", "POST"])
def platforms(request: AuthenticatedRequest) -> HttpResponse:
    """List the platforms, say what they need to know of this service, and store one."""
    form = PlatformForm(request.POST or None)
    if form.is_valid():
        platform = form.save()
        logger.info("account %s stored platform %s", request.user.pk, platform.pk)
        messages.success(request, _("{platform} is registered.").format(platform=platform))
        return redirect("lti_platforms")
    context = {
        "form": form,
        "platforms": Platform.objects.all(),
        "addresses": [
            LabelledAddress(key, str(label), url)
            for (key, label), url in zip(ADDRESS_LABELS, service_addresses(request), strict=True)
        ],
    }
    return render(request, "lti/platforms.html", context, status=422 if form.errors else 200)


@staff_only
@require_http_methods(["GET", "POST"])
def platform(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    row = get_object_or_404(Platform, pk=pk)
    form = PlatformForm(request.POST or None, instance=row)
    if form.is_valid():
        form.save()
        logger.info("account %s changed platform %s", request.user.pk, pk)
        messages.success(request, _("Saved."))
        return redirect("lti_platforms")
    context = {"form": form, "platform": Platform.objects.get(pk=pk)}
    return render(request, "lti/platform.html", context, status=422 if form.errors else 200)


@staff_only
@require_POST
def remove_platform(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Forget a platform: nobody comes from there any more. Accounts and courses stay."""
    row = get_object_or_404(Platform, pk=pk)
    row.delete()
    logger.info("account %s removed platform %s", request.user.pk, pk)
    text = _("{platform} was removed. Accounts and courses stay.")
    messages.info(request, text.format(platform=row.name))
    return redirect("lti_platforms")


@signed_in("GET", "POST")
def deep_linking(request: AuthenticatedRequest, pk: int) -> HttpResponseBase:
    """Ask which assignment a link is to open, and hand the signed answer back to the platform."""
    row = find_request(request.user, pk)
    course = find_course(request.user, row.platform_course.course_id, Right.CHANGE)
    makes = "make" in request.POST
    sent = request.method == "POST"
    choose = ChooseAssignment(course, request.POST if sent and not makes else None)
    make = NewAssignment(course, request.POST if makes else None, prefix="new")
    if choose.is_valid() or make.is_valid():
        return _hand_back(request, row, make.save() if makes else choose.cleaned_data["assignment"])
    context = {"course": course, "row": row, "choose": choose, "make": make, "any": course.assignments.exists()}
    return render(request, "lti/deep_linking.html", context, status=422 if sent else 200)


def _hand_back(request: AuthenticatedRequest, row: DeepLinkRequest, assignment: Assignment) -> HttpResponseBase:
    """Return the page whose form takes the answer to the platform; only to its address."""
    parts = urlsplit(row.return_url)
    token = answer(row, assignment, request.build_absolute_uri(reverse("lti_launch")))
    row.delete()
    context = {"course": assignment.course, "row": row, "assignment": assignment, "token": token}

    @csp_replace({"form-action": [f"{parts.scheme}://{parts.netloc}"]})
    def page(request: HttpRequest) -> HttpResponseBase:
        return render(request, "lti/hand_back.html", context)

    return page(request)


@signed_in("POST")
def fill_roster(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Replace the roster of a course by the students whom its platform lists."""
    course = find_course(request.user, pk, Right.CHANGE)
    rows = PlatformCourse.objects.select_related("platform").exclude(memberships_url="")
    row = get_object_or_404(rows, course=course)
    try:
        listed = students(row)
    except PlatformFailed as error:
        logger.warning("the roster of course %s could not be filled: %s", pk, error)
        text = _("{platform} did not give the list of its students. Try again, or ask the administrator.")
        messages.error(request, text.format(platform=row.platform))
        return redirect("roster", pk)
    if not listed.students:
        messages.warning(request, _("{platform} lists no student in its course.").format(platform=row.platform))
        return redirect("roster", pk)
    replace_roster(course, row.platform.name, listed)
    count = len(listed.students)
    text = ngettext("{n} student was read from {file}.", "{n} students were read from {file}.", count)
    messages.info(request, text.format(n=f"{count:,}", file=row.platform.name))
    return redirect("roster", pk)


class PlatformForm(PlatformModelForm):
    class Meta:
        model = Platform
        fields = (
            *("name", "issuer", "client_id", "deployments", "auth_url", "token_url", "jwks_url"),
            *("token_audience", "service_urls", "trusts_mail"),
        )
        widgets = {  # noqa: RUF012 - Django's signature
            "deployments": forms.Textarea(attrs={"rows": 2}),
            "service_urls": forms.Textarea(attrs={"rows": 2}),
        }

    def clean_deployments(self) -> str:
        lines = list(dict.fromkeys(self.cleaned_data["deployments"].split()))
        if len(lines) > MOST_DEPLOYMENTS or any(len(line) > LONGEST_ID for line in lines):
            raise ValidationError(
                _("At most {n} ids of at most {characters} characters.").format(
                    n=f"{MOST_DEPLOYMENTS:,}", characters=LONGEST_ID
                )
            )
        return "\n".join(lines)

    def save(self, commit: bool = True) -> Platform:  # noqa: FBT001, FBT002 - Django's signature
        """Forget the keys that were read before: they may have been those of another address."""
        self.instance.keys, self.instance.keys_asked = [], None
        platform: Platform = super().save(commit)
        return platform


class ChooseAssignment(forms.Form):
    def __init__(self, course: Course, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rows = Assignment.objects.filter(course=course)
        self.fields["assignment"] = AssignmentChoiceField(rows, label=gettext_lazy("Assignment"), empty_label=None)


class NewAssignment(AssignmentForm):
    """Make an assignment with nothing but a name; its settings can be changed later."""

    def __init__(self, course: Course, *args: Any, **kwargs: Any) -> None:
        super().__init__(course, *args, **kwargs)
        self.fields = {"name": self.fields["name"]}


urlpatterns = [
    path("lti/login/", launch.login, name="lti_login"),
    path("lti/launch/", launch.launch, name="lti_launch"),
    path("lti/keys/", launch.keys, name="lti_keys"),
    path("lti/deep-linking/<int:pk>/", deep_linking, name="lti_deep_linking"),
    path("lti/register/<str:key>/", register_platform, name="lti_register"),
    path("courses/<int:pk>/roster/platform/", fill_roster, name="lti_fill_roster"),
    path("department/platforms/", platforms, name="lti_platforms"),
    path("department/platforms/offer/", offer_registration, name="lti_offer_registration"),
    path("department/platforms/<int:pk>/", platform, name="lti_platform"),
    path("department/platforms/<int:pk>/remove/", remove_platform, name="lti_remove_platform"),
]
