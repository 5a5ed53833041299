"""Records of submissions, as platforms write them into their exports."""

BLACKBOARD_RECORD = """Name: {name} ({login})
Assignment: Lab 1
Date Submitted: Sunday, March 1, 2026 2:05:09 PM CET
Current Grade: Needs Grading

Submission Field:
There is no student submission text data for this assignment.

Comments:
There are no student comments for this assignment.

Files:
\tOriginal filename: {file}
\tFilename: {stored}
"""
GRADESCOPE_RECORDS = r"""---
submission_77000:
  :submitters:
  - :name: Ada Byron
    :sid: '20261234'
    :email: abyron@example.edu
  - :name: "Bruno Pope\u0219cu"
    :sid: ''
    :email: bpopescu@example.edu
  :created_at: 2026-03-01 14:05:09.116021000 Z
  :score: 10.0
  :status: processed
  :results:
    output: "submission_1:\n  :submitters:\n"
    tests:
    - name: test_area
      output: |
        :name: nobody
  :history:
  - :id: 76000
    :created_at: 2026-02-01 14:05:09.116021000 Z
submission_77001:
  :submitters:
  - :name: 'Chidi O''Neill'
    :sid: 20265678
    :email: coneill@example.edu
  :created_at: 2026-03-02 09:00:00.000000000 -05:00
"""
PUSHED_RECORDS = """{
 "pushed-3": {"name": "Ada Byron", "identifier": "u-1", "submitted": "2026-03-01T14:05:09+00:00"},
 "pushed-7": {"name": "Ada Byron", "identifier": "u-1", "submitted": "2026-03-02T14:05:09.12+00:00"},
 "pushed-8": {"name": "Ada Byron (u-2)", "identifier": "u-2", "submitted": "yesterday"},
 "pushed-9": {"name": 7, "identifier": null}
}"""

DOLOS_RECORDS = """filename,label,created_at,full_name,ignored
ada.py,teacher,2019-07-23 17:12:33 +0200,Ada Byron,
./group1/ben.py,group1,yesterday,,false
x42.py,,2019-07-25 11:02:57 +0200,"Okafor, Chidi",
template.py,,,,true
gone.py,,,Nobody,
"""
