"""`moss check --preview`: who handed in what, what is left out, and input that is refused."""

import json
import random
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from submissions.intake.limits import Limits
from tests.moss.check.test_check import check, folder, rows
from tests.submissions.intake.layouts.samples import SAMPLES
from tests.support.build_trees import BUILD_TREES, COUNTED, with_build_trees
from tests.support.programs import program
from tests.support.read_classes import ranked, score, scores
from tests.support.sample_class import CLASS, HONEST, STARTER, zipped

SECTIONS = {"A/ada/main.py": STARTER, "A/ben/main.py": HONEST, "B/cleo/main.py": HONEST}


ATTEMPTS = {
    f"{name} - 2026-03-0{day}T12:00:00/main.py": text
    for name, days, text in (("Ada", 3, STARTER), ("Ben", 1, STARTER))
    for day in range(1, days + 1)
}


def preview(path: Path, *options: str | Path) -> dict[str, Any]:
    result = check(path, "--preview", "--format", "json", *options)
    assert result.exit_code == 0, result.output
    parsed: dict[str, Any] = json.loads(result.stdout)
    return parsed


def names(path: Path, *options: str | Path) -> list[str]:
    return [one["name"] for one in preview(path, *options)["submissions"]]


def test_a_preview_of_an_export_has_its_students_and_reads_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moss.check.rank.rank_path", None)
    archive = tmp_path / "export.zip"
    archive.write_bytes(zipped(SAMPLES["moodle"]).read())
    text = check(archive, "--preview").stdout
    assert "7 submissions found, read as a Moodle export; 3 entries do not count." in text
    assert "Next: a folder or file for each student (--layout folders" in text
    assert [line.split()[:4] for line in text.splitlines() if line.startswith("Bruno")] == [
        ["Bruno", "Popescu", "Participant", "1002"]
    ]
    assert "an online text without any text" in text
    assert "Ada Byron (Participant 1001), Ada Byron (Participant 1005)" in " ".join(text.split())


def test_json_has_ids_files_bytes_attempts_and_reasons(tmp_path: Path) -> None:
    previewed = preview(folder(tmp_path, ATTEMPTS))
    assert previewed["layout"]["key"] == "codegrade"
    assert previewed["runner_up"]["key"] == "folders"
    assert previewed["submissions"][0] == {
        "name": "Ada",
        "identifier": "",
        "students": [{"name": "Ada", "identifier": ""}],
        "files": 1,
        "bytes": len(STARTER),
        "attempt": 3,
        "attempts": 3,
        "submitted": datetime(2026, 3, 3, 12).astimezone().isoformat(),
        "late": False,
    }
    assert [(group["reason"], group["entries"]) for group in previewed["ignored"]] == [("an earlier attempt", 2)]


def test_a_preview_of_one_submission_is_no_error(tmp_path: Path) -> None:
    assert names(folder(tmp_path, {"ada/main.py": STARTER})) == ["ada"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--depth", "1"], ["A", "B"]),
        (["--depth", "2"], ["ada", "ben", "cleo"]),
        (["--depth", "0"], ["A-ada-main.py", "A-ben-main.py", "B-cleo-main.py"]),
        (["--depth", "1", "--split", "A"], ["B", "ada", "ben"]),
        (["--depth", "2", "--rename", "ada=Ada Byron", "--rename", "ben = Ada Byron"], ["Ada Byron", "cleo"]),
    ],
)
def test_depth_split_and_rename_change_the_submissions(tmp_path: Path, options: list[str], expected: list[str]) -> None:
    assert names(folder(tmp_path, SECTIONS), *options) == expected


def test_the_due_date_is_a_whole_day_or_a_time(tmp_path: Path) -> None:
    root = folder(tmp_path, ATTEMPTS)
    day = preview(root, "--due", "2026-03-02")["submissions"]
    assert [(one["name"], one["attempt"], one["late"]) for one in day] == [
        ("Ada", 2, False),
        ("Ben", 1, False),
    ]
    time = preview(root, "--due", "2026-03-01T11:00")["submissions"]
    assert [(one["name"], one["attempt"], one["late"]) for one in time] == [
        ("Ada", 3, True),
        ("Ben", 1, True),
    ]


def test_attempts_of_one_student_are_not_compared_with_each_other(tmp_path: Path) -> None:
    root = folder(tmp_path, ATTEMPTS)
    ranked = rows(root, "--attempts", "all", "--all")
    assert {(row.left, row.right) for row in ranked} == {(f"Ada (attempt {number})", "Ben") for number in (1, 2, 3)}
    assert "Pairs not compared because they have one student or team: 3." in check(root, "--attempts", "all").stderr


ROSTER = "\ufeffName;Login;Matriculation number;Team\nAda Byron;ada;007;1\nBen Ode;ben;8;1\nDora Ito;dora;9;\n"


def test_a_roster_names_submissions_and_says_whom_it_does_not_know_and_who_is_absent(tmp_path: Path) -> None:
    root = folder(tmp_path / "class", SECTIONS)
    roster = folder(tmp_path, {"roster.csv": ROSTER}) / "roster.csv"
    previewed = preview(root, "--depth", "2", "--roster", roster)
    assert [(one["name"], one["identifier"]) for one in previewed["submissions"]] == [
        ("Ada Byron", "007"),
        ("Ben Ode", "8"),
        ("cleo", ""),
    ]
    texts = {one["kind"]: one["text"] for one in previewed["warnings"]}
    assert texts["roster-unknown"] == "Students whom the roster does not know (1): cleo."
    assert texts["roster-absent"] == "Students of the roster who handed in nothing (1): Dora Ito."


def test_team_mates_of_a_roster_are_not_compared(tmp_path: Path) -> None:
    roster = folder(tmp_path, {"roster.csv": ROSTER}) / "roster.csv"
    root = folder(tmp_path / "class", CLASS)
    pairs = {(row.left, row.right) for row in rows(root, "--all")}
    assert ("ada", "ben") in pairs
    with_roster = check(root, "--all", "--roster", roster, "--format", "csv")
    assert "Ada Byron,Ben Ode" not in with_roster.stdout
    assert "Ada Byron" in with_roster.stdout
    assert "Pairs not compared because they have one student or team: 1." in with_roster.stderr


def test_a_student_in_two_exports_is_one_submission_by_the_roster(tmp_path: Path) -> None:
    files = {
        "moodle/Ada Byron_1_assignsubmission_file/a.py": STARTER,
        "moodle/ada_2_assignsubmission_file/b.py": HONEST,
        "moodle/Cleo Roy_3_assignsubmission_file/c.py": HONEST,
    }
    roster = folder(tmp_path, {"roster.csv": ROSTER}) / "roster.csv"
    root = folder(tmp_path / "class", files)
    assert names(root, "--roster", roster) == ["Ada Byron", "Cleo Roy"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--due", "tomorrow"], "'tomorrow' is no date; write it as 2026-03-31 or 2026-03-31T23:59."),
        (["--depth", "40"], "The depth is a number from 0 (each file) to 12, not 40."),
        (["--depth", "2", "--layout", "moodle"], "Choose a layout or a depth"),
        (["--rename", "ada"], "'ada' has no equals sign; write OLD=NEW."),
        (["--rename", "ada="], "'' cannot be the name of a submission"),
        (["--format", "csv"], "use --format table or --format json"),
        (["--attempts", "first"], "is not one of 'last', 'all'"),
    ],
)
def test_an_option_that_is_none_is_refused_with_what_to_write(tmp_path: Path, options: list[str], message: str) -> None:
    result = check(folder(tmp_path, SECTIONS), "--preview", *options)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_a_file_that_is_no_roster_is_refused_by_name(tmp_path: Path) -> None:
    root = folder(tmp_path / "class", SECTIONS)
    roster = folder(tmp_path, {"colours.csv": "colour,size\nred,3\n"}) / "colours.csv"
    result = check(root, "--preview", "--roster", roster)
    assert result.exit_code == 1
    assert str(roster) in result.stderr


def test_a_preview_can_be_written_to_a_file(tmp_path: Path) -> None:
    output = tmp_path / "preview.json"
    assert not check(folder(tmp_path / "class", SECTIONS), "--preview", "--format", "json", "-o", output).stdout
    assert len(json.loads(output.read_text())["submissions"]) == 2


def test_names_that_no_submission_has_are_said_with_the_ranking(tmp_path: Path) -> None:
    result = check(folder(tmp_path, CLASS), "--rename", "nobody=Ada")
    assert result.exit_code == 0
    assert "not renamed: nobody." in result.stderr


def honest_class(students: int = 8) -> dict[str, str]:
    random = Random(3)
    return {f"student{n}/{path}": program(random) for n in range(students) for path in ("main.py", "bin/tool.py")}


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


def test_only_files_that_match_a_pattern_are_compared_as_if_there_were_no_others(tmp_path: Path) -> None:
    honest = honest_class(4)
    mixed = folder(
        tmp_path / "mixed", honest | {f"student{n}/lib/same.py": honest["student0/main.py"] for n in range(4)}
    )
    only = check(mixed, "--all", "--format", "csv", "--only", "main.py", "--only", "bin/**")
    assert only.stdout == check(folder(tmp_path / "plain", honest), "--all", "--format", "csv").stdout
    assert "lib/same.py: none of the files to compare, by their patterns" in only.stderr


def test_a_pattern_that_matches_no_file_is_named(tmp_path: Path) -> None:
    root = folder(tmp_path, honest_class(2))
    said = check(root, "--only", "*.py", "--only", "scr/**", "--exclude", "*.jave").stderr
    assert "No file matches these patterns: *.jave, scr/**." in said
    assert "No file matches" not in check(root, "--only", "*.py", "--exclude", "!bin/").stderr
    nothing = check(root, "--only", "scr/**")
    assert nothing.exit_code == 1
    assert "No file matches these patterns: scr/**." in nothing.stderr


@pytest.mark.parametrize(
    ("option", "pattern", "reason"),
    [
        ("--only", "[ab", "'[ab' is no pattern"),
        ("--only", "*a" * 13, "has 13 stars; the limit is 12."),
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


SUGGESTED = 0.5


Text = list[str]


VOCABULARY = """
    harbour tide quay boat level north water evening stone rope captain market window yellow morning bread
    oven flour kilo rye wheat stove spoon warm cloth fox hedge town berry worm badger den autumn april young
    metre hole way
"""


WORDS = VOCABULARY.split()


def sentences(seed: int, count: int = 8) -> Text:
    """Return sentences that have hardly three words in a row in common with those of another seed."""
    chosen = random.Random(seed)
    return [" ".join(chosen.choices(WORDS, k=12)).capitalize() + "." for _ in range(count)]


def page(texts: Text) -> str:
    sections = "".join(
        f'  <section class="part"><h2>{head}</h2>\n    <p>{body}</p></section>\n'
        for head, body in zip(texts[::2], texts[1::2], strict=True)
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1.0">'
        f"<title>{texts[0]}</title></head>\n<body>\n<main>\n{sections}</main>\n</body>\n</html>\n"
    )


def table_page(texts: Text) -> str:
    rows = "".join(f"<tr><td><i>{text}</i><br></td></tr>\n" for text in texts)
    return f'<html><body><div id="top"><table border="1">\n{rows}</table></div></body></html>\n'


def markdown(texts: Text) -> str:
    return "\n\n".join(f"* **{text}**" for text in texts) + "\n"


def xml(texts: Text) -> str:
    rows = "".join(f'  <entry id="{n}"><text>{text}</text></entry>\n' for n, text in enumerate(texts))
    return f'<?xml version="1.0"?>\n<entries>\n{rows}</entries>\n'


def attributes(texts: Text) -> str:
    return "<list>\n" + "".join(f'  <item value="{text}"/>\n' for text in texts) + "</list>\n"


def json_rows(texts: Text) -> str:
    return json.dumps({"entries": [{"title": text, "kind": {"of": text[:5]}} for text in texts]}, indent=2)


def json_list(texts: Text) -> str:
    return json.dumps([{"text": text} for text in texts])


def yaml(texts: Text) -> str:
    return "entries:\n" + "".join(f"  - title: '{text}'\n    more:\n      of: {text[:5]}\n" for text in texts)


def data_values(texts: Text) -> str:
    return "".join(f"value{n}: {text}\n" for n, text in enumerate(texts))


def style(texts: Text) -> str:
    chosen = random.Random(texts[0])
    rules = (
        f".part{n} {{ margin: {chosen.randrange(90)}px {chosen.randrange(90)}px;"
        f" padding: {chosen.randrange(90)}px;"
        f" color: #{chosen.randrange(4096):03x}; width: {chosen.randrange(900)}px; }}\n"
        for n in range(8)
    )
    return "".join(rules)


# The frame, the name of a file in it, and another frame for the same text with its name.
Frame = tuple["Callable[[Text], str]", str]


FRAMES: Sequence[tuple[Frame, Frame]] = [
    ((page, "index.html"), (table_page, "index.html")),
    ((page, "index.html"), (markdown, "index.md")),
    ((page, "index.html"), (xml, "index.xml")),
    ((xml, "data.xml"), (attributes, "data.xml")),
    ((attributes, "data.svg"), (json_list, "data.json")),
    ((json_list, "data.json"), (data_values, "data.yml")),
    ((yaml, "data.yaml"), (json_rows, "data.json")),
    ((page, "page.vue"), (table_page, "page.erb")),
    ((page, "page.cshtml"), (table_page, "page.svelte")),
]


NAMES = [f"{one[0].__name__} {one[1]} {other[0].__name__} {other[1]}" for one, other in FRAMES]


@pytest.mark.long
@pytest.mark.parametrize(("frame", "other"), FRAMES, ids=NAMES)
def test_a_copied_text_in_another_frame_is_above_another_text_in_the_same_frame(
    tmp_path: Path, frame: Frame, other: Frame
) -> None:
    (build, name), (rebuild, other_name) = frame, other
    report = ranked(
        tmp_path,
        {
            f"ada/{name}": build(sentences(1)),
            f"ben/{other_name}": rebuild(sentences(1)),
            f"cleo/{name}": build(sentences(2)),
        },
    )
    assert score(report, "ada", "ben") > SUGGESTED
    assert score(report, "ada", "cleo") < SUGGESTED / 2
    assert score(report, "ben", "cleo") < SUGGESTED / 2


@pytest.mark.long
@pytest.mark.parametrize(
    ("build", "name"),
    [
        *{frame[0].__name__ + frame[1]: frame for pair in FRAMES for frame in pair}.values(),
        (style, "page.css"),
    ],
)
def test_equal_files_are_first_and_frames_alone_below_the_threshold(
    tmp_path: Path, build: Callable[[Text], str], name: str
) -> None:
    seeds = {"ada": 1, "ben": 1, "cleo": 2, "dora": 3}
    report = ranked(tmp_path, {f"{who}/{name}": build(sentences(seed)) for who, seed in seeds.items()})
    similarities = scores(report)
    first = frozenset({"ada", "ben"})
    assert similarities.pop(first) > 0.95
    assert all(similarity < SUGGESTED / 2 for similarity in similarities.values())


SCRIPT = """function total(prices, discount) {
  let sum = 0;
  for (const price of prices) {
    if (price > 10 && !discount) { sum += price * 2; } else { sum -= price; }
  }
  return Math.round(sum / prices.length) + 1;
}
document.querySelector("#out").textContent = total([1, 2, 30], false);
"""


CHUNK = """worst <- function(levels, limit) {
  total <- 0
  for (level in levels) {
    if (level > limit & total < 100) { total <- total + level * 2 } else { total <- total - 1 }
  }
  total / length(levels)
}
print(worst(c(1, 2, 30), 5))
"""


# A program, other names in it, what is around it in a file, and the same with other texts and names of files.
EMBEDDED = [
    (SCRIPT, {"price": "cost", "sum": "amount", "total": "whole"}, "index.html", name, copy)
    for name, copy in (
        ("index.html", "<body><script>CODE</script></body>"),
        ("main.js", "CODE"),
        ("App.vue", "<template><p>{{ sum }}</p></template>\n<script>CODE</script>"),
        ("App.svelte", "<script>CODE</script>\n<p>{sum}</p>"),
    )
] + [
    (CHUNK, {"level": "row", "total": "acc", "worst": "mean_of"}, "report.Rmd", name, copy)
    for name, copy in (
        ("report.Rmd", "---\ntitle: Mine\n---\n\nIt's my own text.\n\n```{r, echo=FALSE}\nCODE```\n"),
        ("report.qmd", "# Mine\n\n```{r}\n#| echo: false\nCODE```\n\nIt is my own text.\n"),
        ("report.R", "CODE"),
    )
]


MEAN = "mean(x)\n"


def embedded(code: str, name: str, seed: int) -> str:
    """Return a document that has code within it, of which the text is that of a seed."""
    if name == "index.html":
        return page(sentences(seed)).replace("</body>", f"<script>{code}</script></body>" if code else "</body>")
    return f"---\ntitle: Tides\n---\n\n{sentences(seed)[0]}\n\n```{{r}}\n{code or MEAN}```\n"


@pytest.mark.parametrize("document", EMBEDDED, ids=[row[3] for row in EMBEDDED])
def test_code_within_a_document_is_compared_as_a_program(tmp_path: Path, document: Any) -> None:
    code, names, name, other, copy = document
    renamed = code
    for old, new in names.items():
        renamed = renamed.replace(old, new)
    files = {f"ada/{name}": embedded(code, name, 1), f"ben/{other}": copy.replace("CODE", renamed)}
    report = ranked(tmp_path, files | {f"cleo/{name}": embedded("", name, 2)})
    longest = {
        frozenset(report.submissions[end] for end in (pair.left, pair.right)): pair.longest for pair in report.pairs()
    }
    assert longest[frozenset({"ada", "ben"})] > 50
    assert score(report, "ada", "ben") > (0.6 if code is CHUNK else 0)
    assert score(report, "ada", "cleo") < 0.2
