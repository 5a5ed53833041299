"""Subjects of the audit log are proved, and replaced by one function only, which writes that it was done."""

from __future__ import annotations

from typing import ClassVar

from django.db import migrations, models

# It runs with the rights of the owner of the table: the role of the service has none to change an entry. The
# entry that is written is numbered and signed by the service; `submissions.audit.models.verify` compares it.
REPLACE_SUBJECTS = """
CREATE FUNCTION submissions_replace_subjects(entry jsonb, numbers bigint[], subjects text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    proof public.submissions_auditentry := jsonb_populate_record(NULL::public.submissions_auditentry, entry);
BEGIN
    IF proof.action <> 'erased' OR proof.page <> 'replace_subjects' OR proof.subject_digest = ''
        OR proof.number <> (SELECT max(number) + 1 FROM public.submissions_auditentry)
        OR cardinality(numbers) = 0 OR cardinality(numbers) <> cardinality(subjects)
    THEN
        RAISE EXCEPTION 'no proof of an erasure';
    END IF;
    proof.id := nextval(pg_get_serial_sequence('public.submissions_auditentry', 'id'));
    INSERT INTO public.submissions_auditentry SELECT proof.*;
    PERFORM set_config('moss.erases_a_student', 'on', true);
    UPDATE public.submissions_auditentry AS log SET subject = new.subject
        FROM unnest(numbers, subjects) AS new (number, subject)
        WHERE log.number = new.number AND log.page <> 'replace_subjects';
    PERFORM set_config('moss.erases_a_student', '', true);
END
$$;
REVOKE ALL ON FUNCTION submissions_replace_subjects FROM PUBLIC;
"""


class Migration(migrations.Migration):
    phase = "expand"

    dependencies: ClassVar = [("submissions", "0002_incomplete_uploads")]

    operations: ClassVar = [
        migrations.AddField(
            "auditentry",
            "subject_digest",
            models.CharField(max_length=64, editable=False, default="", db_default=""),
        ),
        migrations.RunSQL(REPLACE_SUBJECTS, "DROP FUNCTION submissions_replace_subjects"),
    ]
