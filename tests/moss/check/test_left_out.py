"""The files that `moss check` compares of those it is given: patterns, build trees, limits."""

from pathlib import Path
from random import Random

import pytest

from submissions.intake.limits import Limits
from tests.moss.check.test_check import check, folder, rows
from tests.support.build_trees import BUILD_TREES, COUNTED, with_build_trees
from tests.support.programs import program
from tests.support.sample_class import zipped


def honest_class(students: int = 8) -> dict[str, str]:
    random = Random(3)
    return {
        f"student{n}/{path}": program(random) for n in range(students) for path in ("main.py", "bin/tool.py")
    }


@pytest.mark.long
def test_honest_pairs_score_with_every_build_tree_as_without_them(tmp_path: Path) -> None:
    honest = honest_class()
    plain = folder(
        tmp_path / "plain",
        honest | {f"student{n}/{name}": BUILD_TREES[name] for n in range(8) for name in COUNTED},
    )
    with_trees = folder(tmp_path / "trees", with_build_trees(honest))
    assert rows(with_trees, "--all") == rows(plain, "--all") != []
    counted = rows(with_trees, "--all", "--include", "*")
    assert max(row.similarity for row in rows(plain, "--all")) < 0.3 < min(row.similarity for row in counted)


def test_what_is_left_out_is_listed_with_its_reason(tmp_path: Path) -> None:
    listed = check(folder(tmp_path, with_build_trees(honest_class(2))), "-v").stderr
    assert "skipped student0/target/: build output of Maven, sbt or Cargo" in listed
    assert "skipped student1/node_modules/: downloaded packages" in listed
    assert "skipped student1/env/: a Python environment" in listed
    assert "bin/tool.py" not in listed


def test_an_excluded_pattern_is_left_out_and_an_included_one_counts(tmp_path: Path) -> None:
    root = folder(tmp_path, with_build_trees(honest_class(2)))
    excluded = check(root, "-v", "--exclude", "/bin/", "--exclude", "*.xml")
    assert "skipped student0/bin/tool.py: left out by an exclude pattern" in excluded.stderr
    included = check(root, "-v", "--include", "*.min.js", "--include", "@environment")
    assert "app.min.js:" not in included.stderr
    assert "student0/env/:" not in included.stderr
    assert "site-packages" in included.stderr


@pytest.mark.parametrize(
    ("option", "pattern", "reason"),
    [
        ("--include", "@maven", "There is no rule @maven. The rules are @"),
        ("--exclude", "!", "'!' is no pattern"),
        ("--exclude", "*a" * 13, "has 13 stars; the limit is 12."),
    ],
)
def test_a_pattern_that_is_none_is_refused(tmp_path: Path, option: str, pattern: str, reason: str) -> None:
    result = check(folder(tmp_path, honest_class(2)), option, pattern)
    assert result.exit_code == 1
    assert reason in result.stderr


@pytest.fixture
def few_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moss.check.inputs.DEFAULT_LIMITS", Limits(entries=20))


@pytest.mark.usefixtures("few_entries")
def test_a_folder_of_more_files_than_an_upload_may_have_is_compared_whole(tmp_path: Path) -> None:
    honest = honest_class(2)
    many = {f"student0/{n}.txt": "" for n in range(21)}
    root = folder(tmp_path, honest | many | {"student9/main.py": honest["student1/main.py"]})
    assert ("student1", "student9") in {(row.left, row.right) for row in rows(root)}


@pytest.mark.usefixtures("few_entries")
def test_a_part_of_an_archive_is_only_compared_when_asked_for(tmp_path: Path) -> None:
    archive = tmp_path / "class.zip"
    archive.write_bytes(zipped(honest_class(2) | {f"student2/{n}.txt": "" for n in range(20)}).read())
    refused = check(archive)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "more than 20 entries; the rest was not read. Nothing was compared" in refused.stderr
    assert rows(archive, "--partial", "--all")
