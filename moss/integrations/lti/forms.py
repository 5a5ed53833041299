"""Store a platform, and choose the assignment of a link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _, gettext_lazy

from moss.integrations.lti.models import LONGEST_ID, Platform
from submissions.models import Assignment
from submissions.pages.forms.assignments import AssignmentForm

if TYPE_CHECKING:
    from submissions.models import Course

    PlatformModelForm = forms.ModelForm[Platform]
    AssignmentChoiceField = forms.ModelChoiceField[Assignment]
else:
    PlatformModelForm = forms.ModelForm  # these take no parameter at run time
    AssignmentChoiceField = forms.ModelChoiceField

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
