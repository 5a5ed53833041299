"""A version of what a report's pages show: it changes whenever a page may change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.models import User
from django.db import connection

from submissions.models import Assignment, Batch, Boilerplate, Course, Decision, Report

if TYPE_CHECKING:
    from submissions.models import Report as ReportType

# Whole rows of everything that is not fixed when a report is finished, except the counters of an upload. `xmin`
# is the transaction that wrote a row last. Submissions and their pairs only ever disappear: they are counted.
VERSION = f"""
    WITH shown AS (SELECT * FROM {Decision._meta.db_table} WHERE assignment_id = %(assignment)s),
         uploads AS (SELECT * FROM {Batch._meta.db_table} WHERE assignment_id = %(assignment)s)
    SELECT md5(jsonb_build_array(
        (SELECT jsonb_agg(md5(shown::text) ORDER BY shown.id) FROM shown),
        (SELECT jsonb_agg(jsonb_build_array(uploads.id, uploads.state, uploads.name, uploads.uploaded_by_id)
                          ORDER BY uploads.id) FROM uploads),
        (SELECT jsonb_agg(md5(given::text) ORDER BY given.id) FROM {Boilerplate._meta.db_table} given
         WHERE given.assignment_id = %(assignment)s),
        (SELECT md5(assignment::text) FROM {Assignment._meta.db_table} assignment
         WHERE assignment.id = %(assignment)s),
        (SELECT course.name FROM {Course._meta.db_table} course WHERE course.id = %(course)s),
        (SELECT jsonb_agg(jsonb_build_array(person.id, person.username) ORDER BY person.id)
         FROM {User._meta.db_table} person
         WHERE person.id IN (SELECT assignee_id FROM shown UNION SELECT uploaded_by_id FROM uploads)),
        (SELECT report.xmin::text FROM {Report._meta.db_table} report WHERE report.id = %(report)s),
        (SELECT count(*) FROM {Report.submissions.through._meta.db_table} ranked
         WHERE ranked.report_id = %(report)s)
    )::text)
"""


def version(assignment: Assignment, report: ReportType | None) -> str:
    """Return a checksum of everything besides the report that its pages show."""
    values = {
        "assignment": assignment.pk,
        "course": assignment.course_id,
        "report": report.pk if report else None,
    }
    with connection.cursor() as cursor:
        cursor.execute(VERSION, values)
        return str(cursor.fetchone()[0])
