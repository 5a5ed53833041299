"""The self-check of a report: what pages and documents state, recomputed one by one from what it is about.

facts              the stored report beside its sources, tokens and decisions
pairs              the pairs: sides, evidence, passages and figures
dictated           what the statement of the task dictates, which is no evidence
findings           counts, best matches, cases and identical submissions; all checks of a report
decisions          the decision that a pair shows, cases by hand, statements

Nothing here is shared with what ranks or shows: every check counts in its own, slow way.
"""
