"""Tables of courses: assignments, aliases, members, invitations, rosters, and stated reasons."""

from __future__ import annotations

from typing import NamedTuple

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from submissions.core.database import OutsideTimeField
from submissions.intake.file_languages import ChosenLanguages
from submissions.intake.left_out.patterns import FilePatterns, pattern_lines
from submissions.intake.rosters import RosterStudent


class Withheld(NamedTuple):
    """Old work that is kept from a reader, by primary key; see `submissions.core.access`.

    `batches`: the compared assignments, as batches of copies; `copies`: the copies in them; `opened`: pairs
    of a submission of the class and a copy that the owner of the old course has agreed to.
    """

    batches: frozenset[int] = frozenset()
    copies: frozenset[int] = frozenset()
    opened: frozenset[tuple[int, int]] = frozenset()

    @property
    def hidden(self) -> frozenset[int]:
        """The copies that are in no opened pair: nothing of these is shown."""
        return self.copies - {copy for _, copy in self.opened}


NOTHING_WITHHELD = Withheld()


class Course(models.Model):
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="courses")
    name = models.CharField(max_length=200)
    # Months after the last upload or decision after which an assignment is deleted; null: never.
    keep_months = models.PositiveSmallIntegerField(null=True, blank=True)
    # Days after the last report after which sources are deleted that are no evidence; null: with the rest.
    keep_sources_days = models.PositiveSmallIntegerField(null=True, blank=True)
    # It is in the department's archive: others that take part are compared with it, and it with them.
    in_archive = models.BooleanField(default=False)
    # It has the bundled sample class, and can be deleted with one click.
    is_sample = models.BooleanField(default=False, editable=False)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name", "pk")
        constraints = (models.UniqueConstraint(fields=("owner", "name"), name="course_name_once_an_owner"),)

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("course", args=[self.pk])


class Assignment(models.Model):
    """One assignment of a course; its cohort has the newest submission of each name."""

    course = models.ForeignKey(Course, models.CASCADE, related_name="assignments")
    name = models.CharField(max_length=200)
    # Empty: detected from the name and content of each file.
    language = models.CharField(max_length=40, blank=True)
    # Languages of files by their names, one pattern a line; see `ChosenLanguages`.
    language_patterns = models.TextField(blank=True)
    # Passages in more submissions than this are common code; null: 10, or no limit in a small cohort.
    common_limit = models.PositiveIntegerField(null=True, blank=True)
    # Pairs with a submission handed in later are flagged.
    due = OutsideTimeField(null=True, blank=True)
    # One team per line, submission names separated by commas; pairs within a team are not compared.
    teams = models.TextField(blank=True)
    # Pairs within a team, and pairs of one student, are compared and flagged.
    compare_mates = models.BooleanField(default=False)
    # Patterns of files that count, and of files that are left out, one a line; see `FilePatterns`.
    include_patterns = models.TextField(blank=True)
    exclude_patterns = models.TextField(blank=True)
    # Patterns of the only files that are compared; empty: all.
    only_patterns = models.TextField(blank=True, db_default="", default="")
    # Its term, in the labels of its submissions in other assignments; empty: the year of `due` or `created`.
    term = models.CharField(max_length=40, blank=True)
    # Its submissions are compared with these assignments' submissions, but these not with each other.
    compared_with = models.ManyToManyField("self", symmetrical=False, blank=True, related_name="compared_by")
    # The same with every assignment of its course that was created before it.
    compare_course = models.BooleanField(default=False)
    # The same with every assignment of the other courses in the department's archive, while its own is in it.
    compare_archive = models.BooleanField(default=False)
    # Similarity in [0, 1] from which on its pairs are read, who chose it and when; null: as reports suggest.
    threshold = models.FloatField(null=True, editable=False)
    threshold_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, editable=False, related_name="+"
    )
    threshold_chosen = models.DateTimeField(null=True, editable=False)
    # Why it is kept in spite of the retention of its course; empty: it is not.
    hold = models.CharField(max_length=200, blank=True)
    # When the people of the course were told that it is deleted soon.
    retention_notice = models.DateTimeField(null=True, editable=False)
    # When they were told that its sources are deleted soon, and when that was done last.
    sources_notice = models.DateTimeField(null=True, editable=False)
    sources_deleted = models.DateTimeField(null=True, editable=False)
    created = models.DateTimeField(auto_now_add=True)
    # What its reader may not see of other courses; `submissions.core.access` sets it on what it returns.
    withheld: Withheld = NOTHING_WITHHELD

    class Meta:
        ordering = ("name", "pk")
        constraints = (models.UniqueConstraint(fields=("course", "name"), name="assignment_name_once_a_course"),)

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("assignment", args=[self.pk])

    @property
    def shown_term(self) -> str:
        return self.term or str((self.due or self.created).year)

    @property
    def chosen_languages(self) -> ChosenLanguages:
        return ChosenLanguages(self.language, self.language_patterns)

    @property
    def has_patterns(self) -> bool:
        return bool(self.include_patterns or self.exclude_patterns or self.only_patterns)

    @property
    def file_patterns(self) -> FilePatterns:
        texts = self.include_patterns, self.exclude_patterns, self.only_patterns
        return FilePatterns(*(pattern_lines(text.splitlines()) for text in texts))


class Alias(models.Model):
    """The made-up name shown instead of a submission name; it stays the same while the assignment exists."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="aliases")
    name = models.CharField(max_length=400)
    alias = models.CharField(max_length=80)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("assignment", "name"), name="alias_once_a_name"),
            models.UniqueConstraint(fields=("assignment", "alias"), name="alias_once_an_assignment"),
        )

    def __str__(self) -> str:
        return self.alias


class LanguageChange(models.Model):
    """One change of an assignment's language; a worker decides for every stored file how it is read then.

    It stays as a record of who changed the language, and when.
    """

    class State(models.TextChoices):
        QUEUED = "queued", _("waiting")
        READING = "reading", _("Reading")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")
        # The language was changed again before all files were read.
        CANCELLED = "cancelled", _("Cancelled")

    RUNNING = (State.QUEUED, State.READING)

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="language_changes")
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    before = models.CharField(max_length=40, blank=True)
    after = models.CharField(max_length=40, blank=True)
    # The languages by name after it; see `ChosenLanguages`.
    patterns = models.TextField(blank=True)
    created = models.DateTimeField(auto_now_add=True)
    touched = models.DateTimeField(auto_now=True)
    # The time from which on it is in its state.
    since = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    message = models.TextField(blank=True)
    documents_total = models.PositiveIntegerField(default=0)
    documents_done = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"language of {self.assignment}: {self.before or 'any'} to {self.after or 'any'}"

    @property
    def is_running(self) -> bool:
        return self.state in self.RUNNING


class Role(models.TextChoices):
    """The roles that a course gives; its owner is a field of the course. See `submissions.core.rights`."""

    INSTRUCTOR = "instructor", _("Instructor")
    ASSISTANT = "assistant", _("Teaching assistant")
    OBSERVER = "observer", _("Observer")


class Membership(models.Model):
    Role = Role

    course = models.ForeignKey(Course, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)
    # The campus group that gave the role; empty if a person did.
    group = models.CharField(max_length=200, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("user__username",)
        constraints = (models.UniqueConstraint(fields=("course", "user"), name="membership_once_a_user"),)

    def __str__(self) -> str:
        return f"{self.user}: {self.role}"


class CampusGroup(models.Model):
    """A group of the campus accounts whose members join a course with a role when they sign in."""

    course = models.ForeignKey(Course, models.CASCADE, related_name="campus_groups")
    group = models.CharField(max_length=200)
    role = models.CharField(max_length=10, choices=Role.choices)
    # Who gave it the role, and gets none by it.
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("group",)
        constraints = (models.UniqueConstraint(fields=("course", "group"), name="campus_group_once_a_course"),)

    def __str__(self) -> str:
        return f"{self.group}: {self.role}"


class Invitation(models.Model):
    """An invitation to a course, for whoever signs in and opens its link first; deleted once accepted."""

    course = models.ForeignKey(Course, models.CASCADE, related_name="invitations")
    email = models.EmailField()
    role = models.CharField(max_length=10, choices=Role.choices)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    expires = OutsideTimeField()

    class Meta:
        ordering = ("email",)
        constraints = (models.UniqueConstraint(fields=("course", "email"), name="invitation_once_an_address"),)

    def __str__(self) -> str:
        return f"{self.email}: {self.role}"


class StatedReason(models.Model):
    """The reason of an administrator to read a course that is not theirs, and its end; rows are kept."""

    course = models.ForeignKey(Course, models.CASCADE, related_name="stated_reasons")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    reason = models.TextField()
    created = models.DateTimeField(auto_now_add=True)
    expires = OutsideTimeField()

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"{self.user}: {self.reason}"


class CourseRoster(models.Model):
    """The roster of a course: the file that it was read from, and the problems of its rows."""

    course = models.OneToOneField(Course, models.CASCADE, related_name="roster")
    name = models.CharField(max_length=255)
    created = models.DateTimeField(auto_now_add=True)
    # Messages, the first of them.
    problems = models.JSONField(default=list)
    # The number of all of them.
    problem_count = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return self.name


class EnrolledStudent(models.Model):
    """A student of a course's roster; empty where the roster does not say.

    See `submissions.intake.rosters.RosterStudent`.
    """

    roster = models.ForeignKey(CourseRoster, models.CASCADE, related_name="students")
    name = models.CharField(max_length=400, blank=True)
    identifier = models.CharField(max_length=400, blank=True)
    login = models.CharField(max_length=400, blank=True)
    email = models.CharField(max_length=400, blank=True)
    section = models.CharField(max_length=400, blank=True)
    team = models.CharField(max_length=400, blank=True)
    # Further ids and logins.
    other_ids = models.JSONField(default=list)

    class Meta:
        ordering = ("name", "pk")

    def __str__(self) -> str:
        return self.name or self.login or self.email or self.identifier

    @property
    def as_roster_student(self) -> RosterStudent:
        return RosterStudent(
            self.name, self.identifier, self.login, self.email, self.section, self.team, tuple(map(str, self.other_ids))
        )
