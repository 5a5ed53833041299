"""The marks of lexemes: what they mean to normalisation."""


class Mark:
    """Bits that describe a lexeme to normalisation; plain integers, since enum flags are slow to test."""

    SPACE = 1  # white space or a comment, which separates tokens
    NEWLINE = 2  # the lexeme contains the end of a line
    DROPPED = 4  # dropped, but only after the statements to drop are known
    STATEMENT = 8  # begins a statement to drop
    DECORATOR = 16
    OPEN = 32
    CLOSE = 64
    STATEMENT_END = 128
    OPERATOR = 256
    PART = 512  # part of a string or text: joined with neighbouring parts of the same sort
    WORD = 1024
    NUMBER = 2048
    STRING = 4096
    IDENTIFIER = 8192
    PARENTHESIS = 32768  # an opening parenthesis
    DOT = 131072
    RUN = 65536  # several punctuation characters that the lexer returned as one token
    LINES = 262144  # part of a string, with the end of a line in it
    UNQUOTED = 1048576  # part of a string that does not end with a quote
    ERROR = 524288  # what no rule of the lexer reads
