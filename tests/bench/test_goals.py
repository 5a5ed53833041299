from pathlib import Path

import pytest

from bench import goals
from bench.goals import Goal, Result


def test_a_goal_is_met_within_its_part_of_the_quickest_other_tool() -> None:
    goal = Goal("files", 30, "moss", ("compare50", "dolos"), 1.3)
    within, over = ({"moss": seconds, "compare50": 2.0, "dolos": 4.0} for seconds in (2.6, 2.7))
    assert Result(goal, 30, within).row() == [
        "30 files",
        "moss 2.60",
        "compare50 2.00, dolos 4.00",
        "1.30",
        "1.3",
        "yes",
    ]
    assert Result(goal, 30, over).row()[-1] == "no"


def test_a_goal_without_an_installed_other_tool_is_neither_met_nor_missed() -> None:
    row = Result(Goal("files", 30, "moss", ("dolos",), 0.1), 30, {"moss": 1.0}).row()
    assert row[2:] == ["-", "-", "0.1", "-"]


@pytest.mark.long
def test_all_goals_beside_the_floor_are_measured_in_one_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = "\n".join(f"x{number} = [{number} + step for step in range(9)]" for number in range(30))
    for part in ("files", "python", "projects/one", "projects/two"):
        (tmp_path / part).mkdir(parents=True)
        for name in ("a.py", "b.py"):
            (tmp_path / part / name).write_text(program)
    assert goals.main([str(tmp_path), "--repeat", "1", "--divide", "1000"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if "floor" in line]
    assert len(rows) == sum("floor" in goal.others for goal in goals.GOALS)
