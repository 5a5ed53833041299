"""Database tables: courses, assignments, uploads and their contents, reports, decisions and share links."""

from submissions.models.audit import AuditEntry
from submissions.models.batches import (
    Batch,
    Boilerplate,
    BoilerplateUpload,
    DeletedBatch,
    Entry,
    ListedEntry,
    Submission,
    SubmissionFile,
    Upload,
)
from submissions.models.courses import Alias, Assignment, Course, LanguageChange
from submissions.models.decisions import (
    CaseChange,
    CaseDecision,
    CaseMember,
    Change,
    Decision,
    Share,
    Statement,
)
from submissions.models.documents import Document, PostingBlock, PostingRun, Source
from submissions.models.jobs import Duration, Job
from submissions.models.people import (
    ApiAnswer,
    ApiToken,
    CampusGroup,
    DismissedHint,
    Invitation,
    Membership,
    ReadingRequest,
    ReadingRequestChange,
    StatedReason,
)
from submissions.models.reports import Ignored, Pair, RankingPlan, RankingShard, Report
from submissions.models.students import CourseRoster, EnrolledStudent, Erasure, SubmissionStudent
from submissions.models.waiting import FileChunk, IgnoringProposal, ResumableUpload

__all__ = [
    "Alias",
    "ApiAnswer",
    "ApiToken",
    "Assignment",
    "AuditEntry",
    "Batch",
    "Boilerplate",
    "BoilerplateUpload",
    "CampusGroup",
    "CaseChange",
    "CaseDecision",
    "CaseMember",
    "Change",
    "Course",
    "CourseRoster",
    "Decision",
    "DeletedBatch",
    "DismissedHint",
    "Document",
    "Duration",
    "EnrolledStudent",
    "Entry",
    "Erasure",
    "FileChunk",
    "Ignored",
    "IgnoringProposal",
    "Invitation",
    "Job",
    "LanguageChange",
    "ListedEntry",
    "Membership",
    "Pair",
    "PostingBlock",
    "PostingRun",
    "RankingPlan",
    "RankingShard",
    "ReadingRequest",
    "ReadingRequestChange",
    "Report",
    "ResumableUpload",
    "Share",
    "Source",
    "StatedReason",
    "Statement",
    "Submission",
    "SubmissionFile",
    "SubmissionStudent",
    "Upload",
]
