"""Every front-end reads what the compiler of its language reads: no construct changes other code."""

from pathlib import Path

import pytest

from fingerprint.languages import choices
from tests.fingerprint.languages.construct_tables import (
    PATHS,
    SECTIONS,
    kinds_of_others,
    lost_functions,
    markdown_table,
    misread,
    table,
)
from tests.support.golden import Golden

DOCUMENT = Path(__file__).parents[3] / "docs" / "work" / "languages.md"
KINDS = Path(__file__).parent / "conformance" / "others.kinds"
# What is shown of a Scratch project is written by its front-end, and has the forms that that writes.
WITHOUT_CODE = {"text", "notebook", "scratch"}

each_language = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def test_every_language_has_a_table_of_constructs() -> None:
    assert {name for name, _ in choices()} - WITHOUT_CODE <= {path.stem for path in PATHS}


@each_language
def test_a_table_has_literals_comments_other_constructs_and_what_is_unclosed(path: Path) -> None:
    constructs = table(path).constructs
    assert all(constructs[name] for name in ("literals", "comments", "others"))
    assert constructs["unclosed"] or constructs["limits"]
    assert len(constructs["literals"]) > 2


@pytest.mark.slow
@each_language
@pytest.mark.parametrize("section", SECTIONS)
def test_a_construct_is_read_as_it_is_meant_and_changes_no_function_around_it(
    path: Path, section: str
) -> None:
    assert list(misread(table(path), section)) == []


@each_language
def test_a_known_limit_is_one_still(path: Path) -> None:
    of = table(path)
    assert [
        construct for construct in of.constructs["limits"] if not list(lost_functions(of, construct))
    ] == []


def test_the_code_of_each_construct_is_read_as_before(golden: Golden) -> None:
    golden(KINDS, kinds_of_others())


def test_the_documents_list_what_is_checked_and_every_known_limit(golden: Golden) -> None:
    heading = "## What is checked\n\n"
    introduction, _, _ = DOCUMENT.read_text(encoding="utf-8").partition(heading)
    golden(DOCUMENT, introduction + heading + markdown_table())
