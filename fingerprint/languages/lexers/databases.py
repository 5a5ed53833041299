"""SQL in the dialects of MySQL, Postgres, SQL Server and Oracle, whose files have the same names."""

from __future__ import annotations

import re
from typing import ClassVar

from pygments.lexer import inherit
from pygments.lexers import sql
from pygments.token import Comment, Name, Punctuation, String

# A backslash escapes a quote in MySQL only. It does if a letter follows, or if otherwise the quotes in the
# rest of the line would not be in pairs.
_QUOTE = r"(?:(?<!\\)'|'(?!\w))"
_OTHER = r"(?:[^'\n]|(?<=\\)'(?=\w)){0,200}+"
_ODD = rf"{_OTHER}{_QUOTE}(?:{_OTHER}{_QUOTE}{_OTHER}{_QUOTE}){{0,20}}+{_OTHER}$"
_ESCAPED = rf"\\'(?=\w|{_ODD})"
_BRACKETS = {"bracket": ("[", "]"), "brace": ("{", "}"), "parenthesis": ("(", ")"), "angle": ("<", ">")}


class Sql(sql.SqlLexer):
    flags = re.IGNORECASE | re.MULTILINE
    tokens: ClassVar = {
        "root": [
            # MySQL's comments; `#name` is a table of SQL Server.
            (r"#(?=[\s#]).*", Comment.Single),
            (r"^#\w++[ \t]++\w.*", Comment.Single),
            (r"e'(?:\\[\s\S]|''|[^'\\])*+'?", String.Single),
            *(
                (rf"n?q'{re.escape(opening)}", String.Single, name)
                for name, (opening, _) in _BRACKETS.items()
            ),
            (r"n?q'([^\s\w'])(?:(?!\1')[\s\S]){0,500}+\1'", String.Single),
            (rf"n?'(?:''|{_ESCAPED}|\\\\(?=[^']|'')|[^'])*+'?", String.Single),
            (r'"(?:""|\\"(?=\w)|[^"])*+"?', String.Symbol),
            (r"`[^`'\"\n]{0,60}+['\"][^`\n]*+`", Name),
            (r"\[(?!')[^\]'\"\n]{1,60}+'[^\]'\"\n]*+\]", Name),
            # Quoted by dollars: text within a line, or else the code of a function.
            (r"(\$(?:[a-z_]\w*+)?\$)(?:(?!\1)[^;\n]){0,1000}+\1", String.Single),
            (r"\$(?:[a-z_]\w*+)?\$", Punctuation),
            inherit,
        ],
        **{
            name: [
                (rf"{re.escape(closing)}'", String.Single, "#pop"),
                (rf"[^{re.escape(closing)}]++", String.Single),
                (re.escape(closing), String.Single),
            ]
            for name, (_, closing) in _BRACKETS.items()
        },
    }
