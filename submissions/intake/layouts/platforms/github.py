"""GitHub and GitLab: `lab1-submissions/lab1-bpopescu/`, `lab1-bpopescu-main/`, `calculator-main/`.

github/gh-classroom, cmd/gh-classroom/clone/student-repos/student-repos.go: the folder is the short name
of the assignment and `-submissions`, each repository the short name and the login. A download of either
site ends with the branch; that of GitLab with the branch and the commit (gitlabhq/gitlabhq,
lib/gitlab/git/repository.rb, archive_prefix).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from submissions.intake.layouts.fields import LOOSE, are_questions, common_beginning, is_loose
from submissions.intake.layouts.places import Layout, Placement, Student, children_of, root_of

if TYPE_CHECKING:
    from submissions.intake.layouts.places import Listing, Place

BRANCH = re.compile(r"-(?:main|master)(?:-[0-9a-f]{40})?\Z|-[0-9a-f]{40}\Z")
# Words that number students or teams by themselves, as in `student-01`.
COUNTED = re.compile(r"(?:student|user|team|group|submission|person|stud|candidate)s?", re.IGNORECASE)
# Fewer folders, or a shorter beginning that all of them have in common, say nothing.
MIN_REPOSITORIES, MIN_PREFIX = 3, 3


def _logins(listing: Listing) -> tuple[dict[str, str], float]:
    """Return the login of each folder in the root, and how sure it is that these are logins."""
    root = root_of(listing.paths)
    folders = [name for name, is_folder in children_of(listing.paths, root).items() if is_folder]
    stems = {name: BRANCH.sub("", name) for name in folders}
    prefix = common_beginning(list(stems.values()))
    logins = {name: stem[len(prefix) + 1 :] if prefix else stem for name, stem in stems.items()}
    if len(set(logins.values())) < len(folders) or not all(logins.values()) or are_questions(folders):
        return {}, 0.0
    if prefix and root.rstrip("/").rpartition("/")[2] == f"{prefix}-submissions":
        return logins, 1.0
    if len(folders) < MIN_REPOSITORIES:
        return {}, 0.0
    branches = sum(stems[name] != name for name in folders) / len(folders)
    if (
        len(prefix) < MIN_PREFIX
        or COUNTED.fullmatch(prefix)
        or all(login.isdigit() for login in logins.values())
    ):
        return stems, 0.5 * branches
    return logins, 0.4 + 0.2 * branches


def _score(listing: Listing) -> float:
    return _logins(listing)[1]


def _place(listing: Listing) -> dict[str, Place]:
    root, (logins, _) = root_of(listing.paths), _logins(listing)
    places: dict[str, Place] = {}
    for path in listing.paths:
        name, slash, inner = path[len(root) :].partition("/")
        if not slash and is_loose(name, programs=True):
            places[path] = LOOSE
            continue
        login = logins.get(name, name)
        # A packed repository has the folder of its name once more inside.
        inner = inner.removeprefix(f"{name}/")
        places[path] = Placement((Student(login, login if slash else ""),), inner if slash else name)
    return places


GITHUB = Layout("github", "repositories of GitHub or GitLab", _score, _place)
