"""Two submissions side by side: the pairs of a report, line by line, or any two."""
