"""Addresses of LTI: what platforms open, the pages of administrators, and of links and rosters."""

from __future__ import annotations

from django.urls import path

from moss.integrations.lti import launch, notices, pages, pushed_pages, registration

urlpatterns = [
    path("lti/login/", launch.login, name="lti_login"),
    path("lti/launch/", launch.launch, name="lti_launch"),
    path("lti/keys/", launch.keys, name="lti_keys"),
    path("lti/notices/", notices.notices, name="lti_notices"),
    path("lti/deep-linking/<int:pk>/", pages.deep_linking, name="lti_deep_linking"),
    path("lti/register/<str:key>/", registration.register_platform, name="lti_register"),
    path("courses/<int:pk>/roster/platform/", pages.fill_roster, name="lti_fill_roster"),
    path("assignments/<int:pk>/pushed/", pushed_pages.pushed, name="lti_pushed"),
    path("assignments/<int:pk>/pushed/read/", pushed_pages.read_now, name="lti_read_now"),
    path(
        "assignments/<int:pk>/pushed/<int:pushed_id>/fetch/", pushed_pages.fetch_again, name="lti_fetch_again"
    ),
    path("department/platforms/", pages.platforms, name="lti_platforms"),
    path("department/platforms/offer/", registration.offer_registration, name="lti_offer_registration"),
    path("department/platforms/<int:pk>/", pages.platform, name="lti_platform"),
    path("department/platforms/<int:pk>/remove/", pages.remove_platform, name="lti_remove_platform"),
]
