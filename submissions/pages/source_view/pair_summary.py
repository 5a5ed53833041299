"""One sentence on a pair, made from its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from submissions.pages.source_view.pair_sides import PairSide
    from submissions.pages.source_view.pair_view import PairView
    from submissions.pseudonyms.names import Names

NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def pair_summary(view: PairView, names: Names) -> str:
    """Return a sentence on what one side of a pair has of the other, with the names that the reader sees."""
    side, other = sorted(view.sides, key=lambda side: -side.shown_share)
    own, others = (names.display_name(each.submission.name) for each in (side, other))
    if _file_hashes(side) == _file_hashes(other):
        return f"{own} and {others} handed in the same files."
    if not view.passage_count:
        return (
            f"{own} and {others} share no run of nine tokens: the similarity comes from "
            f"{_listed(_lexical_parts(view)) or 'nothing that can be shown'}."
        )
    share = side.shown_share
    if view.pair.translated:
        return (
            f"{_part(share)} the steps of {own}\u2019s program are in {others}\u2019s, in another language."
        )
    code = f"{_part(share)} {own}\u2019s code is in {others}\u2019s"
    if not view.pair.tokens:
        return f"{code}, and all of that is common code, which other submissions have too."
    if side.has_common_code:
        code += f" ({_percent(side.share)} without common code)"
    return f"{code}; {_changes(view)}."


def _file_hashes(side: PairSide) -> list[str]:
    return sorted(file.file.source.sha256 for file in (*side.files, *side.others))


def _lexical_parts(view: PairView) -> list[str]:
    return [part for part in ("literals", "names", "imports") if getattr(view.pair, part) > 0]


def _percent(share: float) -> str:
    whole = round(share * 100)
    if not whole and share:
        return "less than 1\u202f%"
    return f"{min(whole, 99) if share < 1 else whole}\u202f%"


def _part(share: float) -> str:
    text = "all" if share >= 1 else _percent(share)
    return f"{text[0].upper()}{text[1:]} of"


def _changes(view: PairView) -> str:
    """Return what was changed in the passages, as far as they were compared."""
    differences = [passage.differences for passage in view.passages]
    counts = [
        (sum(getattr(each, kind) for each in differences), kind.removesuffix("s"))
        for kind in ("names", "literals", "keywords", "signs")
    ]
    changed = [f"{count:,} {kind}{'s' if count > 1 else ''}" for count, kind in counts if count]
    total = sum(count for count, _ in counts)
    whole = len(view.passages) == view.passage_count and all(
        passage.compared == passage.tokens for passage in view.passages
    )
    parts = []
    if changed:
        at_least = "" if whole else "at least "
        parts.append(f"{at_least}{_listed(changed)} {'was' if total == 1 else 'were'} changed")
    if view.moved:
        number = NUMBER_WORDS[view.moved] if view.moved < len(NUMBER_WORDS) else f"{view.moved:,}"
        parts.append(f"{number} part{' was' if view.moved == 1 else 's were'} moved")
    if parts:
        return ", ".join(parts)
    if not whole:
        return "it was too large to compare every token"
    comments = sum(each.gaps for each in differences)
    return "only comments and layout differ in it" if comments else "every token of that is written alike"


def _listed(parts: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))
