"""The secrets of second factors, which the database holds sealed."""

from __future__ import annotations

from allauth.mfa.adapter import DefaultMFAAdapter

from submissions.sealing import opened, seal


class SealingAdapter(DefaultMFAAdapter):  # type: ignore[misc] # django-allauth publishes no types
    """Seal the secrets of authenticator apps and of recovery codes."""

    def encrypt(self, text: str) -> str:
        return seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        return opened(encrypted_text)
