"""Hints for those who see a page for the first time, by name; each can be dismissed."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

HINTS = {
    "preview": _(
        "Look whether every student has the right files. Correct a name by typing over it, or choose another"
        " way to read the upload. Nothing is compared before you press the button at the end."
    ),
    "cases": _(
        "A case is a group of submissions that are more similar than unrelated work of this class. Open the"
        " first one, read its strongest pair, and decide: the decision holds for every pair of the case."
    ),
    "pairs": _(
        "The most similar pairs come first; above the divider they should be read. Point at a heading to see"
        " what its column means. Where several students share code, start with the cases instead."
    ),
    "pair": _(
        "Equal colours and numbers mark what both have. Press n and p to go through the passages, 1 to 4 to"
        " decide, and u for the next undecided pair; ? lists all keys. Underlined words are written"
        " differently on the other side."
    ),
}
