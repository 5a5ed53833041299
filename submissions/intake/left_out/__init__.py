"""Files of a submission that its student did not write: tools generated, compiled or downloaded them.

rules     the table: what is left out, its reason, and the rule that a path, a content or a folder matches
patterns  the instructor's own patterns, in the syntax of .gitignore; they count before the rules
listing   all files of an upload; decides which are left out
"""
