"""Lists of repositories: what a line may be, and what is refused with the number of the line."""

import pytest

from moss.integrations.repositories.git import BadList, Listed, parse

HOST = "https://git.example.org"
COMMIT = "0123456789abcdef" * 2 + "01234567"


def test_a_line_has_student_address_branch_and_commit() -> None:
    first = f'"Berg, Anna",{HOST}/a/lab.git/,main,{COMMIT.upper()}'
    text = f"\ufeffStudent,Address,Branch,Commit\n{first}\n\nBen,{HOST}/b\n"
    assert parse(text) == [
        Listed("Berg, Anna", f"{HOST}/a/lab.git", "main", COMMIT),
        Listed("Ben", f"{HOST}/b"),
    ]


def test_a_repository_without_a_student_has_its_own_name_or_that_of_its_owner_too() -> None:
    text = f"{HOST}/anna/lab\n{HOST}/ben/lab.git,main\n{HOST}/course/zoe-lab"
    assert [one.student for one in parse(text)] == ["anna lab", "ben lab", "zoe-lab"]


@pytest.mark.parametrize("separator", [";", "\t"])
def test_other_separators_of_spreadsheets_are_taken(separator: str) -> None:
    assert parse(f"Anna{separator}{HOST}/a{separator}main") == [Listed("Anna", f"{HOST}/a", "main")]


@pytest.mark.parametrize(
    "address",
    [
        "file:///etc/passwd", "ssh://git@example.org/a", "git://example.org/a", "ext::sh -c id",
        "git@example.org:a",
        "--upload-pack=id", "https://anna:secret@example.org/a", "https://example.org", "https://example.org/a?b=c",
        "https://example.org/a b", "https://exämple.org/a", "https://example.org/" + "a" * 500,
    ],
)  # fmt: skip
def test_an_address_of_another_kind_is_refused_with_its_line(address: str) -> None:
    with pytest.raises(BadList, match="Line 2: the address must"):
        parse(f"Ben,{HOST}/b\nAnna,{address}")


@pytest.mark.parametrize("branch", ["-x", "a..b", "a b", "a~1", "a:b", "a*"])
def test_a_branch_that_git_could_misread_is_refused(branch: str) -> None:
    with pytest.raises(BadList, match="Line 1: that is no name of a branch"):
        parse(f"Anna,{HOST}/a,{branch}")


@pytest.mark.parametrize("commit", ["HEAD", "abc", "--all", "g" * 40])
def test_a_commit_is_named_in_full(commit: str) -> None:
    with pytest.raises(BadList, match="Line 1: a commit is 40 or 64"):
        parse(f"Anna,{HOST}/a,main,{commit}")


def test_a_student_is_listed_once() -> None:
    with pytest.raises(BadList, match="Line 3: line 1 is of the same student"):
        parse(f"Anna,{HOST}/a\nBen,{HOST}/b\nAnna,{HOST}/c")


@pytest.mark.parametrize("text", ["", "\n\n", "student,address\n"])
def test_an_empty_list_is_refused(text: str) -> None:
    with pytest.raises(BadList, match="List 1 to 2000 repositories"):
        parse(text)
