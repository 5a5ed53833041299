"""The rights that this service asks platforms for."""

from __future__ import annotations

# The people of a course: Names and Roles.
MEMBERSHIPS = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
# To be told where its notices go, to give the files of submissions, and to take reports on them.
NOTICES = "https://purl.imsglobal.org/spec/lti/scope/noticehandlers"
ASSETS = "https://purl.imsglobal.org/spec/lti/scope/asset.readonly"
REPORTS = "https://purl.imsglobal.org/spec/lti/scope/report"
