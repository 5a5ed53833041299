"""Templates lie in the folder of what they show, and are neither too wide to read nor too small to find."""

import re
from collections import Counter
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEMPLATES = ROOT / "templates"
MAX_CHARACTERS = 120
# A template with fewer lines that one other template includes belongs into that one.
MIN_LINES = 6
INCLUDED = re.compile(r'{% include "([^"]+)"')
NAME = re.compile(r'"([\w/]+\.(?:html|txt))"')


def _templates() -> dict[str, str]:
    """Return the text of every template by its name."""
    files = [path for path in TEMPLATES.rglob("*") if path.is_file()]
    return {str(path.relative_to(TEMPLATES)): path.read_text() for path in files}


def _code() -> list[str]:
    files = chain((ROOT / "moss").rglob("*.py"), (ROOT / "submissions").rglob("*.py"))
    return [path.read_text() for path in files if "sample" not in path.parts]


def test_every_template_of_the_app_is_in_a_folder() -> None:
    flat = [path.name for path in (TEMPLATES / "submissions").iterdir() if path.is_file()]
    assert flat == []


def test_no_line_of_a_template_is_too_wide() -> None:
    wide = {
        f"{name}:{number}": len(line)
        for name, text in _templates().items()
        for number, line in enumerate(text.splitlines(), 1)
        if len(line) > MAX_CHARACTERS
    }
    assert wide == {}


def test_no_explanation_is_in_a_title_which_neither_keys_nor_fingers_reach() -> None:
    assert [name for name, text in _templates().items() if re.search(r"\stitle=\"", text)] == []


def test_a_small_template_that_one_other_includes_is_in_that_one() -> None:
    templates = _templates()
    included = Counter(name for text in templates.values() for name in INCLUDED.findall(text))
    named = Counter(name for text in _code() for name in NAME.findall(text))
    small = [
        name
        for name, times in included.items()
        if times == 1 and not named[name] and len(templates[name].splitlines()) < MIN_LINES
    ]
    assert small == []


def test_no_template_is_left_that_nothing_uses() -> None:
    templates = _templates()
    used = {name for text in (*templates.values(), *_code()) for name in NAME.findall(text)}
    unused = [name for name in templates if name.startswith("submissions/") and name not in used]
    assert unused == []
