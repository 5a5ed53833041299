"""Check that what the statement of a task dictates is no evidence of a pair, by the texts themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from fingerprint.engine import LexicalTerms, decode, front_end, term_places
from submissions.intake.packed_readings import unpack_lexical, unpack_tokens
from submissions.models import Boilerplate, Document, SubmissionFile
from tests.support.checking.facts import Facts, is_of_class, title

# A string is dictated if so much of its words is in the statement, and shorter Latin words do not count.
PART_OF_WORDS, SHORTEST = 0.8, 3
ESCAPES = re.compile(r"\\.|\{[^{}]*\}")
NUMBER = re.compile(r"(?:0|[1-9]\d*)(?:\.\d+)?")
# What begins a macro definition, which is compared as a whole.
DIRECTIVES = "#", "`"
TOLERANCE = 1e-9
# Terms that add to each kind of evidence, by their kind.
KINDS = {"literals": "literals", "names": "names", "uses": "names"}


class Statement(NamedTuple):
    """The text of the statements of a task, its words and its numbers."""

    text: str
    words: set[str]
    numbers: set[float]

    @classmethod
    def of(cls, text: str) -> Statement:
        """Return a statement with this text."""
        pieces = (piece.strip(".") for piece in re.split(r"[^\w.]+", re.sub(r"(?<=\d),(?=\d{3})", "", text)))
        numbers = {float(piece) for piece in pieces if NUMBER.fullmatch(piece)}
        return cls(text, words_of(text) | words_of(ESCAPES.sub(" ", text)), numbers)

    def dictates(self, kind: str, lexeme: str) -> bool:
        """Return whether the statement has a name, a number or most words of a string."""
        if kind == "names":
            return self._has_name(lexeme)
        if NUMBER.fullmatch(lexeme):
            return float(lexeme) in self.numbers
        if lexeme.startswith(DIRECTIVES):
            return False
        words = words_of(ESCAPES.sub(" ", lexeme))
        return bool(words) and len(words & self.words) >= PART_OF_WORDS * len(words)

    def _has_name(self, name: str) -> bool:
        """Return whether the text has a name that is no part of a longer one."""
        inside = "_-" if "-" in name else "_"
        at = self.text.find(name)
        while at >= 0:
            beside = self.text[at - 1 : at] + self.text[at + len(name) : at + len(name) + 1]
            if not any(one.isalnum() or one in inside for one in beside):
                return True
            at = self.text.find(name, at + 1)
        return False


def words_of(text: str) -> set[str]:
    """Return the distinct words of a text that are not too short, as prose is compared."""
    words = {word for _, _, word in front_end("text").named_tokens(text)}
    return {word for word in words if len(word) >= SHORTEST or not word.isascii()}


def dictated(facts: Facts) -> Iterator[str]:
    """Check that pairs with literals or names as evidence share some that no statement dictates."""
    rows = facts.report.assignment.boilerplate.filter(
        statement=True, document__state=Document.State.READY, created__lt=facts.report.created
    )
    texts = [decode(bytes(row.source.data)).text for row in rows.select_related("source")]
    if not texts:
        return
    statement, handed_out = Statement.of("\n".join(texts)), _handed_out(facts)
    terms = {pk: _terms_of(facts.ready_files(pk), statement) for pk in facts.submissions}
    for pair in facts.pairs:
        if pair.translated or not (is_of_class(pair.left) and is_of_class(pair.right)):
            continue  # compared by other terms
        shared = (terms[pair.left_id] & terms[pair.right_id]) - handed_out
        for kind, part in (("literals", pair.literals), ("names", pair.names)):
            if part > TOLERANCE and not any(kind == KINDS[of] for of, _ in shared):
                yield f"{title(pair)}: {part:.6f} by {kind}, and the statement dictates all that both have"


def _handed_out(facts: Facts) -> set[tuple[str, int]]:
    """Return the terms of the files that are boilerplate."""
    rows = Boilerplate.objects.filter(assignment=facts.report.assignment, first=None, statement=False)
    return {term for row in rows.select_related("document") for term in _stored(row.document)}


def _stored(document: Document) -> set[tuple[str, int]]:
    lexical = unpack_lexical(bytes(document.lexical))
    return {(kind, term) for kind in KINDS for term in getattr(lexical, kind).tolist()}


def _terms_of(files: Iterable[SubmissionFile], statement: Statement) -> set[tuple[str, int]]:
    """Return the terms of files that the statement does not dictate."""
    terms: set[tuple[str, int]] = set()
    for file in files:
        terms |= _stored(file.document)
        lexical = unpack_lexical(bytes(file.document.lexical))
        terms -= set(_dictated_in(file, lexical, statement))
    return terms


def _dictated_in(file: SubmissionFile, lexical: LexicalTerms, statement: Statement) -> Iterator[tuple[str, int]]:
    language = file.document.language
    text = front_end(language).text(decode(bytes(file.source.data)).text)
    tokens = unpack_tokens(bytes(file.document.tokens))
    for place in term_places(language, text, tokens, lexical):
        if place.kind in KINDS and statement.dictates(place.kind, text[place.start : place.end]):
            yield place.kind, place.term
