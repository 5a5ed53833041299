"""The instructions of `machine`: a number, and then its operands.

`set` is a row of `Program.member`, an address is an index in `Program.code`, and a limit of -1 is none.
"""

LAST_GROUP = 30

MATCHED = 0  # the expression matches
CHARACTER = 1  # kind
WORD = 2  # number of kinds, kinds
ONE = 3  # set
SPAN = 4  # set, least, most: as many as there are, and never fewer
SPLIT = 5  # set for the first address, set for the second one, both addresses in the order to try them
BRANCH = 6  # row of `Program.choices`
JUMP = 7  # address
GREEDY = 8  # set, least, most, set that can follow
LAZY = 9  # as GREEDY
SAVE = 10  # register
CLEAR = 11  # the register behind the last group
FAIL = 12

# Repeats with a counter; each has two registers.
REPEAT = 13  # register
UNTIL = 14  # register, least, most, address of the body and of what follows, sets with which these begin
UNTIL_LAZY = 15  # as UNTIL, and the address of MORE
MORE = 16  # register, most, address of the body

# Parts that are matched for themselves; DONE ends each.
POSSESSIVE = 17  # register, least, most, address of what follows, set with which the body begins
LOOK = 18  # address of what follows, characters before
NO_LOOK = 19  # as LOOK
ATOMIC = 20  # address of what follows
DONE = 21

# Conditions, with a set of words or of line ends.
TEXT_START = 22
TEXT_END = 23
LINE_START = 24  # set
LINE_END = 25  # set
LAST_LINE_END = 26  # set
BOUNDARY = 27  # set, 1 for a boundary and 0 for none, whether an empty text has it
REFERENCE = 28  # register of the start of a group, 1 where case is ignored
