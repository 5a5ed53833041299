"""What submissions are called on a page: by their own names, or by made-up ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest

    from submissions.models import Assignment


@dataclass(frozen=True, slots=True)
class Names:
    """Names as a reader may see them; `made_up` is empty where that is their own."""

    made_up: Mapping[str, str] = field(default_factory=dict)

    def of(self, name: str) -> str:
        """Give what to call the submission `name`."""
        return self.made_up.get(name, name)


def names_for(request: HttpRequest, assignment: Assignment) -> Names:
    """Give the names under which whoever asks reads an assignment."""
    return Names()
