"""The promised Python API, and the tables of pairs as other tools write them."""

import csv
import doctest
import json
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

import moss.check
from moss.check import compare
from moss.cli import main
from moss.sample import SAMPLE
from tests.support.paths import ROOT

CLASS = SAMPLE / "submissions"


def test_the_examples_are_right_and_load_no_django() -> None:
    assert doctest.testmod(moss.check).failed == 0
    code = "import sys, moss.check, doctest\ndoctest.testmod(moss.check)\nassert 'django' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_lines_of_passages_hold_the_same_text_in_a_plain_copy(tmp_path: Path) -> None:
    text = (CLASS / "amara-okafor" / "fines.py").read_text()
    for name, before in (("ada", ""), ("ben", "# moved\n\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "fines.py").write_text(before + text)
    result = compare(tmp_path)
    assert result.submissions == ["ada", "ben"]
    [pair] = result.pairs
    for passage in pair.passages:
        here, there = (
            (tmp_path / name / side.file).read_text().splitlines()[side.first_line - 1 : side.last_line]
            for name, side in ((pair.left, passage.left), (pair.right, passage.right))
        )
        assert here == there != []


def test_nothing_to_compare_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least two are needed"):
        compare(tmp_path)


def test_one_path_is_no_list_of_letters_and_no_pairs_are_no_number() -> None:
    starter = next(path for path in CLASS.parent.rglob("*") if path.is_file() and CLASS not in path.parents)
    for one in (starter, str(starter)):
        assert compare(CLASS, boilerplate=one, top=2) == compare(CLASS, boilerplate=[one], top=2)
    with pytest.raises(ValueError, match="top is a number from 1 on"):
        compare(CLASS, top=-1)


def table(form: str) -> list[dict[str, str]]:
    arguments = ["check", str(CLASS), "--format", form, "--show", "5"]
    return list(csv.DictReader(StringIO(CliRunner().invoke(main, arguments).stdout)))


def test_pairs_have_the_columns_of_other_tools() -> None:
    ours, jplag, dolos = table("csv"), table("jplag"), table("dolos")
    names = sorted(path.name for path in CLASS.iterdir())
    assert [(row["left"], row["right"], row["similarity"]) for row in ours] == [
        (row["submissionName1"], row["submissionName2"], row["averageSimilarity"]) for row in jplag
    ]
    assert [float(row["maxSimilarity"]) for row in jplag] == [
        max(float(row["left_share"]), float(row["right_share"])) for row in ours
    ]
    assert [(row["left"], row["right"], row["similarity"], row["longest"]) for row in ours] == [
        (row["leftFilePath"], row["rightFilePath"], row["similarity"], row["longestFragment"]) for row in dolos
    ]
    for row in dolos:
        assert names[int(row["leftFileId"])] == row["leftFilePath"]
        assert names[int(row["rightFileId"])] == row["rightFilePath"]
    assert list(jplag[0]) == ["submissionName1", "submissionName2", "averageSimilarity", "maxSimilarity"]
    assert ",".join(dolos[0]) == (
        "id,leftFileId,leftFilePath,rightFileId,rightFilePath,similarity,totalOverlap,longestFragment,"
        "leftCovered,rightCovered"
    )


@pytest.mark.parametrize("options", [(), ("--earlier", str(CLASS)), ("--common", "2"), ("--language", "text")])
def test_the_json_is_as_the_schema_says(options: tuple[str, ...]) -> None:
    schema = json.loads((ROOT / "docs" / "do" / "pairs.schema.json").read_text())
    arguments = ["check", str(CLASS), "--format", "json", "--show", "20", *options]
    result = CliRunner().invoke(main, arguments)
    Draft202012Validator(schema).validate(json.loads(result.stdout))


def test_the_job_of_the_document_fails_from_its_line_on(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "do" / "python.md").read_text()
    code = page.partition('```python title="compare.py"\n')[2].partition("```")[0]
    assert "compare(" in code
    (tmp_path / "compare.py").write_text(code)
    for source, status in ((CLASS, 1), (tmp_path / "apart", 0)):
        if not status:
            for name, text in (("ada", "print(1)\n"), ("ben", "for i in range(9):\n    print(i * i)\n")):
                (source / name).mkdir(parents=True)
                (source / name / "a.py").write_text(text)
        (tmp_path / "submissions").unlink(missing_ok=True)
        (tmp_path / "submissions").symlink_to(source)
        done = subprocess.run(
            [sys.executable, "compare.py"], cwd=tmp_path, env={"PYTHONPATH": str(ROOT)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, "ngozi-adeyemi" in done.stdout) == (status, bool(status)), done.stderr
