"""The bands of a ranking: ordinary pairs, pairs to look at, and pairs that stand out."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from submissions.matches.ranked_pairs import WHOLE_TOKENS, percent_text, whole_percent

# A pair of which one side is nearly whole in shared passages is to be looked at, whatever its similarity is.
WHOLE_SHARE = 0.95
# Width of a bar of the histogram of pairs, and height of the lowest in percent of the highest one's.
PAIR_BIN, MIN_BAR = 2, 3
ORDINARY, LOOK, STANDS_OUT = "ordinary", "look", "stands out"


def is_whole(tokens: int, *shares: float) -> bool:
    """Return whether nearly all of one side is in shared passages, which have `tokens` tokens."""
    return tokens >= WHOLE_TOKENS and max(shares) >= WHOLE_SHARE


def are_many(whole: int, submissions: int) -> bool:
    """Return whether whole pairs say nothing: over half of the submissions, and over three, are `whole` in one."""
    return whole > max(submissions / 2, 3)


class Bands(NamedTuple):
    """The similarities from which on pairs are to be looked at, and stand out; `alike`: no line separates.

    The pairs to read are those from the `threshold` on, which may be more than `look`. `many_whole`: see `are_many`.
    """

    look: float
    stands_out: float
    alike: bool = False
    threshold: float = 0.0
    many_whole: bool = False

    @classmethod
    def of(cls, suggestion: dict[str, object], chosen: float | None = None) -> Bands:
        """Return the bands of a suggestion, as reports store it, or of the threshold that was chosen."""
        # Reports of former rules do not say what is to be looked at, or what stands out.
        look, stands_out = (float(str(suggestion.get(name, suggestion["value"]))) for name in ("look", "stands_out"))
        many_whole = bool(suggestion.get("many_whole"))
        if chosen is not None:
            return cls(chosen, max(chosen, stands_out), many_whole=many_whole)
        is_alike = "too alike" in str(suggestion["reason"])
        return cls(look, stands_out, is_alike, float(str(suggestion["value"])), many_whole)

    def band(self, similarity: float, *, whole: bool = False) -> str:
        """Return the band of a pair; `whole`: nearly all of one side is shared, or a file is identical."""
        if similarity >= self.stands_out:
            return STANDS_OUT
        return LOOK if similarity >= self.look or whole else ORDINARY


class MovedThreshold(NamedTuple):
    """The threshold that the ranking before suggested, and what was changed since.

    `added`, `removed` and `replaced` are numbers of submissions of the class; `boilerplate` and `score` are
    true where other code is ignored, and where the rules of the score are new.
    """

    before: float
    added: int
    removed: int
    replaced: int
    boilerplate: bool
    score: bool

    def sentence(self, texts: Texts, space: str = "") -> str:
        """Return what moved the threshold; `space` is before the sign of a percentage."""
        gettext, ngettext = texts.gettext, texts.ngettext
        counted = (
            (self.added, ngettext("{n} submission added", "{n} submissions added", self.added)),
            (self.removed, ngettext("{n} submission removed", "{n} submissions removed", self.removed)),
            (self.replaced, ngettext("{n} handed in again", "{n} handed in again", self.replaced)),
            (self.boilerplate, gettext("other boilerplate or statement of the task")),
            (self.score, gettext("new rules of the score")),
        )
        changes = ", ".join(text.format(n=n) for n, text in counted if n) or gettext("settings, or how files are read")
        sentence = gettext("The ranking before suggested {before}. Changed since: {changes}.")
        return sentence.format(before=percent_text(self.before, space), changes=changes)


class OtherClasses(NamedTuple):
    """The similarities of the pairs within the assignments that a class is compared with.

    `assignments` and `pairs` are counts. The `suspected` pairs were found suspicious or confirmed, and are in no other
    figure. `highest` is the greatest similarity; `above` counts pairs that reach the suggestion, `threshold`.
    """

    assignments: int
    pairs: int
    suspected: int
    highest: float
    above: int
    threshold: float

    def sentence(self, texts: Texts, space: str = "") -> str:
        """Return what the pairs of these classes say of the threshold; `space` as in `MovedThreshold`."""
        gettext, ngettext = texts.gettext, texts.ngettext
        if self.above:
            said = ngettext(
                "{reached} of {pairs} pairs of {n} compared assignment reach {limit}.",
                "{reached} of {pairs} pairs of {n} compared assignments reach {limit}.",
                self.assignments,
            )
        else:
            said = ngettext(
                "In {pairs} pairs of {n} compared assignment none was above {most}.",
                "In {pairs} pairs of {n} compared assignments none was above {most}.",
                self.assignments,
            )
        if self.suspected:
            said += " " + gettext("Left out: {suspected} found suspicious or confirmed.")
        most, limit = percent_text(self.highest, space), percent_text(self.threshold, space)
        counts = {"reached": self.above, "pairs": self.pairs, "suspected": self.suspected}
        grouped = {name: f"{number:,}" for name, number in counts.items()}
        return said.format(n=self.assignments, most=most, limit=limit, **grouped)


class Texts(Protocol):
    """Functions that translate: Django's, or those of no language."""

    def gettext(self, message: str, /) -> str: ...

    def ngettext(self, singular: str, plural: str, number: int, /) -> str: ...


def band_sentences(
    bands: Bands, similarities: Sequence[float], texts: Texts, space: str = "", *, apart: int = 0
) -> str:
    """Say how many pairs are in each band; empty without pairs.

    similarities : of all pairs that can make a case, ascending
    apart : number of other pairs that are not ordinary
    texts : translates
    space : before the sign of a percentage
    """
    gettext = texts.gettext
    look, far = (bisect_left(similarities, edge) for edge in (bands.look, bands.stands_out))
    looks, outstanding = far - look, len(similarities) - far
    few = max(bisect_left(similarities, bands.threshold, 0, far) - look, 0)
    below, first = map(whole_percent, similarities[look - 1 : look + 1] if 0 < look < len(similarities) else (0, 0))
    percentages = _percentages(similarities, look, far, texts, space)
    are_one = percentages.get("far") == percentages.get("top")
    stand_out, not_counted = _above_texts(outstanding, apart, texts, are_one=are_one)
    look_at, read_last = _look_texts(looks, few, texts)
    parts = (
        (bands.alike, gettext("Programs of this task are too alike for a line.")),
        (look, gettext("Ordinary up to {below}.")),
        (first - below > 1, gettext("Nobody between {below} and {first}.")),
        (looks > few, look_at),
        (few, read_last),
        (outstanding, stand_out),
        (
            look and not looks + outstanding + apart,
            gettext("No pair is above that: read the best match of each student once."),
        ),
        (apart, not_counted),
    )
    said = " ".join(text for is_said, text in parts if is_said)
    look_from = percent_text(bands.look, space)
    return said.format(**percentages, looks=looks, few=few, n=outstanding, apart=apart, look=look_from)


def _look_texts(looks: int, few: int, texts: Texts) -> tuple[str, str]:
    """Return what is said of pairs to look at, and of `few` of them below the threshold."""
    ngettext = texts.ngettext  # so that the texts are collected
    look_at = ngettext("{looks} pair of {span}: look at it.", "{looks} pairs of {span}: look at them.", looks)
    if few == looks:
        return look_at, ngettext(
            "{few} pair of {span} is below the threshold: read it last.",
            "{few} pairs of {span} are below the threshold: read them last.",
            few,
        )
    return look_at, ngettext(
        "{few} pair to look at is below the threshold: read it last.",
        "{few} pairs to look at are below the threshold: read them last.",
        few,
    )


def _above_texts(outstanding: int, apart: int, texts: Texts, *, are_one: bool) -> tuple[str, str]:
    """Return what is said of pairs that stand out, perhaps of `are_one` similarity, and of pairs without a case."""
    ngettext = texts.ngettext
    stand_out = ngettext("{n} pair from {far} on stands out.", "{n} pairs from {far} on stand out.", outstanding)
    if are_one:
        stand_out = ngettext("{n} pair of {far} stands out.", "{n} pairs of {far} stand out.", outstanding)
    return stand_out, ngettext(
        "Not counted: {apart} pair of {look} or more with a model solution or of one student.",
        "Not counted: {apart} pairs of {look} or more with a model solution or of one student.",
        apart,
    )


def _percentages(similarities: Sequence[float], look: int, far: int, texts: Texts, space: str) -> dict[str, str]:
    """Return what sentences name; `span` is that of the pairs from the row `look` to before `far`."""
    rows = {"below": look - 1, "first": look, "low": look, "high": far - 1, "far": far, "top": len(similarities) - 1}
    known = {name: row for name, row in rows.items() if 0 <= row < len(similarities)}
    percentages = {name: percent_text(similarities[row], space) for name, row in known.items()}
    ends = dict.fromkeys(percentages[name] for name in ("low", "high") if look < far)
    gettext = texts.gettext
    span = gettext("{low} to {high}").format(**percentages) if len(ends) > 1 else "".join(ends)
    return percentages | {"span": span}


class PairBin(NamedTuple):
    """Number of pairs with a similarity in [`low`, `high`) percent; the last bin includes 100 %.

    `height` is the part of the highest bar's height, in [0, 1]; `band` is that of the bin's lower end.
    """

    low: int
    high: int
    pairs: int
    height: float
    band: str

    @property
    def bar(self) -> float:
        """Height of the bar in a picture that is 100 high; a single pair is visible beside thousands."""
        return max(round(100 * self.height, 1), MIN_BAR) if self.pairs else 0

    @property
    def top(self) -> float:
        return 100 - self.bar


def pair_bins(similarities: Iterable[float], bands: Bands) -> list[PairBin]:
    """Return the histogram of pairs.

    The few pairs that reach the threshold would be invisible beside thousands: heights follow the logarithm.
    """
    counts = Counter(min(whole_percent(similarity) // PAIR_BIN, 100 // PAIR_BIN - 1) for similarity in similarities)
    highest = max(counts.values(), default=1)
    return [
        PairBin(
            low,
            low + PAIR_BIN,
            counts[low // PAIR_BIN],
            math.log1p(counts[low // PAIR_BIN]) / math.log1p(highest),
            bands.band(low / 100),
        )
        for low in range(0, 100, PAIR_BIN)
    ]
