"""All reads of the pages."""

from submissions.queries.access import Gone, assignment, batch, boilerplate, course, courses
from submissions.queries.activity import Activity, activity, ranking
from submissions.queries.decisions import (
    PairNames,
    decision,
    decisions,
    history,
    next_undecided,
    pair_names,
)
from submissions.queries.deletions import lost_with_assignment, lost_with_batch, lost_with_course
from submissions.queries.flags import Flag, Flags, sides
from submissions.queries.lists import (
    batch_submissions,
    failed_files,
    listed_assignments,
    listed_batches,
    listed_courses,
)
from submissions.queries.pairs import cohort_names, files_of, ignored_tokens, pair
from submissions.queries.reports import (
    SORT_FIELDS,
    PairFilter,
    ShownGroup,
    line_of,
    ranked_pairs,
    report_state,
    same_groups,
    tally,
)
from submissions.queries.submissions import (
    Link,
    files_of_submission,
    links,
    pairs_of,
    refused_entries,
    replaced_by,
    submission,
    submissions_by_id,
    with_sources,
)

__all__ = [
    "SORT_FIELDS",
    "Activity",
    "Flag",
    "Flags",
    "Gone",
    "Link",
    "PairFilter",
    "PairNames",
    "ShownGroup",
    "activity",
    "assignment",
    "batch",
    "batch_submissions",
    "boilerplate",
    "cohort_names",
    "course",
    "courses",
    "decision",
    "decisions",
    "failed_files",
    "files_of",
    "files_of_submission",
    "history",
    "ignored_tokens",
    "line_of",
    "links",
    "listed_assignments",
    "listed_batches",
    "listed_courses",
    "lost_with_assignment",
    "lost_with_batch",
    "lost_with_course",
    "next_undecided",
    "pair",
    "pair_names",
    "pairs_of",
    "ranked_pairs",
    "ranking",
    "refused_entries",
    "replaced_by",
    "report_state",
    "same_groups",
    "sides",
    "submission",
    "submissions_by_id",
    "tally",
    "with_sources",
]
