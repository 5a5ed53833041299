"""A version of what a report's pages show: it changes whenever a page may change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import connection

if TYPE_CHECKING:
    from submissions.models import Assignment, Report

# Whole rows of everything that is not fixed when a report is finished, except the counters of an upload.
# `xmin` is the transaction that wrote a row last. Submissions are counted:
# they and their pairs may only disappear.
VERSION = """
    WITH shown AS (SELECT * FROM submissions_decision WHERE assignment_id = %(assignment)s),
         uploads AS (SELECT * FROM submissions_batch WHERE assignment_id = %(assignment)s)
    SELECT md5(jsonb_build_array(
        (SELECT jsonb_agg(md5(shown::text) ORDER BY shown.id) FROM shown),
        (SELECT jsonb_agg(jsonb_build_array(uploads.id, uploads.state, uploads.name, uploads.uploaded_by_id)
                          ORDER BY uploads.id) FROM uploads),
        (SELECT jsonb_agg(md5(given::text) ORDER BY given.id) FROM submissions_boilerplate given
         WHERE given.assignment_id = %(assignment)s),
        (SELECT md5(assignment::text) FROM submissions_assignment assignment
         WHERE assignment.id = %(assignment)s),
        (SELECT course.name FROM submissions_course course WHERE course.id = %(course)s),
        (SELECT jsonb_agg(jsonb_build_array(person.id, person.username) ORDER BY person.id)
         FROM auth_user person
         WHERE person.id IN (SELECT assignee_id FROM shown UNION SELECT uploaded_by_id FROM uploads)),
        (SELECT report.xmin::text FROM submissions_report report WHERE report.id = %(report)s),
        (SELECT count(*) FROM submissions_report_submissions ranked
         WHERE ranked.report_id = %(report)s)
    )::text)
"""


def version(assignment: Assignment, report: Report | None) -> str:
    """Return a checksum of everything besides the report that its pages show."""
    values = {
        "assignment": assignment.pk,
        "course": assignment.course_id,
        "report": report.pk if report else None,
    }
    with connection.cursor() as cursor:
        cursor.execute(VERSION, values)
        return str(cursor.fetchone()[0])
