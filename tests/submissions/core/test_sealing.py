"""A sealed text says nothing without the key, and is read with a former key that the settings still name."""

import pytest
from hypothesis import given, strategies as some
from pytest_django.fixtures import Settings

from fingerprint.engine import storable
from submissions.core.database import OtherKey, SealedTextField, opened, opened_or_empty, seal


@given(some.text(some.characters(exclude_categories=["Cs"])))
def test_what_was_sealed_is_opened_again_and_says_nothing(text: str) -> None:
    assert opened(seal(text)) == storable(text)
    assert seal(text) != seal(text)
    assert seal(text).isascii()


def test_a_former_key_opens_and_another_one_does_not(settings: Settings) -> None:
    sealed, former = seal("a secret"), settings.SECRET_KEY
    settings.SECRET_KEY = "a new key"
    with pytest.raises(OtherKey):
        opened(sealed)
    assert opened_or_empty(sealed) == ""
    settings.SECRET_KEY_FALLBACKS = [former]
    assert opened(sealed) == "a secret"
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = former, []
    with pytest.raises(OtherKey):
        opened(sealed[:-8] + "AAAAAAA=")


def test_migrations_see_a_plain_column() -> None:
    assert SealedTextField().deconstruct()[1] == "django.db.models.TextField"
