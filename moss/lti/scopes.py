"""What this service asks platforms for."""

from __future__ import annotations

# The people of a course: Names and Roles.
MEMBERSHIPS = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
