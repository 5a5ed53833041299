"""Perl, PHP, Bash and Tcl: here-documents in every form, and quotes that begin no string."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import inherit
from pygments.lexers import perl, php, shell, tcl
from pygments.token import Name, Number, Operator, Punctuation, String, Text, Whitespace

from fingerprint.languages.lexers.here_documents import HereDocuments
from fingerprint.languages.lexers.rules import groups

_DIVISION = r"([ \t]*+)(//?=?)"


# Other signs between which a regular expression may be.
_SIGNS = (r"\#", r"\|")


def _between(sign: str) -> str:
    return sign + _rest(sign)


def _rest(sign: str) -> str:
    return rf"(?:\\[^\n]|[^{sign}\\\n])*+{sign}"


# The length is limited, so that one that is not closed is not searched for its end from each of many.
_BRACES = r"\{(?:\\[^\n]|[^}\\\n]){0,500}+\}"


class Perl(perl.PerlLexer):
    tokens: ClassVar = {
        "root": [
            # What comes after a value divides it.
            (rf"([)\]]){_DIVISION}", groups(Punctuation, Whitespace, Operator)),
            (r"(\})([ \t]*+)(//?)(?=[ \t=])", groups(Punctuation, Whitespace, Operator)),
            (rf"(\d++){_DIVISION}", groups(Number.Integer, Whitespace, Operator)),
            # The keys of hashes, no quotes.
            (r"(?<=\{)(?:q[qwrx]?|[smy]|tr)(?=\})|(?:q[qwrx]?|[smy]|tr)(?=\s*+=>)", Name),
            # A here-document has become a string.
            (r"<<(?=[\"'~\w])", Operator),
            (r"(?:tr|y)/(?:\\[^\n]|[^/\\\n])*+/(?:\\[^\n]|[^/\\\n])*+/[cdsr]*+", String.Regex),
            (rf"(?:tr|y){_BRACES}\s*+{_BRACES}[cdsr]*+", String.Regex),
            *((rf"s{_between(sign)}{_rest(sign)}[egimosxr]*+", String.Regex) for sign in _SIGNS),
            *((rf"m{_between(sign)}[gcimosxr]*+", String.Regex) for sign in _SIGNS),
            inherit,
        ],
        "varname": [
            (rf"([\w:]++){_DIVISION}", groups(Name.Variable, Whitespace, Operator), "#pop"),
            inherit,
        ],
    }
    rewrite = HereDocuments(
        r"<<(?P<indent>~?)(?:[\"'](?P<quoted>[^\"'\n]++)[\"']|(?P<name>[A-Za-z_]\w*+))",
    )


class Php(php.PhpLexer):
    tokens: ClassVar = {
        "php": [(r"<<<(?=[ \t]*+[\"'\w])", Operator), inherit],
        "string": [
            # The end of an expression in a string is looked for in the next characters only.
            (r"\{(?=\$\{)(?!(?:(?!\}\})[\s\S]){0,500}\}\})|\{(?=\$)(?![^}]{0,500}\})", String.Double),
            inherit,
        ],
    }
    rewrite = HereDocuments(
        r"<<<[ \t]*+[\"']?+(?P<name>[A-Za-z_]\w*+)[\"']?+(?=\n)",
        code_after=True,
    )


class Bash(shell.BashLexer):
    tokens: ClassVar = {"basic": [(r"<<(?!<)-?", Operator), inherit]}
    rewrite = HereDocuments(
        r"(?<!<)<<(?P<indent>-?)[ \t]*+"
        r"(?:[\"'](?P<quoted>[^\"'\n]++)[\"']|\\?(?P<name>[A-Za-z_]\w*+))",
    )


class Tcl(tcl.TclLexer):
    _plain = r'(?:\\[\s\S]|[^"\\{}]|\{(?:\\[\s\S]|[^{}"\\])*+\})*+"'
    tokens: ClassVar = {
        "basic": [
            # A quote begins a string where a word begins, and only if it is closed before the braces are.
            (r"(?<=[^\s\[({])\"", Text),
            (rf'"(?!{_plain})', Text),
            (r"\\[^\n]", Text),
            (r"'", Text),
            inherit,
        ],
    }
