"""Versions of what a report's pages show: they change whenever a page may change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import connection

if TYPE_CHECKING:
    from submissions.models import Assignment, Report

# Whole rows of everything that is not fixed when a report is finished, except decisions, and the counters of
# an upload. `xmin` is the transaction that wrote a row last.
VERSION = """
    WITH uploads AS (SELECT * FROM submissions_batch WHERE assignment_id = %(assignment)s)
    SELECT md5(jsonb_build_array(
        (SELECT jsonb_agg(jsonb_build_array(uploads.id, uploads.state, uploads.name, uploads.uploaded_by_id,
                                                     uploads.origin_id)
                          ORDER BY uploads.id) FROM uploads),
        (SELECT jsonb_agg(md5(given::text) ORDER BY given.id) FROM submissions_boilerplate given
         WHERE given.assignment_id = %(assignment)s),
        (SELECT md5(assignment::text) FROM submissions_assignment assignment
         WHERE assignment.id = %(assignment)s),
        (SELECT roster.xmin::text FROM submissions_courseroster roster WHERE roster.course_id = %(course)s),
        (SELECT course.name FROM submissions_course course WHERE course.id = %(course)s),
        (SELECT jsonb_agg(jsonb_build_array(person.id, person.username) ORDER BY person.id)
         FROM auth_user person
         WHERE person.id IN (SELECT uploaded_by_id FROM uploads
                             UNION SELECT threshold_by_id FROM submissions_assignment assignment
                             WHERE assignment.id = %(assignment)s)),
        (SELECT report.xmin::text FROM submissions_report report WHERE report.id = %(report)s)
    )::text)
"""
DECISIONS = """
    WITH decided AS (SELECT * FROM submissions_decision
                     WHERE assignment_id = %(assignment)s
                       AND (%(name)s = '' OR "left" = %(name)s OR "right" = %(name)s))
    SELECT md5(jsonb_build_array(
        (SELECT jsonb_agg(md5(decided::text) ORDER BY decided.id) FROM decided),
        (SELECT jsonb_agg(md5(cases::text) ORDER BY cases.id) FROM submissions_casedecision cases
         WHERE cases.assignment_id = %(assignment)s),
        (SELECT jsonb_agg(md5(member::text) ORDER BY member.id) FROM submissions_casemember member
         WHERE member.assignment_id = %(assignment)s),
        (SELECT jsonb_agg(jsonb_build_array(person.id, person.username) ORDER BY person.id)
         FROM auth_user person
         WHERE person.id IN (SELECT assignee_id FROM decided
                             UNION SELECT assignee_id FROM submissions_casedecision cases
                             WHERE cases.assignment_id = %(assignment)s))
    )::text)
"""


def version_of(assignment: Assignment, report: Report | None) -> str:
    """Return a checksum of everything besides the report and decisions that its pages show."""
    report_key = report.pk if report else None
    return _checksum(VERSION, assignment=assignment.pk, course=assignment.course_id, report=report_key)


def decisions_version(assignment: Assignment, name: str = "") -> str:
    """Return a checksum of all decisions.

    With `name`, of those on cases and on pairs with the submission of that name.
    """
    return _checksum(DECISIONS, assignment=assignment.pk, name=name)


def _checksum(query: str, **values: str | int | None) -> str:
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return str(cursor.fetchone()[0])
