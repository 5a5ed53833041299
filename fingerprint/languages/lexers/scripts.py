"""Perl, PHP, Bash, Ruby, Tcl, JavaScript and TypeScript.

Here-documents in every form, quotes that begin no string, regular expressions where an expression may
begin, and the text of JSX.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from re import Match
from typing import Any, ClassVar

from pygments.lexer import default, include, inherit
from pygments.lexers import javascript, perl, php, ruby, shell, tcl
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text, Whitespace

from fingerprint.languages.lexers import groups

# Where the lines begin whose text is a name, and where that name ends; by whether a line may be indented.
LastLines = dict[tuple[str, bool], list[tuple[int, int]]]

_WHOLE_LINE = re.compile(r"^([ \t]*+)(\S[^\n]*+)", re.MULTILINE)
_FIRST_WORD = re.compile(r"^([ \t]*+)(\w++)", re.MULTILINE)

_DIVISION = r"([ \t]*+)(//?=?)"


# Other signs between which a regular expression may be.
_SIGNS = (r"\#", r"\|")

# The length is limited: otherwise a long line would be searched to its end from each of many unclosed braces.
_BRACES = r"\{(?>(?:\\[^\n]|[^}\\\n]){0,500})\}"

# The lengths are limited, so that an unclosed class is not searched for its end to the end of a long line.
_CLASS = r"\[(?>(?:\\[^\n]|[^\]\\\n]){0,120})\]"
_REGEX = rf"/(?>(?:\\[^\n]|[^[/\\\n]|{_CLASS}){{1,800}})/(?:[dgimsuvy]++\b|\B)"
# An element: in TypeScript a type may be there instead. Its end is looked for in the next characters only.
_ELEMENT_END = r"(?>(?:[^</]|(?!</\1\b|/>)[</]){0,4000})(?:</\1\b|/>)"
_ELEMENT = r"<(?=([A-Za-z_$][\w.$:-]*+)(?:\s*+/?>|\s++[\w{])" + _ELEMENT_END + ")"
_FRAGMENT = r"<(?=>(?>(?:[^<]|(?!</>)<){0,4000})</>)"

_STATES: dict[str, Any] = {
    "slashstartsregex": [
        include("commentsandwhitespace"),
        (_REGEX, String.Regex, "#pop"),
        (_FRAGMENT, Punctuation, ("#pop", "jsx-tag")),
        (_ELEMENT, Punctuation, ("#pop", "jsx-tag")),
        # No expression can be read here: the rest of the line is code.
        (r"/=?", Operator, "#pop"),
        default("#pop"),
    ],
    "interp-inside": [
        (r"\}", String.Interpol, "#pop"),
        (r"\{", Punctuation, ("braces", "slashstartsregex")),
        include("root"),
    ],
    "braces": [(r"\}", Punctuation, "#pop"), (r"\{", Punctuation, ("#push", "slashstartsregex")), include("root")],
    "jsx-tag": [
        (r"\s++", Whitespace),
        (r"/>", Punctuation, "#pop"),
        (r">", Punctuation, ("#pop", "jsx-children")),
        (r'"[^"]*+"|\'[^\']*+\'', String.Other),
        (r"\{", Punctuation, ("jsx-expression", "slashstartsregex")),
        (r"[A-Za-z_$][\w.$:-]*+", Name.Other),
        (r"=", Operator),
        default("#pop"),
    ],
    "jsx-children": [
        (r"(</)([\w.$:-]*+)(\s*+)(>)", groups(Punctuation, Name.Other, Whitespace, Punctuation), "#pop"),
        (r"<(?=[A-Za-z_$>])", Punctuation, "jsx-tag"),
        (r"\{", Punctuation, ("jsx-expression", "slashstartsregex")),
        # An element that is never closed ends where the next declaration begins.
        (r"^(?=(?:export|function|class|const|let|var|import|async)\s)", Text, "#pop"),
        (r"\s++", Whitespace),
        (r"[^<{\n]++", String.Other),
        (r"<", Operator),
    ],
    "jsx-expression": [
        (r"\}", Punctuation, "#pop"),
        (r"\{", Punctuation, ("braces", "slashstartsregex")),
        include("root"),
    ],
}
_ROOT = [
    (r"=>", Punctuation, "slashstartsregex"),
    # What comes after a value divides it.
    (r"(?<=[\w$)\]])(?:\+\+|--)", Operator),
    (r"(?<=[\w$)\]][ \t])(?:\+\+|--)(?=[ \t]*+[;/)\n])", Operator),
    (r"(this|super)\b(?=[ \t]*+/)", Keyword),
    (r"(?<=\.)(return|default|case|in|of|delete|this|typeof|do|else)\b(?=[ \t]*+/)", Keyword),
    # A condition does not: what is tested there is no quotient.
    (rf"(?<=\))([ \t]*+)({_REGEX})(?=\.(?:test|exec|source)\b)", groups(Whitespace, String.Regex)),
    # A string ends with its line, unless a backslash continues it.
    (r'"(?>(?:\\[\s\S]|[^"\\\n])*)"?', String.Double),
    (r"'(?>(?:\\[\s\S]|[^'\\\n])*)'?", String.Single),
]


class HereDocuments:
    """Replaces here-documents by strings between single quotes, without moving anything.

    mark : expression of the mark: `name` or `quoted`, and `indent` where the last line may be indented
    code_after : the last line may always be indented, and code may follow its name
    """

    def __init__(self, mark: str, *, code_after: bool = False) -> None:
        self._mark = re.compile(mark)
        self._code_after = code_after

    def __call__(self, text: str) -> str:
        if "<<" not in text:
            return text
        parts, at = list[str](), 0
        for start, end in self._spans(text):
            parts += [text[at:start], _string(end - start)]
            at = end
        return "".join((*parts, text[at:])) if parts else text

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Return the (start, end) of each mark, and of each text with its last line, in text order."""
        spans: list[tuple[int, int]] = []
        last_lines: LastLines | None = None
        at = 0
        while mark := self._mark.search(text, at):
            last_lines = self._last_lines(text) if last_lines is None else last_lines
            at = text.find("\n", mark.end()) + 1 or len(text)
            for one in self._mark.finditer(text, mark.start(), at):
                end = self._end(one, at, last_lines)
                if end >= 0:
                    spans += [one.span(), (at, end)]
                    at = end + (not self._code_after)
        return sorted(spans)

    def _last_lines(self, text: str) -> LastLines:
        lines: LastLines = defaultdict(list)
        for indentation, start, end, name in self._lines(text):
            lines[name, True].append((start, end))
            if not indentation:
                lines[name, False].append((start, end))
        return lines

    def _lines(self, text: str) -> Iterator[tuple[str, int, int, str]]:
        for line in (_FIRST_WORD if self._code_after else _WHOLE_LINE).finditer(text):
            yield line[1], line.start(), line.end(), line[2]

    def _end(self, mark: Match[str], body: int, last_lines: LastLines) -> int:
        """Return the end of the text that a mark has from `body` on; -1 if it has none."""
        groups = mark.groupdict()
        name = groups["name"] or groups.get("quoted", "")
        indented = self._code_after or bool(groups["indent"])
        candidates = last_lines.get((name, indented), [])
        index = bisect_left(candidates, (body, 0))
        return candidates[index][1] if index < len(candidates) else -1


def _string(length: int) -> str:
    return f"'{'x' * (length - 2)}'" if length > 1 else "x"


def _between(sign: str) -> str:
    return sign + _rest(sign)


def _rest(sign: str) -> str:
    return rf"(?>(?:\\[^\n]|[^{sign}\\\n])*){sign}"


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
            (r"(?:tr|y)/(?>(?:\\[^\n]|[^/\\\n])*)/(?>(?:\\[^\n]|[^/\\\n])*)/[cdsr]*+", String.Regex),
            (rf"(?:tr|y){_BRACES}\s*+{_BRACES}[cdsr]*+", String.Regex),
            *((rf"s{_between(sign)}{_rest(sign)}[egimosxr]*+", String.Regex) for sign in _SIGNS),
            *((rf"m{_between(sign)}[gcimosxr]*+", String.Regex) for sign in _SIGNS),
            inherit,
        ],
        "varname": [(rf"([\w:]++){_DIVISION}", groups(Name.Variable, Whitespace, Operator), "#pop"), inherit],
    }
    rewrite = HereDocuments(r"<<(?P<indent>~?)(?:[\"'](?P<quoted>[^\"'\n]++)[\"']|(?P<name>[A-Za-z_]\w*+))")


class Php(php.PhpLexer):
    tokens: ClassVar = {
        "php": [
            (r"<<<(?=[ \t]*+[\"'\w])", Operator),
            (r"\?>", Punctuation, "#pop"),
            (r"(?:#(?!\[)|//)(?>(?:[^?\n]++|\?(?!>))*)", Comment.Single),
            inherit,
        ],
        "string": [
            # The end of an expression in a string is looked for in the next characters only.
            (r"\{(?=\$\{)(?!(?:(?!\}\})[\s\S]){0,500}\}\})|\{(?=\$)(?![^}]{0,500}\})", String.Double),
            inherit,
        ],
    }
    rewrite = HereDocuments(r"<<<[ \t]*+[\"']?+(?P<name>[A-Za-z_]\w*+)[\"']?+(?=\n)", code_after=True)


class Bash(shell.BashLexer):
    tokens: ClassVar = {"basic": [(r"<<(?!<)-?", Operator), inherit]}
    rewrite = HereDocuments(
        r"(?<!<)<<(?P<indent>-?)[ \t]*+"
        r"(?:[\"'](?P<quoted>[^\"'\n]++)[\"']|\\?(?P<name>[A-Za-z_]\w*+))"
    )


class Ruby(ruby.RubyLexer):
    # Without a line that has only the name, it appends: `log <<entry`.
    tokens: ClassVar = {"root": [(r"<<(?=[-~\"'`\w])", Operator), inherit]}
    rewrite = HereDocuments(
        r"(?<![\w)\]}])<<(?P<indent>[-~]?)"
        r"(?:[\"'`](?P<quoted>[A-Za-z_]\w*+)[\"'`]|(?P<name>[A-Za-z_]\w*+))"
    )


class Tcl(tcl.TclLexer):
    _plain = r'(?>(?:\\[\s\S]|[^"\\{}]|\{(?>(?:\\[\s\S]|[^{}"\\])*)\})*)"'
    tokens: ClassVar = {
        "basic": [
            # A quote begins a string where a word begins, and only if it is closed before the braces are.
            (r"(?<=[^\s\[({])\"", Text),
            (rf'"(?!{_plain})', Text),
            (r"\\[^\n]", Text),
            (r"'", Text),
            inherit,
        ]
    }


class JavaScript(javascript.JavascriptLexer):
    tokens: ClassVar = {**_STATES, "root": [*_ROOT, inherit]}


class TypeScript(javascript.TypeScriptLexer):
    tokens: ClassVar = {**_STATES, "root": [*_ROOT, inherit]}
