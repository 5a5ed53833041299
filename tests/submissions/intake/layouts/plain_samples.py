"""Small uploads that no platform named: folders and files of invented students."""

from __future__ import annotations

CODE = "def area(width, height):\n    return width * height\n"

PLAIN_SAMPLES: dict[str, dict[str, str]] = {
    "project": {"byron/src/main.py": CODE, "byron/tests/test_main.py": CODE, "byron/setup.py": CODE},
    "sections": {
        "class/Section A/abyron/main.py": CODE,
        "class/Section A/bpopescu/src/main.py": CODE,
        "class/Section B/cokafor/main.py": CODE,
        "class/Section B/dlindqvist/main.py": CODE,
        "class/README.md": "two sections",
    },
    "folders": {
        "class/abyron/main.py": CODE,
        "class/bpopescu/main.py": CODE,
        "class/cokafor/main.py": CODE,
        "class/dlindqvist.py": CODE,
        "class/tests/test_main.py": CODE,
    },
    "folders-loose": {
        "class/Lab 1 - Ada Byron/main.py": CODE,
        "class/Lab 1 - Bruno Popescu/main.py": CODE,
        "class/Lab 1 - Chidi Okafor.py": CODE,
        "class/Makefile": "run:",
        "class/README.txt": "Lab 1",
        "class/roster.csv": "id,name\n1,Ada Byron\n",
        "class/submissions.tsv": "1\tAda Byron\n",
    },
    "questions": {
        "quiz/Question 1/Ada Byron/area.py": CODE,
        "quiz/Question 2/Ada Byron/src/volume.py": CODE,
        "quiz/Question 1/Bruno Popescu/area.py": CODE,
        "quiz/Question 2/Bruno Popescu/volume.py": CODE,
        "quiz/Question 1/Chidi Okafor/area.py": CODE,
        "quiz/README.txt": "the quiz",
    },
    "questions-files": {
        "quiz/Q1/abyron.py": CODE,
        "quiz/Q1/bpopescu.py": CODE,
        "quiz/Q1/cokafor_Q1.py": CODE,
        "quiz/Q2/abyron_Q2.py": CODE,
        "quiz/Q2/bpopescu.py": CODE,
        "quiz/Q2/dlindqvist.py": CODE,
        "quiz/grades.csv": "id,grade",
    },
    "folders-course": {
        "class/abyron/main.py": CODE,
        "class/bpopescu/main.py": CODE,
        "class/cokafor/main.py": CODE,
        "class/Starter_Code/main.py": CODE,
        "class/Musterlo\N{COMBINING DIAERESIS}sung/main.py": CODE,
        "class/solución/main.py": CODE,
    },
    "files-list": {
        "class/abyron.py": CODE,
        "class/bpopescu.py": CODE,
        "class/2026-03-01T1000_Grades.csv": "Student,ID\n",
        "class/README.md": "Lab 1",
    },
    "sections-loose": {
        "class/Section A/abyron/main.py": CODE,
        "class/Section A/bpopescu/main.py": CODE,
        "class/Section A/Makefile": "run:",
        "class/Section B/cokafor/main.py": CODE,
        "class/Section B/dlindqvist/main.py": CODE,
        "class/Section B/grades.csv": "id,grade",
    },
    "files-common": {
        "class/Ada Byron - fines.py": CODE,
        "class/Bruno Popescu - fines.py": CODE,
        "class/Chidi Okafor - fines.py": CODE,
    },
    "files": {"class/abyron.py": CODE, "class/bpopescu.py": CODE},
}
