"""The folders of an installation belong to its user alone."""

from pathlib import Path

import pytest

from moss.embedded.client import EmbeddedError, installation_paths
from moss.embedded.servers import closed_folder


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_home_that_others_may_write_to_is_refused_with_the_command_that_mends_it(tmp_path: Path, mode: int) -> None:
    home = tmp_path / "a home"
    home.mkdir()
    home.chmod(mode)
    with pytest.raises(EmbeddedError, match=f"Other users may write to {home}. Run: chmod go-w '{home}'"):
        installation_paths(home).create()
    home.chmod(0o755)
    installation_paths(home).create()


def test_the_folder_that_keeps_the_user_of_the_database_from_its_programs_is_found(tmp_path: Path) -> None:
    program = tmp_path / "home" / "moss" / "bin" / "initdb"
    program.parent.mkdir(parents=True)
    outer = closed_folder(program)
    assert outer != program.parents[2]
    program.parents[2].chmod(0o700)
    assert closed_folder(program) == (outer or program.parents[2])
