"""Numbers of tokens that two students wrote differently, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import ngettext

if TYPE_CHECKING:
    from collections.abc import Mapping


def counted(counts: Mapping[str, int]) -> list[str]:
    """Return the numbers by kind as text, such as `3 names`, without the kinds that have none."""
    texts = {
        "names": ngettext("{n} name", "{n} names", counts["names"]),
        "literals": ngettext("{n} literal", "{n} literals", counts["literals"]),
        "keywords": ngettext("{n} keyword", "{n} keywords", counts["keywords"]),
        "signs": ngettext("{n} sign", "{n} signs", counts["signs"]),
    }
    return [text.format(n=f"{counts[kind]:,}") for kind, text in texts.items() if counts[kind]]
