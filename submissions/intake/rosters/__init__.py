"""Rosters: the students of a course from a CSV file that a platform or an instructor wrote. No Django here.

table    the rows of a CSV file, in whatever encoding, with whatever separator and however badly quoted
columns  what the columns of a header mean
parsing  the students of a table, and the problems of its rows
roster   find the student whom a platform names by a name, an id, a login or an e-mail address
"""

from submissions.intake.rosters.columns import RosterRefused
from submissions.intake.rosters.parsing import parse_roster
from submissions.intake.rosters.roster import Roster, RosterProblem, RosterStudent, team_key

__all__ = ["Roster", "RosterProblem", "RosterRefused", "RosterStudent", "parse_roster", "team_key"]
