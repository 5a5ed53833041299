"""Grouping of an upload: by its tree and by an instructor's choices, and the preview of it."""

import io
import json
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st

from submissions.intake.choices import BadChoices, Choices
from submissions.intake.entries import Entry
from submissions.intake.grouping import ListingBuilder, group_submissions
from submissions.intake.left_out.listing import Listing, described
from submissions.intake.left_out.patterns import FilePatterns
from submissions.intake.limits import format_size
from submissions.intake.preview import Preview, preview_upload
from submissions.intake.unpacking import unpack
from submissions.matches import groups as teams
from submissions.matches.groups import BadTeams
from tests.submissions.intake.layouts.plain_samples import CODE
from tests.submissions.intake.layouts.samples import SAMPLES
from tests.support.archives import zipped


def grouped(*paths: str) -> dict[str, list[str]]:
    _, groups = group_submissions(Entry(path, 1, data=b"x") for path in paths)
    return {name: [entry.name for entry in entries] for name, entries in groups.items()}


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["bob.py", "alice.py"], {"alice.py": ["alice.py"], "bob.py": ["bob.py"]}),
        (["alice/a.py", "bob/b.py"], {"alice": ["a.py"], "bob": ["b.py"]}),
        (["class/alice/a.py", "class/bob/b.py"], {"alice": ["a.py"], "bob": ["b.py"]}),
        (["class/alice.py", "class/bob.py"], {"alice.py": ["alice.py"], "bob.py": ["bob.py"]}),
        (["a/b/alice/a.py", "a/b/bob.py"], {"alice": ["a.py"], "bob.py": ["bob.py"]}),
        (["alice/src/A.java", "alice/README.md"], {"alice": ["README.md", "src/A.java"]}),
        (["x/alice/Makefile", "x/alice/a.c"], {"x": ["alice/Makefile", "alice/a.c"]}),
        (["a/b/c.py"], {"a": ["b/c.py"]}),
        (["alice.py"], {"alice.py": ["alice.py"]}),
        (["a", "a/a"], {"a": ["a"], "a (file)": ["a"]}),
        (["a", "a/x", "a (file)"], {"a": ["x"], "a (file 2)": ["a"], "a (file)": ["a (file)"]}),
        (["a", "a/x", "a (file)/a"], {"a": ["x"], "a (file 2)": ["a"], "a (file)": ["a"]}),
        ([], {}),
    ],
)
def test_entries_side_by_side_are_submissions(paths: list[str], expected: dict[str, list[str]]) -> None:
    assert grouped(*paths) == expected


def test_refused_entries_take_no_part_in_grouping_and_no_name_is_longer_than_a_path() -> None:
    read = [Entry(f"class/{name}/x.py", 1, data=b"x") for name in "ab"]
    _, groups = group_submissions([*read, Entry("__MACOSX/", 0, "left by macOS")])
    assert list(groups) == ["a", "b"]
    longest = "a" * 400
    assert grouped(longest, f"{longest}/b") == {longest: ["b"], f"{'a' * 393} (file)": [longest]}


paths = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join)


@given(st.lists(paths, unique=True, max_size=12))
def test_no_two_files_of_a_submission_share_a_path(file_paths: list[str]) -> None:
    _, groups = group_submissions(Entry(path, 1, data=b"x") for path in file_paths)
    placed = [(name, entry.name) for name, group in groups.items() for entry in group]
    assert len(set(placed)) == len(placed) == len(file_paths)


CHOICES = Choices("moodle", None, "all", datetime(2026, 3, 1, 23, 59, tzinfo=UTC), frozenset({"Section A"}),
                  {"submission_77": "Ada Byron", "ada": "Ada Byron"})  # fmt: skip


def test_choices_come_back_from_json_as_they_were() -> None:
    for choices in (CHOICES, Choices(), Choices(depth=0)):
        assert Choices.from_json(json.loads(json.dumps(choices.to_json()))) == choices
    assert Choices().to_json() == {}


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        ({"layout": "mooodle"}, "There is no layout 'mooodle'. Choose one of: moodle, "),
        ({"layout": 3}, "'layout' has to be a text, not 3"),
        ({"depth": -1}, "from 0 \\(each file\\) to 12, not -1"),
        ({"depth": "2"}, "'depth' has to be a number or null, not '2'"),
        ({"depth": True}, "'depth' has to be a number"),
        ({"depth": 2, "layout": "moodle"}, "Choose a layout or a depth"),
        ({"attempts": "first"}, "are last or all"),
        ({"due": "yesterday"}, "has to be a time of ISO 8601, not 'yesterday'"),
        ({"due": "2026-03-01T12:00"}, "needs a time zone"),
        ({"split": "Section A"}, "'split' has to be a list of names"),
        ({"split": [1]}, "'split' has to be a text"),
        ({"renames": ["a", "b"]}, "'renames' has to be an object"),
        ({"renames": {"a": ""}}, "'' cannot be the name"),
        ({"renames": {"a": "b/c"}}, "'b/c' cannot be the name"),
        ({"renames": {"a": "b\x00"}}, "cannot be the name"),
        ({"renames": {"a": "b" * 401}}, "at most 400 characters"),
        ({"renames": {str(n): "a" for n in range(20_001)}}, "At most 20,000 submissions"),
        ({"depht": 1}, "no choice 'depht'"),
        ([], "a JSON object"),
    ],
)
def test_a_value_that_is_no_choice_is_refused_by_name(stored: object, message: str) -> None:
    with pytest.raises(BadChoices, match=message):
        Choices.from_json(stored)


PATTERNS = FilePatterns()


DO_NOT_EDIT = "// Code generated by a tool. DO NOT EDIT.\nint x;\n"


def preview(files: Mapping[str, str | bytes], choices: Choices | None = None, **more: bytes) -> Preview:
    """Return the preview of a zip of some files."""
    contents = {path: data if isinstance(data, bytes) else data.encode() for path, data in files.items()}
    names, left_out, refused = ListingBuilder("upload"), Listing(PATTERNS), []
    for entry in unpack("upload.zip", io.BytesIO(zipped(contents | more)), patterns=PATTERNS):
        left_out.add(described(entry, PATTERNS))
        names.add(entry)
        if entry.reason:
            refused.append(Entry(entry.name, entry.size, entry.reason))
    return preview_upload(names.listing(), left_out, refused, choices or Choices())


def warning(previewed: Preview, kind: str) -> str:
    return " ".join(one.text for one in previewed.warnings if one.kind == kind)


def moodle(name: str, number: int, path: str, kind: str = "file") -> str:
    return f"{name}_{number}_assignsubmission_{kind}/{path}"


def test_a_preview_has_the_files_and_bytes_of_each_student_and_who_she_is() -> None:
    previewed = preview(SAMPLES["gradescope"])
    rows = {one.name: (one.grouped.identifier, one.files, one.size) for one in previewed.submissions}
    assert rows["Ada Byron, Bruno Popeșcu"] == ("20261234, bpopescu@example.edu", 2, 2 * len(CODE))
    assert previewed.summary == "3 submissions found, read as a Gradescope export; 1 entry does not count"


def test_the_layout_is_named_with_its_score_and_the_runner_up() -> None:
    previewed = preview(SAMPLES["moodle"])
    assert previewed.grouping.layout.key == "moodle"
    assert 0.8 < previewed.score <= 1
    assert previewed.runner_up
    assert (previewed.runner_up.layout.key, previewed.runner_up.score) == ("folders", 0.2)
    chosen = preview(SAMPLES["moodle"], Choices("folders"))
    assert (chosen.grouping.layout.key, chosen.score) == ("folders", 0.2)
    assert chosen.runner_up
    assert chosen.runner_up.layout.key == "moodle"


def test_what_does_not_count_is_grouped_by_reason_with_counts_and_examples() -> None:
    files = {f"student{n}/{path}": text for n in range(5) for path, text in {
        "main.py": CODE, "made.c": DO_NOT_EDIT, "node_modules/left/index.js": CODE, "empty.py": "",
    }.items()}  # fmt: skip
    previewed = preview(files)
    left_out = {group.reason: group for group in previewed.left_out}
    refused = {group.reason: group for group in previewed.refused}
    (generated,) = left_out.values()
    assert (generated.entries, generated.size) == (5, 5 * len(DO_NOT_EDIT))
    assert generated.examples == ("student0/made.c", "student1/made.c", "student2/made.c")
    assert {reason: group.entries for reason, group in refused.items()} == {
        "empty": 5,
        "downloaded packages": 5,
    }
    assert [one.files for one in previewed.submissions] == [1] * 5
    assert previewed.summary.endswith("; 15 entries do not count")


def test_attempts_of_several_students_have_one_reason_that_names_nobody() -> None:
    files = {f"{name} - 2026-03-0{day}T12:00:00/a.py": CODE for name in ("Ada", "Ben") for day in (1, 2)}
    (group,) = preview(files).ignored
    assert (group.reason, group.entries) == ("an earlier attempt", 2)


def test_students_without_anything_to_compare_are_named() -> None:
    previewed = preview({
        moodle("Ada Byron", 1, "Main.java"): CODE,
        moodle("Ben Ode", 2, "Main.java"): "",
        moodle("Cleo Roy", 3, "onlinetext.html", "onlinetext"): "<p></p>",
        moodle("Dora Ito", 4, "Main.class"): CODE,
        moodle("Emil Ray", 5, "node_modules/left/index.js"): CODE,
        moodle("Fay Lund", 6, "index.min.js"): CODE,
        "__MACOSX/x": CODE,
        ".DS_Store": CODE,
    })  # fmt: skip
    assert [one.name for one in previewed.submissions] == ["Ada Byron"]
    assert "Ben Ode, Cleo Roy, Dora Ito, Emil Ray, Fay Lund." in warning(previewed, "no-code")


def test_students_with_only_refused_files_or_without_a_program_are_named_and_junk_is_not() -> None:
    files = {
        "class/ada/a.py": CODE,
        "class/ben/b.py": CODE,
        "class/cleo/c.py": "",
        "class/dora.zip": "PK\3\4?",
    }
    junk = dict.fromkeys(("class/__MACOSX/x", "class/.git/HEAD", "__MACOSX/y"), CODE)
    assert "unreadable: cleo, dora.zip." in warning(preview(files | junk), "no-code")
    texts = {"ada/essay.md": "# Ada\n", "ben/essay.md": "# Ben\n"}
    assert not warning(preview(texts), "no-program")
    assert "no program: ada, ben." in warning(preview(texts | {"cleo/main.py": CODE}), "no-program")


def test_an_entry_that_was_read_and_is_no_text_counts_for_nobody() -> None:
    names, left_out = ListingBuilder("upload"), Listing(PATTERNS)
    for entry in unpack("u.zip", io.BytesIO(zipped({"ada/a.py": b"x = 1", "ben/b.pdf": b"%PDF \0"}))):
        names.add(entry)
        left_out.add(described(entry, PATTERNS))
    previewed = preview_upload(names.listing(), left_out, [Entry("ben/b.pdf", 6, "not text")])
    assert [one.name for one in previewed.submissions] == ["ada"]
    assert [group.examples for group in previewed.refused] == [("ben/b.pdf",)]
    assert "unreadable: ben." in warning(previewed, "no-code")


def test_an_empty_upload_has_a_preview() -> None:
    previewed = preview_upload(ListingBuilder().listing(), Listing(PATTERNS))
    assert not previewed.submissions
    assert previewed.summary.startswith("0 submissions found")


samples = st.sampled_from(sorted(SAMPLES)).map(SAMPLES.__getitem__)


extra = st.dictionaries(
    st.sampled_from(["x.class", "ada/x.py", "ada/.git/HEAD", "a/b/c/d.zip", "../x", "__MACOSX/a", "ada/target/x"]),
    st.sampled_from(["", CODE, "\x00", DO_NOT_EDIT]),
)


choices = st.sampled_from([Choices(), Choices(depth=1), Choices(depth=2), Choices(attempts="all"), Choices("moodle")])


@given(samples, extra, choices)
def test_every_entry_counts_or_has_one(sample: dict[str, str], more: dict[str, str], chosen: Choices) -> None:
    previewed = preview(sample | more, chosen)
    counted = sum(one.files for one in previewed.submissions)
    groups = (*previewed.ignored, *previewed.left_out, *previewed.refused)
    assert all(group.reason and group.examples for group in groups)
    if not previewed.left_out:  # a folder that is left out is one entry
        assert counted + sum(group.entries for group in previewed.ignored) == len(previewed.grouping.places) + len(
            previewed.grouping.ignored
        )
    assert json.loads(json.dumps(previewed.to_json()))["submissions"] is not None


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (1, "1 byte"), (300, "300 bytes"), (1000, "1 kB"), (1_234_567, "1.23 MB")],
)
def test_a_size_is_written_with_three_digits_and_its_unit(size: int, text: str) -> None:
    assert format_size(size) == text


@given(st.integers(0, 10**15) | st.sampled_from([999_500, 999_999, 999_999_999, 5 * 10**13]))
def test_a_size_is_written_without_an_exponent(size: int) -> None:
    number, _, unit = format_size(size).partition(" ")
    assert set(number) <= set("0123456789.")
    assert unit in {"byte", "bytes", "kB", "MB", "GB", "TB", "PB"}


def test_a_line_is_a_team_and_commas_part_its_names_but_in_quotes() -> None:
    assert teams.team_numbers("ada, ben\n\n cleo ,dan,\n") == {"ada": 1, "ben": 1, "cleo": 3, "dan": 3}
    assert list(teams.parse_lines('"Okafor, Amara", ben')) == [(1, ["Okafor, Amara", "ben"])]
    assert teams.team_numbers("Ada  Lovelace, BEN") == {"ada lovelace": 1, "ben": 1}
    assert teams.unknown_names("Ada  Lovelace, Dan", ["ada lovelace", "ben"]) == ["Dan"]
    teams.validate_teams("\n  \n")
    assert teams.team_numbers("") == {}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ada, ben\ncleo", "Line 2 names only cleo; a team has two members or more."),
        ("ada, Ada", "Line 1 names only ada; a team has two members or more."),
        ("ada, ben\ncleo, Ada", "Line 2: Ada is in the team of line 1 already."),
    ],
)
def test_a_team_of_one_and_somebody_in_two_teams_are_refused(text: str, reason: str) -> None:
    with pytest.raises(BadTeams) as refused:
        teams.validate_teams(text)
    assert str(refused.value) == reason
