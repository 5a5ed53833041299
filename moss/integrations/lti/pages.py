"""Pages of the platforms for administrators, and of links and rosters for instructors."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from csp.decorators import csp_replace
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _, gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_POST

from moss.integrations.lti.deep_linking import answer, find_request, subscribe
from moss.integrations.lti.memberships import students
from moss.integrations.lti.models import LONGEST_ID, Platform, PlatformCourse
from moss.integrations.lti.refusals import PlatformFailed
from moss.integrations.lti.registration import service_addresses
from submissions.core.access import find_course
from submissions.core.rights import Right
from submissions.courses.change import replace_roster
from submissions.courses.forms import AssignmentForm
from submissions.models import Assignment
from submissions.pages.requests import staff_only

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse
    from django.http.response import HttpResponseBase

    from moss.integrations.lti.models import DeepLinkRequest
    from submissions.pages.requests import AuthenticatedRequest

if TYPE_CHECKING:
    from submissions.models import Course

    PlatformModelForm = forms.ModelForm[Platform]
    AssignmentChoiceField = forms.ModelChoiceField[Assignment]
else:
    PlatformModelForm = forms.ModelForm  # these take no parameter at run time
    AssignmentChoiceField = forms.ModelChoiceField


logger = logging.getLogger(__name__)


class LabelledAddress(NamedTuple):
    """An address of this service that a platform asks for; `key` tells it from the others."""

    key: str
    label: str
    url: str


ADDRESS_LABELS = (
    ("login", gettext_lazy("Sign-in (initiate login)")),
    ("launch", gettext_lazy("Launch, redirect and deep linking")),
    ("keys", gettext_lazy("Public keys (JWKS)")),
    ("notices", gettext_lazy("Notices of submissions (Asset Processor)")),
)


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
    """Change a platform."""
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


@login_required
@require_http_methods(["GET", "POST"])
def deep_linking(request: AuthenticatedRequest, pk: int) -> HttpResponseBase:
    """Ask which assignment a link is to open, and hand the signed answer back to the platform."""
    row = find_request(request.user, pk)
    course = find_course(request.user, row.platform_course.course_id, Right.CHANGE)
    makes = "make" in request.POST
    sent = request.method == "POST"
    choose = ChooseAssignment(course, request.POST if sent and not makes else None)
    make = NewAssignment(course, request.POST if makes else None, prefix="new")
    if (choose.is_valid() or make.is_valid()) and _is_subscribed(request, row):
        return _hand_back(request, row, make.save() if makes else choose.cleaned_data["assignment"])
    context = {
        "course": course,
        "row": row,
        "choose": choose,
        "make": make,
        "any": course.assignments.exists(),
    }
    return render(request, "lti/deep_linking.html", context, status=422 if sent else 200)


def _is_subscribed(request: HttpRequest, row: DeepLinkRequest) -> bool:
    """Have the platform send its notices here, where it asks for that; say so where it does not answer."""
    if not row.notices_url:
        return True
    try:
        subscribe(row, request.build_absolute_uri(reverse("lti_notices")))
    except PlatformFailed as error:
        logger.warning("platform %s takes no address for notices: %s", row.platform_course.platform_id, error)
        text = _("{platform} did not take the address for its notices. Try again, or ask the administrator.")
        messages.error(request, text.format(platform=row.platform_course.platform))
        return False
    return True


def _hand_back(
    request: AuthenticatedRequest, row: DeepLinkRequest, assignment: Assignment
) -> HttpResponseBase:
    """Return the page whose form takes the answer to the platform; only to its address."""
    parts = urlsplit(row.return_url)
    token = answer(row, assignment, request.build_absolute_uri(reverse("lti_launch")))
    row.delete()
    context = {"course": assignment.course, "row": row, "assignment": assignment, "token": token}

    @csp_replace({"form-action": [f"{parts.scheme}://{parts.netloc}"]})
    def page(request: HttpRequest) -> HttpResponseBase:
        return render(request, "lti/hand_back.html", context)

    return page(request)


@login_required
@require_POST
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
        messages.warning(
            request, _("{platform} lists no student in its course.").format(platform=row.platform)
        )
        return redirect("roster", pk)
    replace_roster(course, row.platform.name, listed)
    count = len(listed.students)
    text = ngettext("{n} student was read from {file}.", "{n} students were read from {file}.", count)
    messages.info(request, text.format(n=f"{count:,}", file=row.platform.name))
    return redirect("roster", pk)


MOST_DEPLOYMENTS = 1000


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
    """Choose an assignment of the course."""

    def __init__(self, course: Course, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rows = Assignment.objects.filter(course=course)
        self.fields["assignment"] = AssignmentChoiceField(
            rows, label=gettext_lazy("Assignment"), empty_label=None
        )


class NewAssignment(AssignmentForm):
    """Make an assignment with nothing but a name; its settings can be changed later."""

    def __init__(self, course: Course, *args: Any, **kwargs: Any) -> None:
        super().__init__(course, *args, **kwargs)
        self.fields = {"name": self.fields["name"]}
