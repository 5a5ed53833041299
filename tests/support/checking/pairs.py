"""Check the pairs of a report: their sides, evidence, passages and figures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import pairwise

from submissions.models import Pair
from submissions.reports.models import PassageRecord
from tests.support.checking.facts import Facts, Tokens, is_of_class, title

# Both ends of a passage on one side: the file, its first token, and the token after its last.
Place = tuple[int, int, int]

TOLERANCE = 1e-6
RANGED = (
    "similarity", "structure", "literals", "names", "imports",
    "left_share", "right_share", "left_with_common", "right_with_common",
)  # fmt: skip


def sides(facts: Facts) -> Iterator[str]:
    """Check that each pair is there once, of two submissions of the report, the first name on the left."""
    seen: set[frozenset[int]] = set()
    for pair in facts.pairs:
        both = frozenset((pair.left_id, pair.right_id))
        if not both <= facts.submissions.keys():
            yield f"{title(pair)}: a side is not among the submissions of the report"
        if pair.left.name > pair.right.name:
            yield f"{title(pair)}: the name on the right sorts first"
        if both in seen or len(both) == 1:
            yield f"{title(pair)}: listed twice, or with itself"
        seen.add(both)


def evidence(facts: Facts) -> Iterator[str]:
    """Check that figures are between 0 and 1, and that the kinds of evidence add up to the similarity."""
    for pair in facts.pairs:
        for name in RANGED:
            if not 0 <= getattr(pair, name) <= 1 + TOLERANCE:
                yield f"{title(pair)}: {name} is {getattr(pair, name)}"
        parts = math.fsum((pair.structure, pair.literals, pair.names, pair.imports))
        if abs(parts - pair.similarity) > TOLERANCE:
            yield f"{title(pair)}: the evidence adds up to {parts:.6f}, not {pair.similarity:.6f}"


def passages(facts: Facts) -> Iterator[str]:
    """Check that the passages of each pair are equal token by token, and that none overlap."""
    for pair in facts.pairs:
        by_id = {side: _tokens_by_file(facts, pair, side) for side in (pair.left_id, pair.right_id)}
        left, right = by_id[pair.left_id], by_id[pair.right_id]
        for passage in pair.passages:
            on_left = _run(left, passage.left_file, passage.left_token, passage.tokens)
            on_right = _run(right, passage.right_file, passage.right_token, passage.tokens)
            if not on_left or on_left != on_right:
                yield f"{title(pair)}: the {passage.tokens} tokens of a passage are not those of its files"
        for places in _places(pair.passages):
            if any(first[0] == after[0] and first[2] > after[1] for first, after in pairwise(sorted(places))):
                yield f"{title(pair)}: passages overlap"


def figures(facts: Facts) -> Iterator[str]:
    """Check the shares, and the tokens, the lines and the longest of the passages of each pair."""
    for pair in facts.pairs:
        if pair.translated or not (is_of_class(pair.left) and is_of_class(pair.right)):
            continue  # counted in the coarse stream, or without what another course handed out
        uncommon = [passage for passage in pair.passages if not passage.common]
        covered = []
        for side, places in zip((pair.left_id, pair.right_id), _places(uncommon), strict=True):
            covered.append(_covered(facts, pair, side, places))
        yield from _differing(facts, pair, uncommon, covered)


def _differing(
    facts: Facts, pair: Pair, uncommon: list[PassageRecord], covered: list[tuple[int, int]]
) -> Iterator[str]:
    """Yield figures that differ; `covered` are the counted tokens and the lines of passages on each side."""
    shares = [
        tokens / max(_counted(facts, side), 1)
        for side, (tokens, _) in zip((pair.left_id, pair.right_id), covered, strict=True)
    ]
    longest = {
        max((_covered(facts, pair, side, [place])[0] for place in places), default=0)
        for side, places in zip((pair.left_id, pair.right_id), _places(uncommon), strict=True)
    }
    stated: tuple[tuple[str, float, Iterable[float]], ...] = (
        ("left share", pair.left_share, [shares[0]]),
        ("right share", pair.right_share, [shares[1]]),
        ("number of tokens", pair.tokens, [max(tokens for tokens, _ in covered)]),
        ("number of lines", pair.lines, [max(lines for _, lines in covered)]),
        ("longest passage", pair.longest, longest),
    )
    for name, stored, counted in stated:
        if all(abs(stored - one) > TOLERANCE for one in counted):
            yield f"{title(pair)}: the {name} is {stored}, and {' or '.join(map(str, counted))} by counting"


def _tokens_by_file(facts: Facts, pair: Pair, side: int) -> dict[int, Tokens]:
    return {file.pk: facts.tokens(file, coarse=pair.translated) for file in facts.ready_files(side)}


def _run(files: dict[int, Tokens], file: int, first: int, length: int) -> list[int]:
    """Return the kinds of a run of tokens; nothing where it is not wholly in the file."""
    kinds = files[file].kinds if file in files else []
    run = kinds[first : first + length] if first >= 0 else []
    return run if len(run) == length else []


def _places(listed: Iterable[PassageRecord]) -> tuple[list[Place], list[Place]]:
    """Return where passages are on the left, and where they are on the right."""
    rows = list(listed)
    return (
        [(row.left_file, row.left_token, row.left_token + row.tokens) for row in rows],
        [(row.right_file, row.right_token, row.right_token + row.tokens) for row in rows],
    )


def _covered(facts: Facts, pair: Pair, side: int, places: Iterable[Place]) -> tuple[int, int]:
    """Return the number of counted tokens in some places of a side, and of lines on which tokens begin."""
    files = _tokens_by_file(facts, pair, side)
    tokens, lines = 0, set[tuple[int, int]]()
    for file, first, after in places:
        if file in files:
            tokens += sum(files[file].counted[first:after])
            lines.update((file, line) for line in files[file].lines[first:after])
    return tokens, len(lines)


def counted_places(facts: Facts, pair: Pair, side: int) -> set[tuple[int, int]]:
    """Return the file and the number of each counted token of a side that is in a passage of the pair."""
    uncommon = [passage for passage in pair.passages if not passage.common]
    files = _tokens_by_file(facts, pair, side)
    return {
        (file, at)
        for file, first, after in _places(uncommon)[side == pair.right_id]
        if file in files
        for at in range(first, min(after, len(files[file].counted)))
        if files[file].counted[at]
    }


def _counted(facts: Facts, side: int) -> int:
    return sum(sum(facts.tokens(file).counted) for file in facts.ready_files(side))
