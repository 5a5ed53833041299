"""The self-check of a report: what pages and documents state, recomputed one by one from what it is about.

contradictions     all checks of a report
facts              the stored report beside its sources, tokens and decisions
pairs              the pairs: sides, evidence, passages and figures
findings           counts, best matches, cases and identical submissions
decisions          the decision that a pair shows, and cases by hand, statements

Nothing here is shared with what ranks or shows: every check counts in its own, slow way.
"""
