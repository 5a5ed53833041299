from django.db import migrations

# Layouts know several students of one submission only from now on.
STUDENTS = """
    INSERT INTO submissions_submissionstudent (submission_id, name, identifier)
    SELECT id, name, identifier FROM submissions_submission
"""


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0015_students"),
    ]

    operations = [migrations.RunSQL(STUDENTS, migrations.RunSQL.noop)]
