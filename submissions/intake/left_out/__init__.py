"""Files of a submission that its student did not write: tools generated, compiled or downloaded them.

rules     the table: what is left out, and the reason that is shown
matching  find the rule for a name, for the content of a file, and for a folder
globs     match a path with patterns in the syntax of .gitignore, in linear time
patterns  the instructor's own patterns, which count before the rules
listing   all files of an upload; decides which are left out
"""
