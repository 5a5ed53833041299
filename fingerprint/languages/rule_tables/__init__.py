"""The rules of Pygments' lexers as tables, which one compiled kernel runs.

`expressions` reads a regular expression, `characters` says what its character classes hold, `programs` writes
the instructions for `machine`, which matches; `rules` makes the tables of a lexer, `loop` runs them over a
text, and `lexer` joins this to Pygments.
"""
