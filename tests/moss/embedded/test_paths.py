"""The folders of an installation belong to its user alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from moss.embedded.paths import EmbeddedError, installation_paths

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_home_that_others_may_write_to_is_refused_with_the_command_that_mends_it(
    tmp_path: Path, mode: int
) -> None:
    home = tmp_path / "a home"
    home.mkdir()
    home.chmod(mode)
    with pytest.raises(EmbeddedError, match=f"Other users may write to {home}. Run: chmod go-w '{home}'"):
        installation_paths(home).create()
    home.chmod(0o755)
    installation_paths(home).create()
