"""Submissions that platforms push: notices of them, fetching their files, and one upload of all."""

from __future__ import annotations

import base64
import binascii
import json
import logging
import mimetypes
import tempfile
import zipfile
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import jwt
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.core.files import File
from django.db import transaction
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from moss.integrations.lti.launch import ASSIGNMENT, LONGEST_NUMBER, SUBMISSION_NOTICE
from moss.integrations.lti.models import (
    LONGEST_ID,
    AttachedActivity,
    Platform,
    PlatformCourse,
    PushedFile,
    PushedSubmission,
)
from moss.integrations.lti.requests_out import (
    HostNotStored,
    LaunchRefused,
    NoticeRefused,
    PlatformFailed,
    TooMuch,
    WrongStatus,
    get_file,
    is_id,
    text_of,
)
from moss.integrations.lti.tokens import (
    ASSETS,
    CLAIM,
    LARGEST_TOKEN,
    UNREADABLE,
    access_token,
    as_object,
    is_first_use,
    signed_claims,
)
from submissions.core.accounts import QuotaExceeded
from submissions.core.submitters import course_roster
from submissions.intake.choices import clean_name
from submissions.intake.entry_names import replace_invisible
from submissions.intake.layouts.places import Student
from submissions.intake.layouts.platforms.pushed import METADATA
from submissions.intake.limits import format_size
from submissions.models import Assignment
from submissions.uploads.change import create_batch
from submissions.work import jobs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import IO

    from submissions.models import Job

logger = logging.getLogger(__name__)

# How long after each failed attempt the next one is due; more than a day in all.
WAITS = (
    timedelta(seconds=30),
    timedelta(minutes=5),
    *(timedelta(hours=hours) for hours in (0.5, 2, 6, 18)),
)
# Bytes of a file, and of all files of a submission: a worker has them in memory until they are stored.
LARGEST_FILE, LARGEST_SUBMISSION = 50_000_000, 100_000_000
GONE = (404, 410)
State, Problem = PushedSubmission.State, PushedSubmission.Problem

# How long submissions are listed that never came into an upload.
KEPT = timedelta(days=30)

# Notices that are taken at once; each may ask for the keys of its platform.
MOST_NOTICES = 100
# A notice that holds longer is refused: its nonce is stored until then.
LONGEST_VALID = timedelta(days=2)
LONGEST_NAME, LONGEST_URL = 400, 2000
MOST_ASSETS = 200


class Fetched(NamedTuple):
    """A file under the name that it gets in the upload."""

    name: str
    data: bytes


class FetchFailed(Exception):
    """A submission cannot be fetched; the message is the detail, for people."""

    def __init__(self, problem: str, detail: str = "") -> None:
        super().__init__(detail)
        self.problem = problem


def fetch_submission(job: Job) -> None:
    """Fetch the files of a submission that waits for them, and have the platform told.

    Raises
    ------
    Later
        When the attempt failed and another one follows.
    """
    rows = PushedSubmission.objects.filter(pk=job.subject, state=State.WAITING)
    row = rows.select_related("platform_course__platform").first()
    if row is None:
        return
    try:
        files = _files(row)
    except FetchFailed as failed:
        logger.info("%s, attempt %d: %s", row, job.attempts, failed.problem)
        _record(row, failed, job.attempts)
    else:
        logger.info("%s, attempt %d: %d files", row, job.attempts, len(files))
        _store(row, files)


def give_up(job: Job, _message: str) -> None:
    """Fail a submission of which each attempt to fetch it ended its worker."""
    for row in PushedSubmission.objects.filter(pk=job.subject, state=State.WAITING):
        _fail(row, FetchFailed(Problem.NO_ANSWER))


@transaction.atomic
def start_again(row: PushedSubmission, **fields: Any) -> bool:
    """Have a submission fetched that failed, or whose upload was deleted; report others again.

    Return whether it is fetched.
    """
    rows = PushedSubmission.objects.filter(pk=row.pk)
    failed = rows.filter(state=State.FAILED) | rows.filter(state=State.READ, batch=None)
    is_fetched = bool(failed.update(state=State.WAITING, problem="", detail="", **fields))
    if not is_fetched:
        rows.update(reported="")
    jobs.enqueue("fetch_submission" if is_fetched else "report_submission", row.pk)
    return is_fetched


def _files(row: PushedSubmission) -> list[Fetched]:
    if not row.assets:
        raise FetchFailed(Problem.NOTHING)
    platform, left = row.platform_course.platform, min(settings.MAX_UPLOAD_BYTES, LARGEST_SUBMISSION)
    files: list[Fetched] = []
    try:
        headers = {"Authorization": f"Bearer {access_token(platform, ASSETS)}"}
        for asset in row.assets:
            name = _name(asset, {one.name for one in files})
            files.append(Fetched(name, _fetched(platform, asset, headers, min(left, LARGEST_FILE))))
            left -= len(files[-1].data)
    except (PlatformFailed, SoftTimeLimitExceeded) as error:
        logger.info("%s: %s", row, error)
        raise FetchFailed(Problem.NO_ANSWER) from error
    return files


def _fetched(platform: Platform, asset: dict[str, Any], headers: dict[str, str], largest: int) -> bytes:
    """Return the bytes of a file; they are checked."""
    name, size = asset["name"], asset["size"]
    if size is not None and size > largest:
        raise FetchFailed(Problem.TOO_LARGE, f"{name} ({format_size(largest)})")
    try:
        data = get_file(platform, asset["url"], headers, largest if size is None else size)
    except HostNotStored as error:
        raise FetchFailed(Problem.HOST, error.host) from error
    except TooMuch as error:
        if size is not None:
            raise FetchFailed(Problem.OTHER_BYTES, name) from error
        raise FetchFailed(Problem.TOO_LARGE, f"{name} ({format_size(largest)})") from error
    except WrongStatus as error:
        if error.status in GONE:
            raise FetchFailed(Problem.GONE, name) from error
        raise
    if len(data) != (len(data) if size is None else size) or not _matches(data, asset["sha256_checksum"]):
        raise FetchFailed(Problem.OTHER_BYTES, name)
    return data


def _matches(data: bytes, checksum: str) -> bool:
    """Return whether a SHA-256 checksum, in Base64 or in hexadecimal digits, is that of these bytes."""
    digest = sha256(data)
    if checksum.casefold() == digest.hexdigest():
        return True
    try:
        return base64.b64decode(checksum, validate=True) == digest.digest()
    except binascii.Error:
        return False


def _name(asset: dict[str, Any], taken: set[str]) -> str:
    """Return the name of a file in its upload; a text that was typed in gets a suffix for its type."""
    plain = replace_invisible(asset["name"]).replace("/", "-").replace("\\", "-").strip(". ") or "text"
    if not asset["is_file"]:
        # Python's own table: the module's functions read that of the machine too.
        plain += mimetypes.MimeTypes().guess_extension(asset["content_type"].partition(";")[0]) or ".txt"
    name, number = plain, 1
    while name in taken:
        number += 1
        name = f"{number} {plain}"
    return name


@transaction.atomic
def _store(row: PushedSubmission, files: list[Fetched]) -> None:
    rows = PushedSubmission.objects.filter(pk=row.pk, state=State.WAITING)
    if rows.select_for_update().first() is None:  # Erased, or stored by another process.
        return
    now = timezone.now()
    row.files.all().delete()
    PushedFile.objects.bulk_create(PushedFile(submission=row, name=name, data=data) for name, data in files)
    assets = [
        {**asset, "size": len(data), "stored_as": name}
        for asset, (name, data) in zip(row.assets, files, strict=True)
    ]
    rows.update(
        state=State.FETCHED,
        problem="",
        detail="",
        assets=assets,
        fetched=now,
    )
    jobs.enqueue("gather_submissions", row.assignment_id, due=now + settings.LTI_GATHER_TIME)
    jobs.enqueue("report_submission", row.pk)


def _record(row: PushedSubmission, failed: FetchFailed, attempts: int) -> None:
    """Store that an attempt failed; raise Later if another one might not fail in the same way."""
    if failed.problem != Problem.NO_ANSWER or attempts > len(WAITS):
        _fail(row, failed)
        return
    waiting = PushedSubmission.objects.filter(pk=row.pk, state=State.WAITING)
    waiting.update(problem=failed.problem)
    raise jobs.Later(WAITS[attempts - 1], failed.problem, counts=True)


@transaction.atomic
def _fail(row: PushedSubmission, failed: FetchFailed) -> None:
    waiting = PushedSubmission.objects.filter(pk=row.pk, state=State.WAITING)
    if waiting.update(state=State.FAILED, problem=failed.problem, detail=str(failed)):
        jobs.enqueue("report_submission", row.pk)


def gather_submissions(job: Job) -> None:
    """Make an upload of what was fetched for an assignment; do nothing where there is nothing."""
    assignment_id = job.subject
    try:
        _gather(assignment_id)
    except QuotaExceeded as error:
        waiting = PushedSubmission.objects.filter(assignment=assignment_id, state=State.FETCHED)
        keys = list(waiting.values_list("pk", flat=True))
        with transaction.atomic():
            PushedFile.objects.filter(submission__in=keys).delete()
            _end(keys, State.FAILED, problem=Problem.NO_ROOM, detail=str(error))


@transaction.atomic
def _gather(assignment_id: int) -> None:
    assignment = Assignment.objects.filter(pk=assignment_id).select_related("course__owner").first()
    if assignment is None:
        return
    rows = _rows(assignment)
    kept = [row for row in rows if not _is_replaced(row)]
    _end([row.pk for row in rows if row not in kept], State.REPLACED)
    if kept:
        _folder_name(assignment, kept)
        batch = _upload(assignment, kept)
        _end([row.pk for row in kept], State.READ, batch=batch)
        logger.info("batch %s: %d pushed submissions", batch.pk, len(kept))
    PushedFile.objects.filter(submission__in=rows).delete()
    if PushedSubmission.objects.filter(assignment=assignment, state=State.FETCHED).exists():
        jobs.enqueue("gather_submissions", assignment.pk)  # More than one upload may hold.


def forget_old() -> None:
    """Delete old submissions that never came into an upload."""
    ended = PushedSubmission.objects.filter(state__in=(State.FAILED, State.REPLACED))
    ended.filter(created__lt=timezone.now() - KEPT).delete()


def _rows(assignment: Assignment) -> list[PushedSubmission]:
    """Return the fetched submissions, the oldest first, as far as one upload may hold them."""
    fetched = PushedSubmission.objects.filter(assignment=assignment, state=State.FETCHED)
    locked = fetched.select_for_update(of=("self",), skip_locked=True)
    rows: list[PushedSubmission] = []
    left = settings.MAX_UPLOAD_BYTES
    for row in locked.select_related("platform_course__platform").order_by("submitted", "pk"):
        left -= sum(asset["size"] for asset in row.assets)
        if rows and left < 0:
            break
        rows.append(row)
    return rows


def _is_replaced(row: PushedSubmission) -> bool:
    """Return whether a later submission of the student is in an upload: this one would replace it."""
    same = PushedSubmission.objects.filter(assignment=row.assignment_id, subject=row.subject)
    return same.filter(state=State.READ, submitted__gt=row.submitted).exists()


def _folder_name(assignment: Assignment, rows: Sequence[PushedSubmission]) -> None:
    """Name each submission after its student: a submission replaces an earlier one of the same name."""
    roster = course_roster(assignment.course)
    pushed = PushedSubmission.objects.filter(assignment=assignment)
    names = dict(pushed.filter(state=State.READ).order_by("pk").values_list("subject", "name"))
    for row in rows:
        if row.subject not in names:
            enrolled = roster.find(Student(row.name, row.subject)) if roster else None
            known = enrolled.display_name if enrolled else row.name
            name = clean_name(known or row.subject) or f"student {row.pk}"
            # Two students of one name are two people.
            names[row.subject] = f"{name} ({row.subject})" if name in names.values() else name
        row.name = names[row.subject]
        row.save(update_fields=["name"])


def _upload(assignment: Assignment, rows: Sequence[PushedSubmission]) -> Any:
    platform = rows[0].platform_course.platform
    with tempfile.TemporaryFile() as target:
        _write(target, rows)
        name = f"{clean_name(platform.name)} {timezone.localtime():%Y-%m-%d %H.%M}.zip"
        return create_batch(assignment, None, [File(target, name)])


def _write(target: IO[bytes], rows: Iterable[PushedSubmission]) -> None:
    """Write an archive with a folder for each submission, and a record of whose they are."""
    records = {}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for row in rows:
            records[folder_of(row)] = {
                "name": row.name,
                "identifier": row.subject,
                "submitted": row.submitted.isoformat(),
            }
            for file in row.files.order_by("pk").iterator(chunk_size=1):
                archive.writestr(f"{folder_of(row)}/{file.name}", bytes(file.data))
        archive.writestr(METADATA, json.dumps(records))
    target.flush()


def folder_of(row: PushedSubmission) -> str:
    """Return the folder of a submission in its upload."""
    return f"pushed-{row.pk}"


def _end(keys: Sequence[int], state: str, **fields: Any) -> None:
    rows = PushedSubmission.objects.filter(pk__in=keys, state=State.FETCHED)
    rows.update(state=state, **fields)
    jobs.enqueue_all("report_submission", keys)


def take(token: str) -> None:
    """Check a notice and store what it tells.

    Raises
    ------
    NoticeRefused
        When it is not signed by a platform of this service, or tells of no assignment here.
    """
    platform = _platform(token)
    try:
        claims = signed_claims(platform, token)
    except LaunchRefused as refused:
        raise NoticeRefused(refused.detail or str(refused)) from refused
    kind = text_of(as_object(claims.get(CLAIM + "notice")), "type")
    with transaction.atomic():
        if not is_first_use(_nonce(platform, claims), _expiry(claims)):
            logger.info("a notice of platform %s came again", platform.pk)
        elif kind == SUBMISSION_NOTICE:
            _take_submission(platform, claims)
        else:
            logger.info("platform %s sent %r: not used", platform.pk, kind[:100])


def _platform(token: str) -> Platform:
    """Return the platform that a notice says it is of; nothing of it is checked yet."""
    if len(token) > LARGEST_TOKEN:
        raise NoticeRefused(f"more than {LARGEST_TOKEN:,} characters")
    try:
        claims = jwt.decode(token, options={"verify_signature": False})
    except UNREADABLE as error:
        raise NoticeRefused(f"no token: {error!s:.200}") from error
    audience = claims.get("aud")
    clients = [one for one in (audience if isinstance(audience, list) else [audience]) if is_id(one)]
    issuer = claims.get("iss")
    known = Platform.objects.filter(issuer=issuer, client_id__in=clients) if is_id(issuer) else None
    platform = known.first() if known else None
    if platform is None:
        raise NoticeRefused("its issuer and audience are not registered here")
    return platform


def _nonce(platform: Platform, claims: dict[str, Any]) -> str:
    return sha256(f"notice {platform.pk} {claims['nonce']}".encode()).hexdigest()


def _expiry(claims: dict[str, Any]) -> datetime:
    # PyJWT checked that it is a number, and in the future.
    left = int(claims["exp"]) - timezone.now().timestamp()
    if left > LONGEST_VALID.total_seconds():
        raise NoticeRefused(f"it holds longer than {LONGEST_VALID.days} days")
    return timezone.now() + timedelta(seconds=left) + timedelta(minutes=5)


def _take_submission(platform: Platform, claims: dict[str, Any]) -> None:
    attached = _attached(platform, claims)
    notice = as_object(claims.get(CLAIM + "notice"))
    assets = [_asset(one) for one in _listed_assets(claims)]
    subject = as_object(claims.get(CLAIM + "for_user")).get("user_id")
    identifier = as_object(claims.get(CLAIM + "submission")).get("id") or notice.get("id")
    if not is_id(subject) or not is_id(identifier):
        raise NoticeRefused("it names no student (for_user) or no submission")
    fields = {
        "subject": subject,
        "name": _asset_name(as_object(claims.get(CLAIM + "for_user"))),
        "assets": assets,
        "report_url": _address(as_object(claims.get(CLAIM + "assetreport")), "report_url"),
        "submitted": _submitted([*_listed_assets(claims), notice]),
    }
    row, is_new = PushedSubmission.objects.get_or_create(
        platform_course=attached.platform_course,
        assignment=attached.assignment,
        submission=identifier,
        defaults=fields,
    )
    if is_new:
        jobs.enqueue("fetch_submission", row.pk)
    else:
        start_again(row, **fields)
    logger.info("%s of platform %s: %s", row, platform.pk, "new" if is_new else "told again")


def _attached(platform: Platform, claims: dict[str, Any]) -> AttachedActivity:
    """Return which assignment the activity of a notice was attached to here.

    By the id of the activity, which deep linking stored. Where the platform named none then, by its course:
    what a link says of the assignment can be copied to another course.
    """
    deployment = claims[CLAIM + "deployment_id"]
    chosen = str(as_object(claims.get(CLAIM + "custom")).get(ASSIGNMENT, ""))
    assignment_id = int(chosen) if chosen.isdecimal() and len(chosen) <= LONGEST_NUMBER else None
    activity = as_object(claims.get(CLAIM + "activity")).get("id")
    rows = AttachedActivity.objects.select_related("platform_course", "assignment").filter(
        platform_course__platform=platform, platform_course__deployment=deployment
    )
    known = rows.filter(activity=activity).order_by("-pk") if is_id(activity) else rows.none()
    attached = (known.filter(assignment=assignment_id) if assignment_id else known).first()
    if attached is None:
        attached = _of_course(platform, deployment, claims, assignment_id)
    if attached is None:
        raise NoticeRefused("its activity belongs to no assignment here: attach this service to it again")
    return attached


def _of_course(
    platform: Platform, deployment: str, claims: dict[str, Any], assignment_id: int | None
) -> AttachedActivity | None:
    """Return the assignment that a notice names, of the course that it names, where no activity is stored."""
    context = as_object(claims.get(CLAIM + "context")).get("id")
    if assignment_id is None or not is_id(context):
        return None
    course = PlatformCourse.objects.filter(platform=platform, deployment=deployment, context=context).first()
    attached = AttachedActivity.objects.filter(platform_course=course, activity="", assignment=assignment_id)
    return attached.select_related("platform_course", "assignment").first() if course else None


def _listed_assets(claims: dict[str, Any]) -> list[dict[str, Any]]:
    assets = as_object(claims.get(CLAIM + "assetservice")).get("assets")
    listed = assets if isinstance(assets, list) else []
    if len(listed) > MOST_ASSETS:
        raise NoticeRefused(f"it lists {len(listed):,} files; at most {MOST_ASSETS} are taken")
    return [one for one in listed if isinstance(one, dict)]


def _asset(asset: dict[str, Any]) -> dict[str, Any]:
    size = asset.get("size")
    return {
        "asset_id": text_of(asset, "asset_id")[:LONGEST_ID],
        "url": _address(asset, "url"),
        "sha256_checksum": text_of(asset, "sha256_checksum")[:LONGEST_ID],
        "size": size if isinstance(size, int) and not isinstance(size, bool) and size >= 0 else None,
        "content_type": text_of(asset, "content_type")[:100],
        "name": (text_of(asset, "filename") or text_of(asset, "title"))[:200],
        "is_file": bool(text_of(asset, "filename")),
    }


def _address(fields: dict[str, Any], name: str) -> str:
    value = text_of(fields, name)
    return value if len(value) <= LONGEST_URL else ""


def _asset_name(person: dict[str, Any]) -> str:
    name = text_of(person, "name") or f"{text_of(person, 'given_name')} {text_of(person, 'family_name')}"
    return " ".join(name.split())[:LONGEST_NAME]


def _submitted(dated: Iterable[dict[str, Any]]) -> datetime:
    """Return the latest time of the files or of the notice; now where there is none, or in the future."""
    now = timezone.now()
    times = []
    for one in dated:
        try:
            time = datetime.fromisoformat(text_of(one, "timestamp"))
        except ValueError:
            continue
        times.append(time if time.tzinfo else time.replace(tzinfo=UTC))
    return min(max(times, default=now), now)


@csrf_exempt  # A platform sends it: each notice is signed, and there is no session.
@require_POST
def notices(request: HttpRequest) -> JsonResponse:
    """Take a list of notices; the work is done in workers. One that is refused keeps no other one back."""
    tokens = _tokens(request)
    if tokens is None:
        return JsonResponse({"error": f"Send at most {MOST_NOTICES} notices, as JSON."}, status=400)
    refused = []
    for number, token in enumerate(tokens):
        try:
            take(token)
        except NoticeRefused as error:
            logger.warning("notice refused: %s", error)
            refused.append({"notice": number, "reason": str(error)})
    return JsonResponse(
        {"taken": len(tokens) - len(refused), "refused": refused}, status=400 if refused else 200
    )


def _tokens(request: HttpRequest) -> list[str] | None:
    """Return the tokens of `{"notices": [{"jwt": …}]}`; None for anything else."""
    try:
        content = json.loads(request.body)
    except (ValueError, RecursionError):
        return None
    listed = content.get("notices") if isinstance(content, dict) else None
    if not isinstance(listed, list) or len(listed) > MOST_NOTICES:
        return None
    tokens = [one.get("jwt") if isinstance(one, dict) else None for one in listed]
    return [one if isinstance(one, str) else "" for one in tokens]
