"""A sentence on how rare the similarity of a pair is among unrelated pairs of its class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from fingerprint import engine
from submissions.models import Batch

if TYPE_CHECKING:
    from fingerprint.engine import Rarity
    from submissions.models import Pair


def rarity_sentence(pair: Pair) -> str:
    """Return the sentence for a pair that was fetched with its batches; empty where nothing is known."""
    rarity = pair_rarity(pair)
    if rarity is None:
        return ""
    sentences = {
        "": _(
            "About one in {one_in} unrelated pairs of this class is as similar, or more (one in {most} to one"
            " in {fewest})."
        ),
        "below": _("Fewer than one in {one_in} unrelated pairs of this class are as similar."),
        "above": _("More than one in {one_in} unrelated pairs of this class are as similar."),
    }
    numbers = {name: f"{getattr(rarity, name):,}" for name in ("one_in", "most", "fewest")}
    return sentences[rarity.bound].format(**numbers)


def pair_rarity(pair: Pair) -> Rarity | None:
    """Return how rare a similarity like that of the pair is; None where the report does not know.

    It knows the pairs of one language within the class, where these are enough.
    """
    tail = pair.report.parameters.get("unrelated")
    own = all(side.batch.role == Batch.Role.CLASS for side in (pair.left, pair.right))
    if not tail or not own or pair.translated or pair.same_student:
        return None
    return engine.UnrelatedTail(**tail).rarity(pair.similarity)
