"""Tables of the learning platforms."""

from __future__ import annotations

from moss.integrations.lti.models.platforms import (
    LONGEST_ADDRESS,
    LONGEST_ID,
    DeepLinkRequest,
    GivenRole,
    Platform,
    PlatformAccount,
    PlatformCourse,
    RegistrationAddress,
    ToolKey,
    UsedNonce,
)
from moss.integrations.lti.models.pushed import AttachedActivity, PushedFile, PushedSubmission

__all__ = [
    "LONGEST_ADDRESS",
    "LONGEST_ID",
    "AttachedActivity",
    "DeepLinkRequest",
    "GivenRole",
    "Platform",
    "PlatformAccount",
    "PlatformCourse",
    "PushedFile",
    "PushedSubmission",
    "RegistrationAddress",
    "ToolKey",
    "UsedNonce",
]
