"""Database tables: courses, assignments, uploads and their contents, reports, decisions and share links."""

from submissions.audit.models import AuditEntry
from submissions.cases.models import CaseChange, CaseDecision, CaseMember, Change, Decision, Statement
from submissions.core.models import ApiAnswer, ApiToken, DismissedHint
from submissions.courses.models import (
    Alias,
    Assignment,
    CampusGroup,
    Course,
    CourseRoster,
    EnrolledStudent,
    Invitation,
    LanguageChange,
    Membership,
    StatedReason,
)
from submissions.reports.models import Ignored, IgnoringProposal, Pair, RankingPlan, RankingShard, Report, Visit
from submissions.shares.models import ReadingRequest, ReadingRequestChange, Share
from submissions.students.models import Erasure
from submissions.uploads.models import (
    Batch,
    Boilerplate,
    BoilerplateUpload,
    DeletedBatch,
    Document,
    Entry,
    FileChunk,
    ListedEntry,
    PostingBlock,
    PostingRun,
    ResumableUpload,
    Source,
    Submission,
    SubmissionFile,
    SubmissionStudent,
    Upload,
)
from submissions.work.models import Duration, Job

__all__ = [
    "Alias", "ApiAnswer", "ApiToken", "Assignment", "AuditEntry", "Batch", "Boilerplate", "BoilerplateUpload",
    "CampusGroup", "CaseChange", "CaseDecision", "CaseMember", "Change", "Course", "CourseRoster", "Decision",
    "DeletedBatch", "DismissedHint", "Document", "Duration", "EnrolledStudent", "Entry", "Erasure",
    "FileChunk", "Ignored", "IgnoringProposal", "Invitation", "Job", "LanguageChange", "ListedEntry",
    "Membership", "Pair", "PostingBlock", "PostingRun", "RankingPlan", "RankingShard", "ReadingRequest",
    "ReadingRequestChange", "Report", "ResumableUpload", "Share", "Source", "StatedReason", "Statement",
    "Submission", "SubmissionFile", "SubmissionStudent", "Upload", "Visit",
]  # fmt: skip
