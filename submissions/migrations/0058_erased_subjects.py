from __future__ import annotations

from django.db import migrations

# One exception from the append-only log: within a transaction that has declared that it erases a student, the
# subject of an entry may get the pseudonym in place of a name, and nothing else of the entry may change.
EXCEPTION = """
CREATE OR REPLACE FUNCTION submissions_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE'
        AND current_setting('moss.erases_a_student', true) = 'on'
        AND to_jsonb(NEW) - 'subject' = to_jsonb(OLD) - 'subject'
        AND strpos(NEW.subject, '[erased]') > 0
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the audit log is append-only';
END
$$;
"""
REVERSE = """
CREATE OR REPLACE FUNCTION submissions_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is append-only';
END
$$;
"""


class Migration(migrations.Migration):
    dependencies = (("submissions", "0057_erasures"),)

    operations = (migrations.RunSQL(EXCEPTION, REVERSE),)
