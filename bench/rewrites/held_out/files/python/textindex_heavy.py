"""Concordance: words and the lines they appear on."""

import sys
from bisect import bisect_left

IGNORED = frozenset("the a an and or of to in is".split())


def normalise(raw):
    return "".join(filter(str.isalnum, raw.lower()))


def indexable(text):
    for raw in text.split():
        term = normalise(raw)
        if len(term) >= 2 and term not in IGNORED:
            yield term


def build(lines):
    """Return sorted terms and the list of line numbers of each."""
    terms, places = [], []
    for number, text in enumerate(lines, start=1):
        for term in indexable(text):
            at = bisect_left(terms, term)
            if at == len(terms) or terms[at] != term:
                terms.insert(at, term)
                places.insert(at, [number])
            elif places[at][-1] != number:
                places[at].append(number)
    return terms, places


def lookup(terms, places, raw):
    term = normalise(raw)
    at = bisect_left(terms, term)
    return places[at] if at < len(terms) and terms[at] == term else []


def interactive(terms, places):
    while request := input("Term: "):
        print(f"{request}: {lookup(terms, places, request)}")


if __name__ == "__main__":
    with open(sys.argv[1]) as source:
        content = source.readlines()
    vocabulary, occurrences = build(content)
    for entry, numbers in zip(vocabulary, occurrences):
        print(f"{entry:<20} {', '.join(map(str, numbers))}")
    print(f"{len(vocabulary)} terms in {len(content)} lines")
    interactive(vocabulary, occurrences)
