"""The catalogues of the pages' texts, and the texts that the sources mark; reads both without GNU gettext."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import polib
from django.utils.translation.template import templatize

from moss.management.commands.makemessages import ROWS
from tests.support.paths import ROOT

LOCALES = ROOT / "moss" / "locale"
LANGUAGES = sorted(path.name for path in LOCALES.iterdir())
WITH_CONTEXT = {"pgettext", "npgettext"}
WITH_PLURAL = {"ngettext", "ngettext_lazy", "npgettext"}
FUNCTIONS = {"_", "gettext", "gettext_lazy", "gettext_noop", *WITH_CONTEXT, *WITH_PLURAL, *ROWS}
STRING = r"u?('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
# What `templatize` makes of the tags of a template.
MARKED = re.compile(rf"\b(_|gettext|ngettext|pgettext|npgettext)\({STRING}(?:, ?{STRING})?(?:, ?{STRING})?", re.DOTALL)


class Text(NamedTuple):
    """A marked text; `context` and `plural` are empty where it has none."""

    context: str
    text: str
    plural: str


@cache
def catalogue(language: str, suffix: str = "po") -> list[polib.POEntry]:
    """Return the entries of a language, from its `po` or its compiled `mo`."""
    path = str(LOCALES / language / "LC_MESSAGES" / f"django.{suffix}")
    return list(polib.pofile(path) if suffix == "po" else polib.mofile(path))


def text_of_entry(entry: polib.POEntry) -> Text:
    return Text(entry.msgctxt or "", entry.msgid, entry.msgid_plural or "")


@cache
def marked_texts() -> set[Text]:
    """Return every text that is marked in the templates and in the Python sources."""
    python = (path for package in ("moss", "submissions", "fingerprint") for path in (ROOT / package).rglob("*.py"))
    texts = {text for path in python if "sample" not in path.parts for text in texts_of(path)}
    return texts | {text for path in (ROOT / "templates").rglob("*.*") for text in texts_of(path)}


def texts_of(path: Path) -> Iterator[Text]:
    """Return the texts that are marked in a module or a template."""
    return _in_python(path) if path.suffix == ".py" else _in_template(path)


def _in_python(path: Path) -> Iterator[Text]:
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS:
            continue
        values = [one.value for one in node.args if isinstance(one, ast.Constant)]
        if strings := [value for value in values if isinstance(value, str)]:
            yield _text(node.func.id, strings)


def _in_template(path: Path) -> Iterator[Text]:
    for match in MARKED.finditer(templatize(path.read_text())):
        function, *literals = match.groups()
        yield _text(function, [ast.literal_eval(one) for one in literals if one])


def _text(function: str, strings: list[str]) -> Text:
    if function in ROWS:
        return Text("", strings[1], "")
    context, *forms = strings if function in WITH_CONTEXT else ["", *strings]
    return Text(context, forms[0], forms[1] if function in WITH_PLURAL else "")
