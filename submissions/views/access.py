from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpRequest

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class SignedIn(HttpRequest):
    """What a view behind `login_required` gets."""

    user: User
