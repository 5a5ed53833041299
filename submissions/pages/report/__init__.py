"""The report of an assignment: its pairs, charts, the rank of each submission, and the exclusions."""
