"""List, find and delete corpora, and check that their signatures can be compared with new ones."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Count, Max

from submissions.corpus.models import Corpus, CorpusDocument
from submissions.corpus.reading import current_profile
from submissions.corpus.recipe import RECIPE
from submissions.work.locks import Work, work_lock

if TYPE_CHECKING:
    from collections.abc import Iterator


class CorpusError(ValueError):
    """A corpus cannot be used; the message says why, and what the user can do."""


class CorpusSummary(NamedTuple):
    """A corpus and its size: `texts` distinct texts of `documents` documents in `sweeps` sweeps."""

    name: str
    recipe: str
    sweeps: int
    documents: int
    texts: int


def list_corpora() -> list[CorpusSummary]:
    """Return all corpora with their sizes, by name."""
    corpora = Corpus.objects.annotate(
        sweep_count=Max("sweeps__number"),
        document_count=Count("sweeps__documents", distinct=True),
    )
    return [
        CorpusSummary(
            corpus.name,
            corpus.recipe,
            corpus.sweep_count or 0,
            corpus.document_count,
            corpus.texts.count(),
        )
        for corpus in corpora
    ]


def get_corpus(name: str) -> Corpus:
    """Return a corpus, or raise CorpusError with the names of the existing ones."""
    corpus = Corpus.objects.filter(name=name).first()
    if corpus is None:
        names = ", ".join(Corpus.objects.values_list("name", flat=True)) or "none"
        raise CorpusError(f"no corpus is called {name!r} (there are: {names}); `moss corpus add` creates one")
    return corpus


def get_current_corpus(name: str) -> Corpus:
    """Return a corpus that has documents and was created by this version.

    Raises
    ------
    CorpusError
        When there is no such corpus, it is empty or was created by another version.
    """
    corpus = get_corpus(name)
    if not corpus.texts.exists():
        raise CorpusError(f"corpus {name!r} holds no documents yet; `moss corpus add` adds some")
    check_current(corpus)
    return corpus


def check_current(corpus: Corpus) -> None:
    """Raise CorpusError for a corpus of another recipe, engine or front-end version: nothing would match."""
    rows = corpus.texts.values_list("kind", "language", "profile").distinct()
    outdated = [profile for kind, language, profile in rows if profile != current_profile(kind, language)]
    if corpus.recipe != RECIPE.key:
        outdated.append(corpus.recipe)
    if outdated:
        raise CorpusError(
            f"corpus {corpus.name!r} was created by another version ({', '.join(sorted(outdated))}), and its "
            f"data cannot be compared; `moss corpus drop {corpus.name}` and add its documents again"
        )


@contextmanager
def exclusive_lock(corpus: Corpus) -> Iterator[None]:
    """Let no other process add to a corpus, or have workers cluster it; raise CorpusError when one does."""
    with work_lock(Work.CORPUS, corpus.pk) as mine:
        if not mine:
            raise CorpusError(
                f"another process is adding to corpus {corpus.name!r} or clustering it; "
                "wait until it has ended"
            )
        yield


def drop_corpus(name: str) -> None:
    """Delete a corpus and everything in it, or raise CorpusError when there is none of this name."""
    corpus = get_corpus(name)
    # Delete the documents first: the cascade would look for them once per text.
    CorpusDocument.objects.filter(sweep__corpus=corpus).delete()
    corpus.delete()
