"""All database writes that users cause; background work is enqueued when the transaction commits."""

from submissions.actions.boilerplate import (
    add_boilerplate,
    dismiss_boilerplate_upload,
    ignore_passage,
    remove_boilerplate,
)
from submissions.actions.comparisons import compare_with
from submissions.actions.decisions import DecisionInput, DecisionResult, decide
from submissions.actions.deletions import Held, delete_assignment, delete_batch, delete_course
from submissions.actions.hints import dismiss_hint
from submissions.actions.languages import change_language
from submissions.actions.quotas import QuotaExceeded
from submissions.actions.resumable import begin_resumable, end_resumable
from submissions.actions.retries import retry_batch, retry_report
from submissions.actions.rosters import read_roster, remove_roster, replace_roster
from submissions.actions.uploads import (
    cancel_batch,
    cancel_ranking,
    count_rule,
    create_batch,
    group_as,
    list_again,
    read_listed,
    rerank,
    set_patterns,
)

__all__ = [
    "DecisionInput",
    "DecisionResult",
    "Held",
    "QuotaExceeded",
    "add_boilerplate",
    "begin_resumable",
    "cancel_batch",
    "cancel_ranking",
    "change_language",
    "compare_with",
    "count_rule",
    "create_batch",
    "decide",
    "delete_assignment",
    "delete_batch",
    "delete_course",
    "dismiss_boilerplate_upload",
    "dismiss_hint",
    "end_resumable",
    "group_as",
    "ignore_passage",
    "list_again",
    "read_listed",
    "read_roster",
    "remove_boilerplate",
    "remove_roster",
    "replace_roster",
    "rerank",
    "retry_batch",
    "retry_report",
    "set_patterns",
]
