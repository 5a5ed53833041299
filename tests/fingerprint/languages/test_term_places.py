"""Places of terms, compared with those that the lexer finds."""

import numpy as np
import pytest

from fingerprint.languages import front_end
from fingerprint.languages.lexical_terms import LexicalTerms, lexical_terms
from fingerprint.languages.term_places import TermPlace, common_terms, term_places, without_terms
from tests.fingerprint.languages.test_every_language import NAMES, program

# Terms of the golden programs that need a lexer: several names in one import, unusual brackets.
NOT_FOUND = {"rust": 1, "perl": 1, "scheme": 1, "common-lisp": 2}


def places(language: str, text: str, wanted: LexicalTerms | None = None) -> list[TermPlace]:
    scan = front_end(language).scan(text)
    return term_places(language, text, scan.tokens, wanted or lexical_terms([scan])[0])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_nearly_every_term_is_found_and_where_the_lexer_finds_it(name: str) -> None:
    text = program(name)
    scan = front_end(name).scan(text)
    term_places = places(name, text)
    missed = {
        term
        for kind, terms in zip(LexicalTerms._fields, lexical_terms([scan])[0].readable, strict=False)
        for term in set(terms.tolist()) - {place.term for place in term_places if place.kind == kind}
    }
    assert len(missed) <= NOT_FOUND.get(name, 0)
    lexed = set(zip(scan.lexical.starts.tolist(), scan.lexical.ends.tolist(), strict=True))
    named = {(place.start, place.end) for place in term_places if place.kind == "names"}
    assert len(named & lexed) >= 0.8 * len(named)


def test_only_wanted_terms_have_places_in_text_order() -> None:
    text = "import os\n\ncount = 12  # count\nprint('twelve', count)\n"
    none = np.empty(0, np.uint64)
    (count,) = lexical_terms([front_end("python").scan("count")])[0].names
    term_places = places("python", text, LexicalTerms(none, np.array([count]), none))
    assert [text[place.start : place.end] for place in term_places] == ["count", "count"]
    assert [text.count("\n", 0, place.start) + 1 for place in term_places] == [3, 4]


def test_common_terms_are_in_both_and_not_handed_out() -> None:
    one, other, handed_out = (
        lexical_terms([front_end("python").scan(text)])[0]
        for text in ("import os\na = 'x y'\nb = 2\n", "import os\nb = 'x y'\nc = 2\n", "b\n")
    )
    common = common_terms([one], [other])
    assert [len(column) for column in common.readable] == [2, 1, 1]
    assert [len(column) for column in without_terms(common, [handed_out]).readable] == [2, 0, 1]
