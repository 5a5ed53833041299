"""Addresses of the old result pages, as clients put them together, and of renewing a user id.

Public scripts look for `results/[0-9]+/[0-9]+` in what a client prints, so that a key is in decimal digits.
"""

from __future__ import annotations

from django.urls import path, re_path

from moss.integrations.moss_protocol.views import index, match, renew

RESULT = r"^results/(?P<number>[0-9]{1,18})/(?P<key>[0-9]{38})"

urlpatterns = [
    re_path(rf"{RESULT}/{{0,2}}$", index, name="client_result"),
    re_path(
        rf"{RESULT}/{{1,2}}match(?P<rank>[0-9]{{1,9}})(?P<part>-top|-0|-1)?\.html$",
        match,
        name="client_match",
    ),
    path("account/moss-user-id/", renew, name="renew_moss_user_id"),
]
