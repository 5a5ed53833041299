"""Vocabulary report for a document."""

import sys
from collections import Counter

TRIMMED = ".,;:!?\"'()[]-"


def tokens(filename):
    with open(filename, encoding="utf-8") as document:
        candidates = document.read().split()
    cleaned = (candidate.strip(TRIMMED).lower() for candidate in candidates)
    return [token for token in cleaned if token]


def same_letters(vocabulary):
    families = {}
    for token in vocabulary:
        families.setdefault("".join(sorted(token)), []).append(token)
    return sorted(sorted(family) for family in families.values() if len(family) >= 2)


def mean_size(all_tokens):
    if all_tokens:
        return sum(map(len, all_tokens)) / len(all_tokens)
    return 0


def ranked(vocabulary, top):
    return sorted(vocabulary.items(), key=lambda item: (-item[1], item[0]))[:top]


def chart(all_tokens):
    sizes = Counter()
    for token in all_tokens:
        sizes[len(token)] += 1
    peak = max(sizes.values())
    for size, frequency in sorted(sizes.items()):
        print(f"{size:3} {frequency:5} {'#' * (frequency * 40 // peak)}")


def report(filename):
    all_tokens = tokens(filename)
    vocabulary = Counter(all_tokens)
    print(f"{len(all_tokens)} tokens, {len(vocabulary)} distinct, mean size {mean_size(all_tokens):.2f}")
    for token, frequency in ranked(vocabulary, 10):
        print(f"{token:<15} {frequency}")
    for family in same_letters(vocabulary):
        print("Same letters: " + ", ".join(family))
    chart(all_tokens)


if __name__ == "__main__":
    report(sys.argv[1])
