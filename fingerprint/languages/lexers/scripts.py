"""Perl, PHP, Bash and Tcl: here-documents in every form, and quotes that begin no string."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING, ClassVar

from pygments.lexer import inherit
from pygments.lexers import perl, php, shell, tcl
from pygments.token import Name, Number, Operator, Punctuation, String, Text, Whitespace

from fingerprint.languages.lexers.rules import groups

if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Match

    # Where the lines begin whose text is a name, and where that name ends; by whether a line may be indented.
    LastLines = dict[tuple[str, bool], list[tuple[int, int]]]

_WHOLE_LINE = re.compile(r"^([ \t]*+)(\S[^\n]*+)", re.MULTILINE)
_FIRST_WORD = re.compile(r"^([ \t]*+)(\w++)", re.MULTILINE)


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


_DIVISION = r"([ \t]*+)(//?=?)"


# Other signs between which a regular expression may be.
_SIGNS = (r"\#", r"\|")


def _between(sign: str) -> str:
    return sign + _rest(sign)


def _rest(sign: str) -> str:
    return rf"(?>(?:\\[^\n]|[^{sign}\\\n])*){sign}"


# The length is limited, so that one that is not closed is not searched for its end from each of many.
_BRACES = r"\{(?>(?:\\[^\n]|[^}\\\n]){0,500})\}"


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
    _plain = r'(?>(?:\\[\s\S]|[^"\\{}]|\{(?>(?:\\[\s\S]|[^{}"\\])*)\})*)"'
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
