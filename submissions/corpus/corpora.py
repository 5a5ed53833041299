"""Which corpora there are, and whether what they hold can be compared with what is made now."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Count, Max

from submissions.corpus.models import Corpus, CorpusDocument
from submissions.corpus.reading import profile_of
from submissions.corpus.recipe import RECIPE


class CorpusError(ValueError):
    """What is wrong with a corpus, and what to do; for whoever typed the command."""


class Listed(NamedTuple):
    """One corpus: `texts` distinct contents of `documents` documents in `sweeps` sweeps."""

    name: str
    recipe: str
    sweeps: int
    documents: int
    texts: int


def listed() -> list[Listed]:
    """Every corpus with its size, by name."""
    corpora = Corpus.objects.annotate(
        sweep_count=Max("sweeps__number"),
        document_count=Count("sweeps__documents", distinct=True),
    )
    return [Listed(c.name, c.recipe, c.sweep_count or 0, c.document_count, c.texts.count()) for c in corpora]


def named(name: str) -> Corpus:
    """Find a corpus; raises CorpusError with the names there are."""
    corpus = Corpus.objects.filter(name=name).first()
    if corpus is None:
        known = ", ".join(Corpus.objects.values_list("name", flat=True)) or "none"
        raise CorpusError(f"no corpus is called {name!r} (there are: {known}); `moss corpus add` makes one")
    return corpus


def ready(name: str) -> Corpus:
    """Find a corpus that can be asked: with documents, made as this version makes them.

    Raises
    ------
    CorpusError
        When there is none of that name, it is empty or was made by another version.
    """
    corpus = named(name)
    if not corpus.texts.exists():
        raise CorpusError(f"corpus {name!r} holds no document yet; `moss corpus add` adds some")
    check_current(corpus)
    return corpus


def check_current(corpus: Corpus) -> None:
    """Refuse a corpus of another recipe, engine or front-end version: nothing would match it."""
    made = corpus.texts.values_list("kind", "language", "profile").distinct()
    old = [profile for kind, language, profile in made if profile != profile_of(kind, language)]
    if corpus.recipe != RECIPE.key:
        old.append(corpus.recipe)
    if old:
        raise CorpusError(
            f"corpus {corpus.name!r} was made by another version ({', '.join(sorted(old))}), and only equals "
            f"are compared; `moss corpus drop {corpus.name}` and add its documents again"
        )


def drop(name: str) -> None:
    """Delete a corpus with all that is in it; raises CorpusError when there is none."""
    corpus = named(name)
    # Documents go first: they are many, and they would be looked for once a text.
    CorpusDocument.objects.filter(sweep__corpus=corpus).delete()
    corpus.delete()
