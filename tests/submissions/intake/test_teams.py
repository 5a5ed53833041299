import pytest

from submissions.matches import groups as teams
from submissions.matches.groups import BadTeams


def test_a_line_is_a_team_and_commas_part_its_names() -> None:
    assert teams.team_numbers("ada, ben\n\n cleo ,dan,\n") == {"ada": 1, "ben": 1, "cleo": 3, "dan": 3}


def test_a_name_with_a_comma_goes_in_quotes() -> None:
    assert list(teams.parse_lines('"Okafor, Amara", ben')) == [(1, ["Okafor, Amara", "ben"])]


def test_neither_case_nor_spaces_tell_people_apart() -> None:
    assert teams.team_numbers("Ada  Lovelace, BEN") == {"ada lovelace": 1, "ben": 1}
    assert teams.unknown_names("Ada  Lovelace, Dan", ["ada lovelace", "ben"]) == ["Dan"]


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


def test_no_teams_are_fine() -> None:
    teams.validate_teams("\n  \n")
    assert teams.team_numbers("") == {}
