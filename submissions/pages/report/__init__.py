"""The report of an assignment: what stands out, charts, where a submission stands, what was left out."""
