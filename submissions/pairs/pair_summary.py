"""Sentences on a pair, made from its figures, and on how rare its passages are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _, gettext_lazy, ngettext

from fingerprint import engine
from submissions.matches.differences import DifferenceSummary, count_changed, exchanged, is_one_renaming
from submissions.matches.ranked_pairs import whole_percent
from submissions.pages.filters import counted

if TYPE_CHECKING:
    from fingerprint.engine import Rarity
    from submissions.core.names import Names
    from submissions.models import Pair
    from submissions.pairs.pair_view import PairSide, PairView

# Identical files that are named.
SAME_FILES_LISTED = 5
# Parts that were moved, up to ten, in words; a larger number is written in figures.
NUMBER_WORDS = (
    gettext_lazy("no"), gettext_lazy("one"), gettext_lazy("two"), gettext_lazy("three"),
    gettext_lazy("four"), gettext_lazy("five"), gettext_lazy("six"), gettext_lazy("seven"),
    gettext_lazy("eight"), gettext_lazy("nine"), gettext_lazy("ten"),
)  # fmt: skip
LEXICAL_PARTS = {
    "literals": gettext_lazy("literals"),
    "names": gettext_lazy("names"),
    "imports": gettext_lazy("imports"),
}


def pair_summary(view: PairView, names: Names) -> str:
    """Return what one side of a pair has of the other, and which files are identical.

    It has the names that the reader sees.
    """
    return " ".join(filter(None, (_shared_code(view, names), _same_files(view))))


def _same_files(view: PairView) -> str:
    """Return a sentence on the identical files, with the path on the right if it is another; empty where all are."""
    if not view.pair.same_files or len({tuple(_file_hashes(side)) for side in view.sides}) == 1:
        return ""
    sides = ([one for one in (*side.files, *side.others) if one.is_countable] for side in view.sides)
    here, there = ({(one.file.source.sha256, one.path): one.short_path for one in side} for side in sides)
    by_hash = {digest: name for (digest, _path), name in sorted(there.items())}
    both = [(key in there, name, there.get(key, by_hash[key[0]])) for key, name in here.items() if key[0] in by_hash]
    paths = sorted(max(a, b, key=len) if is_same or a == b else f"{a} ({b})" for is_same, a, b in both)
    listed = paths[:SAME_FILES_LISTED]
    if more := len(paths) - len(listed):
        listed.append(_("{n} more").format(n=more))
    text = ngettext("{files} is identical in both.", "{files} are identical in both.", len(paths))
    return text.format(files=_listed(listed))


def _shared_code(view: PairView, names: Names) -> str:
    side, other = sorted(view.sides, key=lambda side: -side.with_common)
    name, others = (names.display_name(each.submission.name) for each in (side, other))
    if _file_hashes(side) == _file_hashes(other):
        return _("{name} and {others} handed in the same files.").format(name=name, others=others)
    if not view.passage_count:
        text = _("{name} and {others} share no run of nine tokens: the similarity comes from {parts}.")
        parts = [str(label) for part, label in LEXICAL_PARTS.items() if getattr(view.pair, part) > 0]
        return text.format(name=name, others=others, parts=_listed(parts) or _("nothing that can be shown"))
    if view.pair.translated:
        return _translated(side.with_common).format(name=name, others=others, share=_capitalised(side.with_common))
    sentence = _shared(side.with_common, frozenset().union(*(one.contents for one in (*side.files, *side.others))))
    code = sentence.format(name=name, others=others, share=_capitalised(side.with_common))
    if not view.pair.tokens:
        return _("{code}, and all of that is common code, which other submissions have too.").format(code=code)
    common = [passage.differences for passage in view.passages if passage.common]
    if any(count_changed(common).values()):
        return _("{code}; apart from common code, {changes}.").format(code=code, changes=_changes(view, []))
    return _("{code}; {changes}.").format(code=code, changes=_changes(view, common))


def _translated(share: float) -> str:
    if share >= 1:
        return _("All of the steps of {name}’s program are in {others}’s, in another language.")
    return _("{share} of the steps of {name}’s program are in {others}’s, in another language.")


def _shared(share: float, contents: frozenset[str]) -> str:
    if contents == {"text"}:
        return (
            _("All of {name}’s text is in {others}’s") if share >= 1 else _("{share} of {name}’s text is in {others}’s")
        )
    if "text" in contents and share >= 1:
        return _("All of {name}’s code and text is in {others}’s")
    if "text" in contents:
        return _("{share} of {name}’s code and text is in {others}’s")
    if share >= 1:
        return _("All of {name}’s code is in {others}’s")
    return _("{share} of {name}’s code is in {others}’s")


def _file_hashes(side: PairSide) -> list[str]:
    return sorted(file.file.source.sha256 for file in (*side.files, *side.others))


def _capitalised(share: float) -> str:
    text = f"{whole_percent(share)} %" if whole_percent(share) or not share else _("less than 1 %")
    return text[0].upper() + text[1:]


def _changes(view: PairView, common: list[DifferenceSummary]) -> str:
    """Return what is written differently in the passages, as far as they were compared.

    `common` are the differences of common code, where that is written alike.
    """
    differences = [passage.differences for passage in view.passages if not passage.common]
    whole = all(one.compared == one.tokens for one in view.passages) and len(view.passages) == view.passage_count
    is_close = view.pair.similarity >= view.pair.report.parameters["threshold"].get("look", 0.0)
    is_close &= not _have_both(view, differences)
    parts = [_written_differently(differences, whole=whole, is_close=is_close), _moved(len(view.moved))]
    if any(parts):
        return ", ".join(filter(None, parts))
    if any(side.submission.released for side in view.sides):
        return _("what is written differently is not known any more")
    if not whole:
        return _("it was too large to compare every token")
    if any(each.gaps or each.capitals for each in (*differences, *common)):
        return _("only what is not compared differs in it, such as layout, comments, punctuation, modifiers or imports")
    if any(each.comments for each in (*differences, *common)):
        return _("only comments and layout differ in it")
    return _("every token of that is written alike")


def _written_differently(differences: list[DifferenceSummary], *, whole: bool, is_close: bool) -> str:
    """Return how many lexemes differ; that they were changed, of close pairs only, where one renaming explains it."""
    counts = count_changed(differences)
    total = sum(counts.values())
    if not total:
        return ""
    left, right = ([both[at] for each in differences for both in each.replaced.elements()] for at in (0, 1))
    is_moved = bool(exchanged(differences)) or not counts["names"]
    is_renamed = not is_moved and is_one_renaming(differences)
    if whole and is_moved and sorted(left) == sorted(right):
        return _("the same words are in another order")
    if not is_close or (not is_renamed and (counts["names"] or {*left} & {*right})):
        text = ngettext("{what} differs", "{what} differ", total)
        more = ngettext("at least {what} differs", "at least {what} differ", total)
    else:
        text = ngettext("{what} was changed", "{what} were changed", total)
        more = ngettext("at least {what} was changed", "at least {what} were changed", total)
    return (text if whole else more).format(what=_listed(counted(counts)))


def _have_both(view: PairView, differences: list[DifferenceSummary]) -> bool:
    """Return whether both sides' code has most of the names of one that differ: other code stands beside other."""
    names = [both for one in differences for both in one.names_written if both[0] != both[1]]
    lefts, rights = ({both[at] for both in names} for at in (0, 1))
    for side, words in zip(view.sides, (rights - lefts, lefts - rights), strict=True):
        files = (one for one in side.all_files if one.is_open and one.passages)
        if 2 * len(set[str]().union(*(one.tokens_among(words) for one in files))) > len(words):
            return True
    return False


def _moved(count: int) -> str:
    if not count:
        return ""
    number = NUMBER_WORDS[count] if count < len(NUMBER_WORDS) else f"{count:,}"
    return ngettext("{number} part was moved", "{number} parts were moved", count).format(number=number)


def _listed(parts: list[str]) -> str:
    *first, last = parts or [""]
    return _("{first} and {last}").format(first=", ".join(first), last=last) if first else last


def rarity_sentence(pair: Pair) -> str:
    """Return the sentence for a pair that was fetched with its batches; empty where nothing is known."""
    if (rarity := pair_rarity(pair)) is None:
        return ""
    sentences = {
        "": _("Perhaps one in {one_in} independent pairs of this class looks like this."),
        "below": _("Fewer than one in {one_in} independent pairs of this class look like this."),
        "above": _("More than one in {one_in} independent pairs of this class look like this."),
    }
    if rarity.bound == "below" and pair.similarity >= pair.report.parameters["threshold"]["stands_out"]:
        return _("Hardly any independent pair of this class is expected to look like this.")
    # The estimate holds within a factor of about three: one digit.
    one_in = rarity.one_in if rarity.bound else float(f"{rarity.one_in:.1g}")
    return sentences[rarity.bound].format(one_in=f"{one_in:,.0f}")


def sides_of_class(pair: Pair) -> int:
    """Return how many sides are of the class, and not earlier or other work."""
    from submissions.models import Batch  # noqa: PLC0415 - `moss check` uses `counted` without the models

    return sum(side.batch.role == Batch.Role.CLASS for side in (pair.left, pair.right))


def is_class_pair(pair: Pair) -> bool:
    return sides_of_class(pair) == 2  # noqa: PLR2004 - both


def pair_rarity(pair: Pair) -> Rarity | None:
    """Return how rare a similarity like that of the pair is; None where the report does not know.

    It knows the pairs of one language within the class, where these are enough.
    """
    # Reports of the former rule have another estimate.
    unrelated = pair.report.parameters.get("unrelated")
    is_known = unrelated and "mean" in unrelated and is_class_pair(pair)
    if not is_known or pair.translated or pair.same_student:
        return None
    return engine.UnrelatedPairs(**unrelated).rarity(pair.similarity)
