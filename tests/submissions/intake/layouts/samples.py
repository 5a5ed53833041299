"""One small upload for each layout, of invented students, named as the platform names them."""

from __future__ import annotations

from tests.submissions.intake.layouts.plain_samples import CODE, PLAIN_SAMPLES
from tests.submissions.intake.layouts.records import (
    BLACKBOARD_RECORD,
    DOLOS_RECORDS,
    GRADESCOPE_RECORDS,
    PUSHED_RECORDS,
)

EMPTY_TEXT = "<html><body></body></html>"
ONLINE_TEXT = f"<html><body><pre>{CODE}</pre></body></html>" + " " * 200


def _blackboard(login: str, name: str, time: str, file: str) -> dict[str, str]:
    attempt = f"Lab 1_{login}_attempt_{time}"
    stored = f"{attempt}_{file}"
    record = BLACKBOARD_RECORD.format(name=name, login=login, file=f"my {file}", stored=stored)
    return {stored: CODE, f"{attempt}.txt": record}


SAMPLES: dict[str, dict[str, str]] = {
    "moodle": {
        "Ada Byron_1001_assignsubmission_file/Main.java": CODE,
        "Ada Byron_1001_assignsubmission_file/util/Area.java": CODE,
        "Ada Byron_1001_assignsubmission_onlinetext/onlinetext.html": EMPTY_TEXT,
        "Bruno Popescu_1002_assignsubmission_onlinetext/onlinetext.html": ONLINE_TEXT,
        "Chidi_Okafor_1003_assignsubmission_file_/Main.java": CODE,
        "Chidi_Okafor_1003_assignfeedback_file_/marks.txt": "well done",
        "Participant_1004_assignsubmission_file/Main.java": CODE,
        "Ada Byron_1005_assignsubmission_file/Main.java": CODE,
        "Team_Blue_77_assignsubmission_file/Main.java": CODE,
        "Default group_assignsubmission_file/Main.java": CODE,
        "index.html": "<html></html>",
    },
    "moodle-flat": {
        "Ada Byron_1001_assignsubmission_file_Main.java": CODE,
        "Ada Byron_1001_assignsubmission_file_Area.java": CODE,
        "Bruno Popescu_1002_assignsubmission_onlinetext_onlinetext.html": ONLINE_TEXT,
        "Chidi Okafor_1003_assignsubmission_file_work/src/Main.java": CODE,
    },
    "moodle-vpl": {
        "Byron Ada 12 abyron/2026-02-27-09-00-00/main.c": CODE,
        "Byron Ada 12 abyron/2026-03-01-14-05-09/main.c": CODE,
        "Byron Ada 12 abyron/2026-03-01-14-05-09/lib/area.c": CODE,
        "Byron Ada 12 abyron/2026-03-01-14-05-09.ceg/compilation.txt": "ok",
        "Popescu Bruno 13 bpopescu/2026-03-01-10-00-00/main.c": CODE,
        "Report.txt": "Date: 2026-03-02\nNumber of users: 2",
    },
    "moodle-quiz": {
        "Byron_Ada_345_20260301_140509/Question_1_-_Area/response.txt": CODE,
        "Byron_Ada_345_20260301_140509/Question_1_-_Area/questiontext.txt": "Compute an area.",
        "Byron_Ada_345_20260301_140509/Question_1_-_Area/attachments/area.py": CODE,
        "Byron_Ada_340_20260228_140509/Question_1_-_Area/response.txt": "no idea",
        "Popescu_Bruno_346_20260301_150509/Question_1_-_Area/response.txt": CODE,
    },
    "moodle-quiz-files": {
        "Q12 - Area/20261234 - Ada Byron/Attempt1_area.py": "no idea",
        "Q12 - Area/20261234 - Ada Byron/Attempt2_area.py": CODE,
        "Q13 - Volume/20261234 - Ada Byron/Attempt2_volume.py": CODE,
        "Q12 - Area/bpopescu - Bruno Popescu/Attempt1_area.py": CODE,
    },
    "canvas": {
        "byronada_2001_50001_main.py": CODE,
        "byronada_2001_50002_helper-1.py": CODE,
        "popescubruno_LATE_2002_50003_main.py": CODE,
        "okaforchidi_2003_text.html": ONLINE_TEXT,
        "lindqvistdoris_2004_link.html": "<html></html>",
        "vandijknoor_2005_50004_work/src/main.py": CODE,
    },
    "canvas-again": {
        "byronada_2001_50001_garage/Main.java": "no idea",
        "byronada_LATE_2001_50002_garage-1/Main.java": CODE,
        "popescubruno_2002_50003_main.py": CODE,
        "popescubruno_2002_50004_task-1.py": CODE,
        "popescubruno_2002_50005_task-2.py": CODE,
        "popescubruno_2002_50006_main-1.py": CODE,
    },
    "canvas-anonymous": {"anon_kX3fz_50001_main.py": CODE, "LATE_anon_9Qpa2_50002_main.py": CODE},
    "canvas-twice": {
        "submissions/byronada_2001_50001_main.py": "no idea",
        "submissions/popescubruno_2002_50002_main.py": CODE,
        "submissions (1)/byronada_LATE_2001_50009_main-1.py": CODE,
        "submissions (1)/popescubruno_2002_50002_main.py": CODE,
    },
    "blackboard": {
        **_blackboard("abyron", "Ada Byron", "2026-02-27-09-00-00", "main.py"),
        **_blackboard("abyron", "Ada Byron", "2026-03-01-14-05-09", "main.py"),
        **_blackboard("bpopescu", "Popescu, Bruno", "2026-03-01-10-00-00", "main.py"),
        "Lab 1_abyron_attempt_2026-02-20-09-00-00_main.py": "no record",
        "Lab 1_cokafor_attempt_2026-03-01-11-00-00_main.py": CODE,
    },
    "brightspace": {
        "Lab 1/39786-6400 - Ada Byron - Oct 10, 2025 1022 AM/Main.java": CODE,
        "Lab 1/39787-6400 - Bruno Popescu - Oct 11, 2025 930 AM/Main.java": "no idea",
        "Lab 1/39787-6400 - Bruno Popescu - Oct 11, 2025 1130 AM/Main.java": CODE,
        "Lab 1/index.html": "<html></html>",
    },
    "brightspace-flat": {
        "39786-6400 - Ada Byron - Oct 10, 2025 1022 AM - Main.java": CODE,
        "39786-6400 - Ada Byron - Oct 10, 2025 1022 AM - Area.java": CODE,
        "39787-6400 - N0123456 - Bruno Popescu - Oct 11, 2025 1130 PM - Main.java": CODE,
        "index.html": "<html></html>",
    },
    "sakai": {
        "Lab 1/grades.csv": "Lab 1,Points\n\nDisplay ID,ID,Last Name,First Name,grade\n",
        "Lab 1/Byron, Ada(abyron)/timestamp.txt": "2026-03-01T14:05:09Z",
        "Lab 1/Byron, Ada(abyron)/comments.txt": "good",
        "Lab 1/Byron, Ada(abyron)/Submission attachment(s)/Main.java": CODE,
        "Lab 1/Byron, Ada(abyron)/Submission attachment(s)/util/Area.java": CODE,
        "Lab 1/Byron, Ada(abyron)/Feedback Attachment(s)/marks.txt": "well done",
        "Lab 1/Okafor, Chidi(co);Popescu, Bruno(bp)/timestamp.txt": "20260301140509000",
        "Lab 1/Okafor, Chidi(co);Popescu, Bruno(bp)/Submission attachment(s)/Main.java": CODE,
        "Lab 1/Li, Wu(wuli)/Li, Wu(wuli)_submissionText.html": ONLINE_TEXT,
    },
    "sakai-flat": {
        "Lab 1/grades.csv": "Lab 1,Points\n",
        "Lab 1/Byron, Ada(abyron)_Submission attachment(s)_Main.java": CODE,
        "Lab 1/Li, Wu(wuli)__submissionText.html": ONLINE_TEXT,
    },
    "gradescope": {
        "assignment_9_export/submission_77000/Main.java": CODE,
        "assignment_9_export/submission_77000/util/Area.java": CODE,
        "assignment_9_export/submission_77001/Main.java": CODE,
        "assignment_9_export/submission_77002/Main.java": CODE,
        "assignment_9_export/submission_metadata.yml": GRADESCOPE_RECORDS,
    },
    "gradescope-broken": {
        "assignment_9_export/submission_77000/Main.java": CODE,
        "assignment_9_export/submission_77001/Main.java": CODE,
        "assignment_9_export/submission_metadata.yml": "{{{ no records\n\t: [",
    },
    "submitty": {
        "submissions/abyron/1/main.py": "no idea",
        "submissions/abyron/2/main.py": CODE,
        "submissions/abyron/3/main.py": "worse",
        "submissions/abyron/user_assignment_settings.json": '{"active_version": 2, "history": []}',
        "submissions/bpopescu/1/main.py": CODE,
        "submissions/bpopescu/user_assignment_settings.json": '{"active_version": 1}',
        "submissions/cokafor/1/main.py": CODE,
        "submissions/cokafor/user_assignment_settings.json": '{"active_version": 0}',
        "submissions/dlindqvist/1/main.py": CODE,
        "submissions/dlindqvist/user_assignment_settings.json": "{broken",
        "results/abyron/2/results.json": "{}",
    },
    "autolab": {
        "abyron@example.edu_1_handin.c": "no idea",
        "abyron@example.edu_12_handin.c": CODE,
        "bruno_popescu@example.edu_2_handin/src/main.c": CODE,
        "annotated_abyron@example.edu_12_handin.c": CODE,
    },
    "prairielearn": {
        "abyron@example.edu_1_area_1_1_90210_area.py": "no idea",
        "abyron@example.edu_1_area_1_2_90218_area.py": CODE,
        "abyron@example.edu_1_volume_2_1_90211_volume.py": CODE,
        "bruno_popescu@example.edu_1_sums/of_rows_1_1_90212_my_sums.py": CODE,
        "bruno_popescu@example.edu_1_area_1_1_90213_area.py": CODE,
    },
    "schoology": {
        "Byron, Ada - 20261234/Revision 1 - On time/main.py": "no idea",
        "Byron, Ada - 20261234/Revision 2 - Late/src/main.py": CODE,
        "Popescu, Bruno - s498783/Revision 1 - On Time/main.py": CODE,
    },
    "open-edx": {
        "[1]Week 1, [2]Loops, [1]Lab/[1] - abyron - prompt_0.txt": "for",
        "[1]Week 1, [2]Loops, [1]Lab/[1] - abyron - main.py": CODE,
        "[1]Week 1, [2]Loops, [1]Lab/[2] - abyron - main.py": CODE,
        "[1]Week 1, [2]Loops, [2]More/[1] - 00f636b9ac6d480c9fb95c23bf1d2129 - area - copy.py": CODE,
        "Removed from course/[x] - bpopescu - main.py": CODE,
        "submissions.csv": "course_id,block_id,student_id,key,name,type\n",
    },
    "openolat": {
        "Lab 1/Byron_Ada_abyron/1_task/lab1.pdf": "Compute an area.",
        "Lab 1/Byron_Ada_abyron/2_submissions/main.c": "no idea",
        "Lab 1/Byron_Ada_abyron/3_corrections/main.c": "almost",
        "Lab 1/Byron_Ada_abyron/4_revisions_1/src/main.c": CODE,
        "Lab 1/Byron_Ada_abyron/5_corrections_1/main.c": "good",
        "Lab 1/Van_Dijk_Noor_nvandijk/2_submissions/main.c": CODE,
        "Lab 1/solutions/main.c": CODE,
        "Lab 1/Lab_1_20260301_140509.xlsx": "",
    },
    "openolat-groups": {
        "Blue_Team_1376256/1_submissions/main.c": CODE,
        "Red_1376257/1_submissions/main.c": CODE,
        "Red_1376257/2_assessment/Byron_Ada_abyron/marks.txt": "good",
    },
    "ilias": {
        "Byron_Ada_abyron_1234/main.c": CODE,
        "Byron_Ada_abyron_1234/src/area.c": CODE,
        "Popescu_Bruno_bruno.popescu@example.edu_1240/main.c": CODE,
        "van Dijk_Noor_n_vandijk_1251/main.c": CODE,
        "Lab 1.xlsx": "",
    },
    "ilias-teams": {
        "Team 12/Byron_Ada_abyron_1234/main.c": CODE,
        "Team 12/Popescu_Bruno_bpopescu_1240/area.c": CODE,
        "Team 13/Okafor_Chidi_cokafor_1241/main.c": CODE,
    },
    "codegrade": {
        "Ada Byron - 2026-02-27T09:00:00.123456/main.py": "no idea",
        "Ada Byron - 2026-03-01T14:05:09.123456/src/main.py": CODE,
        "Bruno Popescu - 2026-03-01T10:00:00/main.py": CODE,
    },
    "nbgrader": {
        "submitted/abyron/ps1/problem1.ipynb": "{}",
        "submitted/abyron/ps1/timestamp.txt": "2026-03-01 14:05:09.123456 UTC",
        "submitted/bpopescu/ps1/problem1.ipynb": "{}",
    },
    "nbgrader-inbound": {
        "inbound/abyron+ps1+2026-02-27 09:00:00.000000 UTC+AbCdEf/problem1.ipynb": "{}",
        "inbound/abyron+ps1+2026-03-01 14:05:09.123456 UTC+Xy-9_z/problem1.ipynb": "{}",
        "inbound/abyron+ps1+2026-03-01 14:05:09.123456 UTC+Xy-9_z/timestamp.txt": "2026-03-01",
        "inbound/abyron+ps1+2026-03-01 14:05:09.123456 UTC+Xy-9_z/submission_secret.txt": "0a1b",
        "inbound/bpopescu+ps1+2026-03-01 10:00:00.000000 UTC/problem1.ipynb": "{}",
    },
    "domjudge": {
        "submissions/11/files/a.cpp": "no idea",
        "submissions/12/files/a.cpp": CODE,
        "submissions/13/files/b.cpp": CODE,
        "submissions/14/files/a.cpp": CODE,
        "submissions.json": """[
            {"id": "11", "team_id": "t1", "problem_id": "p1", "time": "2026-03-01T14:05:09.000+01:00"},
            {"id": "12", "team_id": "t1", "problem_id": "p1", "time": "2026-03-01T15:05:09.000+01:00"},
            {"id": "13", "team_id": "t1", "problem_id": "p2", "time": "2026-03-01T14:00:00.000+01:00"},
            {"id": "14", "team_id": "t2", "problem_id": "p1", "time": "2026-03-01T14:00:00.000+01:00"}]""",
        "teams.json": '[{"id": "t1", "name": "Byron and Li"}, {"id": "t2", "display_name": "Popescu"}]',
        "problems.json": '[{"id": "p1", "label": "A"}, {"id": "p2", "label": "B"}]',
        "languages.json": "[]",
    },
    "artemis": {
        "prog1-Sorting Lists-4711-abyron/src/Main.java": CODE,
        "prog1-Sorting Lists-4711-abyron/pom.xml": "<project/>",
        "prog1-Sorting Lists-4712-bpopescu/src/Main.java": CODE,
        "prog1-Sorting Lists-4713-student-submission.git/src/Main.java": CODE,
    },
    "github": {
        "lab1-submissions/lab1-abyron/src/main.py": CODE,
        "lab1-submissions/lab1-abyron/README.md": "lab 1",
        "lab1-submissions/lab1-bruno-popescu/src/main.py": CODE,
    },
    "github-archives": {
        "lab1-abyron-main/lab1-abyron-main/main.py": CODE,
        "lab1-bpopescu-main/lab1-bpopescu-main/main.py": CODE,
        "lab1-cokafor-master/lab1-cokafor-master/main.py": CODE,
        "roster.csv": "id,name",
    },
    "pushed": {
        "pushed-3/Main.java": "no idea",
        "pushed-7/Main.java": CODE,
        "pushed-7/work/util/Area.java": CODE,
        "pushed-8/Main.java": CODE,
        "pushed-9/Main.java": CODE,
        "pushed-submissions.json": PUSHED_RECORDS,
    },
    "pushed-broken": {"pushed-7/Main.java": CODE, "pushed-submissions.json": "[" * 2000},
    "dolos": {
        "info.csv": DOLOS_RECORDS,
        "ada.py": CODE,
        "group1/ben.py": CODE,
        "x42.py": CODE,
        "template.py": CODE,
    },
    "jplag": {
        "submissionMappings.json": '{"submission_id_to_display_name": {"g_ada": "g/ada", "ben.py": "ben.py"}}',
        "options.json": '{"language": "python3"}',
        "comparisons/g_ada-ben.py.json": "{}",
        "files/g_ada/main.py": CODE,
        "files/g_ada/util/area.py": CODE,
        "files/ben.py/ben.py": CODE,
    },
    "jplag-renamed": {
        "result/submissionMappings.json": '{"submissionIds": {"ada": "Ada Lovelace", "cleo": "Cleo", "c2": "Cleo"}}',
        "result/files/ada/main.py": CODE,
        "result/files/cleo/main.py": CODE,
        "result/files/c2/main.py": CODE,
        "result/files/cleo/submissionMappings.json": '{"submissionIds": {"ada": "Somebody else"}}',
        "result/README.txt": "report",
    },
    **PLAIN_SAMPLES,
}

# Samples whose layout has another key than they do.
VARIANTS = {
    "moodle-flat": "moodle", "moodle-quiz-files": "moodle-quiz", "canvas-anonymous": "canvas",
    "canvas-twice": "canvas", "canvas-again": "canvas",
    "brightspace-flat": "brightspace", "sakai-flat": "sakai",
    "gradescope-broken": "gradescope", "pushed-broken": "pushed",
    "folders-loose": "folders", "sections-loose": "sections", "files-common": "files",
    "nbgrader-inbound": "nbgrader", "github-archives": "github", "openolat-groups": "openolat",
    "ilias-teams": "ilias", "questions-files": "questions", "folders-course": "folders",
    "files-list": "files", "jplag-renamed": "jplag",
}  # fmt: skip
