"""The translations of the pages: complete, with the placeholders and the markup of the English texts."""

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from django.conf import settings
from polib import POEntry

from tests.support.paths import ROOT
from tests.support.translations import LANGUAGES, LOCALES, catalogue, marked_texts, text_of_entry

PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%%|\{\w*\}")
TAG = re.compile(r"</?[a-z][^>]*>")
AGAIN = "run `make messages` and translate what is new"


def pairs(entry: POEntry) -> Iterator[tuple[str, str]]:
    """Yield each form of an entry with its translation."""
    if not entry.msgid_plural:
        yield entry.msgid, entry.msgstr
        return
    for number, translated in entry.msgstr_plural.items():
        yield (entry.msgid if number == 0 else entry.msgid_plural), translated


def test_each_language_of_the_settings_has_a_catalogue() -> None:
    assert [*LANGUAGES, "en"] == sorted([*dict(settings.LANGUAGES)], key=lambda name: (name == "en", name))
    assert [*settings.LOCALE_PATHS] == [LOCALES]


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_marked_text_is_in_the_catalogue_and_no_other(language: str) -> None:
    stored = {text_of_entry(entry) for entry in catalogue(language) if not entry.obsolete}
    marked = marked_texts()
    assert stored == marked, f"{AGAIN}: {stored ^ marked}"
    assert len(catalogue(language)) == len(stored)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_translated_and_none_is_guessed(language: str) -> None:
    entries = catalogue(language)
    assert [entry.msgid for entry in entries if entry.fuzzy or not entry.translated()] == []
    forms = {len(entry.msgstr_plural) for entry in entries if entry.msgid_plural}
    assert forms == {2}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_has_the_placeholders_and_the_elements_of_its_text(language: str) -> None:
    for entry in catalogue(language):
        for text, translated in pairs(entry):
            for pattern in (PLACEHOLDER, TAG):
                expected, actual = Counter(pattern.findall(text)), Counter(pattern.findall(translated))
                assert actual == expected, (text, translated)
            assert _is_balanced(translated), translated
            assert (text[:1].isspace(), text[-1:].isspace()) == (
                translated[:1].isspace(),
                translated[-1:].isspace(),
            )


def _is_balanced(text: str) -> bool:
    """Return whether each element of a text ends, those inside first."""
    opened: list[str] = []
    for tag in TAG.findall(text):
        name = re.sub(r"\W.*", "", tag.lstrip("</"))
        if not tag.startswith("</"):
            opened.append(name)
        elif not opened or opened.pop() != name:
            return False
    return not opened


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_compiled_catalogue_is_that_of_the_texts(language: str) -> None:
    def content(suffix: str) -> dict[object, object]:
        return {text_of_entry(entry): entry.msgstr_plural or entry.msgstr for entry in catalogue(language, suffix)}

    assert content("mo") == content("po"), AGAIN


def test_texts_are_marked_by_names_that_are_collected() -> None:
    """GNU gettext knows `_` and the names of Django's functions, and no other name of them."""
    renamed = re.compile(r"^from django\.utils\.translation import .*\bas (?!_\b)\w+", re.MULTILINE)
    sources = (path for package in ("moss", "submissions") for path in (ROOT / package).rglob("*.py"))
    ours = (path for path in sources if "sample" not in path.parts)
    assert [str(path) for path in ours if renamed.search(path.read_text())] == []
