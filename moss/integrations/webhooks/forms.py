"""Create and change a webhook."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _, gettext_lazy

from moss.integrations.webhooks.models import LONGEST_ADDRESS, Event
from moss.integrations.webhooks.sending import is_listed, may_ask_encrypted
from moss.outgoing import is_loopback, web_origin

if TYPE_CHECKING:
    from submissions.models import Course

# Each event is sent to each of them.
MOST_WEBHOOKS = 10


class EventsForm(forms.Form):
    """The events that a webhook is told of."""

    events = forms.MultipleChoiceField(
        label=gettext_lazy("Events"),
        choices=Event.choices,
        initial=Event.values,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose at least one event.")},
    )


class WebhookForm(EventsForm):
    """A new webhook of a course."""

    url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=LONGEST_ADDRESS,
        widget=forms.URLInput(attrs={"placeholder": "https://", "autocomplete": "off"}),
    )
    field_order = ("url", "events")

    def __init__(self, course: Course, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.course = course

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        check_url(url)
        return url

    def clean(self) -> dict[str, Any]:
        if self.course.webhooks.count() >= MOST_WEBHOOKS:
            text = _("A course has at most {n} webhooks. Delete one first.")
            raise ValidationError(text.format(n=MOST_WEBHOOKS))
        return self.cleaned_data


class ChangeWebhookForm(EventsForm):
    """Choose other events, or pause."""

    active = forms.BooleanField(label=gettext_lazy("Send events to this address"), required=False)


def check_url(url: str) -> None:
    """Raise ValidationError for an address that nothing could be sent to.

    A name is resolved when something is sent, so only a host that is given as a number is refused here.
    """
    if not url.isascii() or not url.isprintable() or " " in url or not web_origin(url):
        raise ValidationError(_("This is no address that begins with https:// and names a host."))
    parts = urlsplit(url)
    if parts.scheme == "http" and not settings.WEBHOOK_NETWORKS:
        raise ValidationError(_("The address must begin with https://."))
    may_ask = may_ask_encrypted if parts.scheme == "https" else is_listed
    try:
        number = ip_address(parts.hostname or "")
    except ValueError:
        allowed = not is_loopback(parts.hostname or "") or bool(settings.WEBHOOK_NETWORKS)
    else:
        allowed = may_ask(number)
    if not allowed:
        raise ValidationError(_("The host is in a network that nothing is sent to."))
