"""Slow, obviously correct versions of the engine's kernels, one heading for each subject."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from math import comb

WORD = 2**64

# ---- hashing: winnowing, section 2.2 ----


def kgram_hash(kgram: Sequence[int]) -> int:
    """Return H' of one k-gram: a polynomial in the base, then mixed."""
    base = 0x9E3779B97F4A7C15
    k = len(kgram)
    value: int = sum(symbol * base ** (k - i) for i, symbol in enumerate(kgram)) % WORD
    value = (value ^ (value >> 31)) * 0xBF58476D1CE4E5B9 % WORD
    return value ^ (value >> 31)


def kgram_hashes(kinds: Sequence[int], k: int) -> list[int]:
    return [kgram_hash(kinds[i : i + k]) for i in range(len(kinds) - k + 1)]


# ---- winnowing, sections 3 and 5.1 ----


def windows(hashes: Sequence[int], window: int) -> list[range]:
    """Return the positions of every whole window."""
    return [range(i, i + window) for i in range(len(hashes) - window + 1)]


def rightmost_minimum(hashes: Sequence[int], positions: range) -> int:
    return min(positions, key=lambda i: (hashes[i], -i))


def winnow(hashes: Sequence[int], window: int) -> list[int]:
    return sorted({rightmost_minimum(hashes, positions) for positions in windows(hashes, window)})


def robust_winnow(hashes: Sequence[int], window: int) -> list[int]:
    chosen: list[int] = []
    for positions in windows(hashes, min(window, len(hashes)) or 1):
        lowest = rightmost_minimum(hashes, positions)
        if not (chosen and chosen[-1] in positions and hashes[chosen[-1]] == hashes[lowest]):
            chosen.append(lowest)
    return chosen


def modulo(hashes: Sequence[int], p: int) -> list[int]:
    return [i for i, value in enumerate(hashes) if value % p == 0]


def safe_modulo(hashes: Sequence[int], p: int, window: int) -> list[int]:
    good = set(modulo(hashes, p))
    bad = {positions[-1] for positions in windows(hashes, window) if good.isdisjoint(positions)}
    return sorted(good | bad)


# ---- alignment: winnowing, section 5.2 ----


def longest_free_run(
    left: Sequence[int], right: Sequence[int], taken: tuple[set[int], set[int]]
) -> tuple[int, int, int]:
    """Return (-length, a, b) of the longest run of equal tokens free on both sides, the earliest of them."""
    best = (0, 0, 0)
    for a in range(len(left)):
        for b in range(len(right)):
            n = 0
            while (
                a + n < len(left)
                and b + n < len(right)
                and left[a + n] == right[b + n]
                and a + n not in taken[0]
                and b + n not in taken[1]
            ):
                n += 1
            best = min(best, (-n, a, b))
    return best


def tiles(left: Sequence[int], right: Sequence[int], k: int) -> list[tuple[int, int, int]]:
    """Return the greedy tiling as (a, b, length): repeatedly the longest free run of at least `k` tokens."""
    taken: tuple[set[int], set[int]] = (set(), set())
    matches: list[tuple[int, int, int]] = []
    while True:
        negative, a, b = longest_free_run(left, right, taken)
        if -negative < k:
            return matches
        matches.append((a, b, -negative))
        taken[0].update(range(a, a - negative))
        taken[1].update(range(b, b - negative))


# ---- cohort ----


def trim_to_lines(
    left: Sequence[int],
    right: Sequence[int],
    run: tuple[int, int, int],
    k: int,
    ignored: tuple[Sequence[bool], Sequence[bool]] | None = None,
) -> tuple[int, int, int]:
    """Cut off lines at the ends of which at most two thirds are in the run; sides are sizes of lines.

    More than two thirds of the tokens that are not `ignored` are enough too.
    """
    lines = [[line for line, size in enumerate(sizes) for _ in range(size)] for sizes in (left, right)]
    flags = ignored or ([False] * sum(left), [False] * sum(right))
    firsts = list(run[:2])
    length = run[2]

    def cut(*, at_end: bool) -> int:
        cuts = []
        for column, out, first in zip(lines, flags, firsts, strict=True):
            run_tokens = range(first, first + length)
            line = column[run_tokens[-1 if at_end else 0]]
            of_line = [at for at, number in enumerate(column) if number == line]
            inside = [at for at in of_line if at in run_tokens]
            counted = [[at for at in tokens if not out[at]] for tokens in (inside, of_line)]
            whole = any(3 * len(few) > 2 * len(many) for few, many in ((inside, of_line), counted))
            cuts.append(0 if whole else len(inside))
        return max(cuts)

    while length:
        if n := cut(at_end=True):
            length -= n
        elif n := cut(at_end=False):
            firsts, length = [first + n for first in firsts], length - n
        else:
            break
    return (firsts[0], firsts[1], length) if length >= k else run


def covered(document: Sequence[int], k: int, ignored: set[tuple[int, ...]]) -> list[bool]:
    """Return whether each token lies in a k-gram of `ignored`."""
    flags = [False] * len(document)
    for i in range(len(document) - k + 1):
        if tuple(document[i : i + k]) in ignored:
            flags[i : i + k] = [True] * k
    return flags


def kgrams(document: Sequence[int], k: int) -> list[tuple[int, ...]]:
    return [tuple(document[i : i + k]) for i in range(len(document) - k + 1)]


# ---- shingles: syntactic-clustering ----


def split_mix(seed: int, turn: int) -> int:
    """Return word number `turn`, from 1, of the SplitMix64 generator."""
    word = (seed + turn * 0x9E3779B97F4A7C15) % WORD
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB % WORD
    return word ^ (word >> 31)


def permute(value: int, seed: int, bits: int) -> int:
    for turn in (1, 3, 5):
        value = (value + split_mix(seed, turn)) * (split_mix(seed, turn + 1) | 1) % 2**bits
        value ^= value >> ((bits + 1) // 2)
    return value


def shingles(tokens: Sequence[int], w: int, bits: int) -> list[int]:
    distinct = {tuple(tokens[i : i + w]) for i in range(len(tokens) - w + 1)}
    return sorted({kgram_hash(shingle) // 2 ** (64 - bits) for shingle in distinct})


def resemblance(a: Iterable[int], b: Iterable[int]) -> float:
    return len(set(a) & set(b)) / len(set(a) | set(b))


def containment(a: Iterable[int], b: Iterable[int]) -> float:
    return len(set(a) & set(b)) / len(set(a))


def min_resemblance(a: Sequence[int], b: Sequence[int]) -> float:
    """Return the first value of the theorem, from MIN_s of two sets."""
    s = min(len(a), len(b))
    smallest = set(sorted(set(a) | set(b))[:s])
    return len(smallest & set(a) & set(b)) / len(smallest)


def super_shingles(sketch: Iterable[int], size: int) -> list[int]:
    return sorted(set(kgram_hashes(sorted(set(sketch)), size)))


# ---- features: near-duplicate-features ----


def linear_maps(seed: int, count: int) -> list[tuple[int, int]]:
    words = [split_mix(seed ^ 1, turn + 1) for turn in range(2 * count)]
    return [(words[j] | 1, words[count + j]) for j in range(count)]


def min_wise(values: Iterable[int], count: int, seed: int) -> list[int]:
    mixed = [permute(value, seed, 64) for value in values]
    return [min((factor * value + term) % WORD for value in mixed) for factor, term in linear_maps(seed, count)]


def binned_min_wise(values: Iterable[int], count: int, seed: int) -> list[int]:
    """Return for each slot the smallest (turn, rank) ever placed in it, without stopping early."""
    placed: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for turn, (factor, term) in enumerate(linear_maps(seed, 2 * count)):
        for value in values:
            word = (factor * value + term) % WORD
            word = (word ^ (word >> 29)) * 0xFF51AFD7ED558CCD % WORD
            word = (word ^ (word >> 32)) * 0xC4CEB9FE1A85EC53 % WORD
            high, low = divmod(word, 2**32)
            placed[high * count >> 32 if turn < count else turn - count].append((turn, low << 32 | high))
    return [min(ranks)[1] for ranks in placed]


def feature(group: int, row: Iterable[int]) -> int:
    base = 0xD6E8FEB86659FD93
    value = (group + 1) * base % WORD
    for word in row:
        value = (value ^ word) * base % WORD
        value ^= value >> 32
    return value * base % WORD


def features(values: Iterable[int], k: int, s: int, seed: int) -> list[int]:
    minima = min_wise(values, k * s, seed)
    return [feature(group, minima[group * s : (group + 1) * s]) for group in range(k)]


def acceptance(rho: float, k: int, s: int, r: int) -> float:
    """Return the sum over every set of features that may be shared."""
    chance = rho**s
    shared = [sum(pattern) for pattern in product((0, 1), repeat=k)]
    return sum(chance**n * (1 - chance) ** (k - n) for n in shared if n >= r)


# ---- clusters: syntactic-clustering ----


def components(count: int, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Return for each document the smallest document that it reaches along the pairs."""
    labels = list(range(count))
    for _ in range(count):
        for a, b in pairs:
            labels[a] = labels[b] = min(labels[a], labels[b])
    return labels


def mod_clusters(sketches: Sequence[set[int]], threshold: float, common: int) -> list[int]:
    """Return labels from comparing all distinct sketches, without values in more than `common` of them."""
    count = len(sketches)
    first = [sketches.index(sketch) if sketch else i for i, sketch in enumerate(sketches)]
    distinct = [i for i in range(count) if first[i] == i]
    frequency = {value: sum(value in sketches[i] for i in distinct) for sketch in sketches for value in sketch}
    rare = [{value for value in sketch if frequency[value] <= common} for sketch in sketches]
    similar = [
        (a, b)
        for a in distinct
        for b in distinct
        if rare[a] & rare[b] and len(rare[a] & rare[b]) >= threshold * len(rare[a] | rare[b])
    ]
    return components(count, similar + list(enumerate(first)))


# ---- simhash: simhash-web-crawling ----


def simhash(features: Sequence[int], weights: Sequence[float]) -> int:
    fingerprint = 0
    for bit in range(64):
        component = 0.0
        for feature, weight in zip(features, weights, strict=True):
            component += weight if feature >> bit & 1 else -weight
        fingerprint |= (component > 0) << bit
    return fingerprint


def near(queries: Sequence[int], stored: Sequence[int], distance: int) -> list[tuple[int, int, int]]:
    """Return (query, stored, number of differing bits) of every pair within the distance."""
    bits = [[(a ^ b).bit_count() for b in stored] for a in queries]
    return [(i, j, d) for i, row in enumerate(bits) for j, d in enumerate(row) if d <= distance]


def tables_needed(bits: float, k: int, d: float, threshold: float) -> int:
    """Return X(f, k, d) of the paper, except that d may equal the threshold, as in Example 3.1."""
    if d <= threshold + 1e-9:
        return 1
    return min(
        comb(r, k) * tables_needed(bits * k / r, k, d - (r - k) * bits / r, threshold)
        for r in range(k + 1, max(k + 2, int(bits) + 1))
    )
