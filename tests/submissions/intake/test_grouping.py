import pytest
from hypothesis import given, strategies as st

from submissions.intake.grouping import group_submissions
from submissions.intake.members import UnpackedEntry


def grouped(*paths: str) -> dict[str, list[str]]:
    _, groups = group_submissions(UnpackedEntry(path, b"x", 1, "") for path in paths)
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


def test_the_name_for_a_file_beside_a_folder_is_no_longer_than_a_path() -> None:
    longest = "a" * 400
    assert grouped(longest, f"{longest}/b") == {longest: ["b"], f"{'a' * 393} (file)": [longest]}


def test_refused_entries_take_no_part_in_grouping() -> None:
    _, groups = group_submissions(
        [
            UnpackedEntry("class/a/x.py", b"x", 1, ""),
            UnpackedEntry("class/b/x.py", b"x", 1, ""),
            UnpackedEntry("__MACOSX/", None, 0, "left by macOS"),
        ]
    )
    assert list(groups) == ["a", "b"]


paths = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join)


@given(st.lists(paths, unique=True, max_size=12))
def test_no_two_files_of_a_submission_share_a_path(file_paths: list[str]) -> None:
    _, groups = group_submissions(UnpackedEntry(path, b"x", 1, "") for path in file_paths)
    placed = [(name, entry.name) for name, group in groups.items() for entry in group]
    assert len(set(placed)) == len(placed) == len(file_paths)
