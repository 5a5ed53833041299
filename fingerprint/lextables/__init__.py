"""The rules of Pygments' lexers as tables, which one compiled kernel runs.

dispatch      a lexer of Pygments that tries only rules that can match at the current character
raw_tokens    the tokens of a lexer as lists, or as arrays with each lexeme once
deadline      the time limit of what reads files, without NumPy: children that unpack have it too
lexer         reads texts by the tables of a lexer, which the library of kernels stores
loop          the loop of a lexer, as a kernel
machine       matches one expression at one place, by backtracking
tables        the arrays of a lexer, and the instructions of the machine
table_writer  makes the tables of the rules of a lexer
expressions   regular expressions as trees, compiled when one is needed
characters    character classes exactly as `re` decides
"""
