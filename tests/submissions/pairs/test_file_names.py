import pytest

from submissions.pairs.pair_view import shortest_unique_paths


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["main.py"], ["main.py"]),
        (
            ["src/a/Main.java", "src/b/Main.java", "src/b/Util.java"],
            ["a/Main.java", "b/Main.java", "Util.java"],
        ),
        (["Main.java", "test/Main.java"], ["Main.java", "test/Main.java"]),
        (["a/x/m.py", "b/x/m.py", "b/y/m.py"], ["a/x/m.py", "b/x/m.py", "y/m.py"]),
        (["same.py", "same.py"], ["same.py", "same.py"]),
        ([], []),
    ],
)
def test_a_file_is_named_by_the_shortest_end_of_its_path_that_no_other_has(
    paths: list[str], names: list[str]
) -> None:
    assert shortest_unique_paths(paths) == names
