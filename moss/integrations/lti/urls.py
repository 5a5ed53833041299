"""Addresses of LTI: what platforms open, the pages of administrators, and of links and rosters."""

from __future__ import annotations

from django.urls import path

from moss.integrations.lti import notices, pages, pushed_pages, registration, views

urlpatterns = [
    path("lti/login/", views.login, name="lti_login"),
    path("lti/launch/", views.launch, name="lti_launch"),
    path("lti/keys/", views.keys, name="lti_keys"),
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
