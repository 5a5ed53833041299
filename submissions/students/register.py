"""The register of all columns that can hold a text: an entry a table says what an erasure does with it.

A test compares it with the models: a new column of text, JSON or bytes needs an entry here.
"""

from __future__ import annotations

from typing import NamedTuple


class Table(NamedTuple):
    """The columns of a table, by what an erasure does with them.

    `rows`: they leave with a row that is deleted, or are renamed by hand (`students.rows`). `searched`: texts
    in which the names and ids are replaced, with `whole_only` no parts of names; `assignment` and `course`
    are the look-ups of what a row belongs to, empty where it belongs to none. `free`: columns that name no
    student, all with the reason `why`.
    """

    rows: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()
    assignment: str = ""
    course: str = ""
    free: tuple[str, ...] = ()
    why: str = ""
    whole_only: bool = False


CODES = "states, kinds, languages and versions that the service writes"
KEYS = "primary keys and numbers; they are computed again without the submissions that left"
PEOPLE = "accounts of people who use the service, who are no students to it"
TITLES = "titles and settings that an instructor gave; nothing of a student's work"
ANSWERED = ("before", "after")
DECISION_CHANGE = Table(
    searched=ANSWERED,
    assignment="decision__assignment",
    course="decision__assignment__course",
    free=("who", "field"),
    why=PEOPLE,
)

REGISTER = {
    "corpus.Corpus": Table(free=("name", "recipe"), why="names that an operator gave"),
    "corpus.CorpusSweep": Table(free=("source",), why="the folder that an operator named"),
    "corpus.CorpusText": Table(
        rows=("sha256", "digest", "sketch", "features"), free=("profile", "kind", "language"), why=CODES
    ),
    "corpus.CorpusShard": Table(
        free=("payload", "result"),
        why="parts of adding or clustering, which are deleted when the command that waits for them ends",
    ),
    "corpus.CorpusDocument": Table(rows=("name", "sha256", "reason")),
    "submissions.AuditEntry": Table(
        searched=("subject",),
        free=("who", "address", "action", "course", "assignment", "page", "digest"),
        why=TITLES,
    ),
    "submissions.Course": Table(free=("name",), why=TITLES),
    "submissions.Assignment": Table(
        rows=("teams",),
        searched=("hold",),
        assignment="pk",
        course="course",
        free=("name", "language", "language_patterns", "include_patterns", "exclude_patterns", "term"),
        why=TITLES,
    ),
    "submissions.Alias": Table(rows=("name", "alias")),
    "submissions.Source": Table(rows=("sha256", "data")),
    "submissions.Document": Table(
        rows=("tokens", "lexical", "spelling", "words", "fingerprints", "coarse", "styles", "reason"),
        free=("profile", "language", "state"),
        why=CODES,
    ),
    "submissions.PostingRun": Table(rows=("documents",)),
    "submissions.PostingBlock": Table(rows=("packed",)),
    "submissions.Batch": Table(
        searched=("name", "message", "choices"),
        assignment="assignment",
        course="assignment__course",
        free=("role", "state"),
        why=CODES,
    ),
    "submissions.BoilerplateUpload": Table(
        searched=("name", "message", "refusals"),
        assignment="assignment",
        course="assignment__course",
        free=("state",),
        why=CODES,
    ),
    "submissions.Upload": Table(rows=("name", "file")),
    "submissions.ResumableUpload": Table(
        searched=("name",),
        assignment="assignment",
        course="assignment__course",
        free=("role", "file"),
        why=CODES,
    ),
    "submissions.FileChunk": Table(rows=("name", "data")),
    "submissions.Entry": Table(
        searched=("name", "reason"),
        assignment="batch__assignment",
        course="batch__assignment__course",
        whole_only=True,
    ),
    "submissions.ListedEntry": Table(
        rows=("name", "reason", "left_out", "digest"),
        free=("language", "modified", "commits"),
        why=CODES,
    ),
    "submissions.DeletedBatch": Table(
        searched=("name",), assignment="assignment", course="assignment__course"
    ),
    "submissions.Submission": Table(
        rows=("name", "identifier"), free=("commits",), why="two times and a number"
    ),
    "submissions.SubmissionFile": Table(
        searched=("path",),
        assignment="submission__batch__assignment",
        course="submission__batch__assignment__course",
        free=("detected",),
        why=CODES,
        whole_only=True,
    ),
    "submissions.SubmissionStudent": Table(rows=("name", "identifier")),
    "submissions.Boilerplate": Table(
        searched=("name",), assignment="assignment", course="assignment__course"
    ),
    "submissions.IgnoringProposal": Table(
        searched=("path", "message"),
        assignment="assignment",
        course="assignment__course",
        free=("counts", "effect"),
        why=CODES,
    ),
    "submissions.Decision": Table(
        rows=("left", "right"),
        searched=("notes",),
        assignment="assignment",
        course="assignment__course",
        free=("state",),
        why=CODES,
    ),
    "submissions.Change": DECISION_CHANGE,
    "submissions.CaseDecision": Table(
        searched=("notes",), assignment="assignment", course="assignment__course", free=("state",), why=CODES
    ),
    "submissions.CaseMember": Table(rows=("name",)),
    "submissions.CaseChange": DECISION_CHANGE,
    "submissions.Statement": Table(
        rows=("name", "file_name", "data", "sha256"), free=("added_by",), why=PEOPLE
    ),
    "submissions.Share": Table(rows=("left", "right")),
    "submissions.DismissedHint": Table(free=("name",), why=CODES),
    "submissions.LanguageChange": Table(
        searched=("message",),
        assignment="assignment",
        course="assignment__course",
        free=("before", "after", "patterns", "state"),
        why=CODES,
    ),
    "submissions.Membership": Table(free=("role", "group"), why=PEOPLE),
    "submissions.CampusGroup": Table(free=("group", "role"), why=PEOPLE),
    "submissions.Invitation": Table(free=("email", "role"), why=PEOPLE),
    "submissions.StatedReason": Table(searched=("reason",), course="course"),
    "submissions.Erasure": Table(
        rows=("student", "courses", "digests", "result"),
        searched=("reason", "message"),
        free=("who", "state"),
        why=PEOPLE,
    ),
    "submissions.Job": Table(
        free=("kind", "queue", "state", "reason", "version"),
        why="kinds, and reasons that name no file",
    ),
    "submissions.Report": Table(
        searched=("message",),
        assignment="assignment",
        course="assignment__course",
        free=("state", "parameters", "duplicates", "findings"),
        why=KEYS,
    ),
    "submissions.Ignored": Table(free=("spans",), why=KEYS),
    "submissions.Pair": Table(free=("passages",), why=KEYS),
    "submissions.RankingPlan": Table(free=("selection", "digest", "version", "batches"), why=KEYS),
    "submissions.RankingShard": Table(free=("kind", "sides", "result"), why=KEYS),
    "submissions.ReadingRequest": Table(free=("state",), why=CODES),
    "submissions.ReadingRequestChange": Table(free=("who", "field", *ANSWERED), why=CODES),
    "submissions.CourseRoster": Table(searched=("name", "problems"), course="course"),
    "submissions.EnrolledStudent": Table(
        rows=("name", "identifier", "login", "email", "other_ids"),
        searched=("section", "team"),
        course="roster__course",
    ),
    "submissions.Duration": Table(free=("measure", "name", "detail"), why="names of tasks and of states"),
    "submissions.ApiToken": Table(free=("name", "prefix", "digest", "scope"), why=PEOPLE),
    "submissions.ApiAnswer": Table(
        searched=("key", "body"), free=("request", "headers"), why="a digest, and kinds and addresses"
    ),
    "lti.PushedSubmission": Table(
        searched=("subject", "name", "assets", "detail"),
        assignment="assignment",
        course="assignment__course",
        free=("submission", "report_url", "state", "problem", "reported"),
        why="the platform's own id and address of a submission, and states",
    ),
    "lti.PushedFile": Table(rows=("name", "data")),
    "repositories.RepositoryFetch": Table(
        free=("state", "message", "role", "token"), why="states, sentences without names, and a sealed token"
    ),
    "repositories.Repository": Table(
        rows=("data",),
        searched=("student", "address", "branch", "left_out"),
        assignment="fetch__assignment",
        course="fetch__assignment__course",
        free=("commit", "state", "reason", "fetched_commit"),
        why="digests, states, and reasons without names",
    ),
    "moss_protocol.ClientResult": Table(
        searched=("options", "comment", "names"),
        assignment="assignment",
        course="assignment__course",
        free=("key_digest",),
        why="a digest",
    ),
}
# Apps whose other tables name accounts, platforms and their keys, and no student.
OTHER_APPS = {
    "admin": PEOPLE,
    "auth": PEOPLE,
    "contenttypes": CODES,
    "account": PEOPLE,
    "socialaccount": PEOPLE,
    "mfa": PEOPLE,
    "axes": PEOPLE,
    "accounts": "sessions: when and from where an account was used, and messages until they are shown",
    "moss_protocol": PEOPLE,
    "webhooks": "addresses of programs, and primary keys of what they are told of",
    "lti": "platforms, their keys and activities, and accounts of people who teach",
}
