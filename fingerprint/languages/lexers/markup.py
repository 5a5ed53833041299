"""Pages, data and documents: token types for what people wrote, for code, and for the frame."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from pygments.lexer import RegexLexer, inherit
from pygments.token import Comment, Keyword, Name, Number, Operator, Other, Punctuation, String, Text, Whitespace

from fingerprint.languages.chunks import Embedded, chunks
from fingerprint.languages.lexers import groups

# Attributes whose values say how a page is made, and nothing about its content.
_FRAME = (
    "align|border|cell(?:padding|spacing)|charset|colspan|content|crossorigin|enctype|height|http-equiv|integrity"
    "|lang|media|method|rel|role|rowspan|target|type|version|viewport|width|xmlns(?::\\w+)?|xsi:\\w+"
)
# A value ends with its line or before the next tag, so that one without its end costs no more.
_DOUBLE = r'"[^"\n]*+"|"[^"<>]*+"|"[^"<>\s]*+'
_SINGLE = r"'[^'\n]*+'|'[^'<>]*+'|'[^'<>\s]*+"
_VALUE = rf"(?:{_DOUBLE}|{_SINGLE}|[^\s<>\"']++)"

# `<%= code %>`, and comments as `<%# words %>` or `<%-- words --%>`.
_PERCENT = (
    r"(?P<whole><%(?:#|--)[\s\S]*?(?:%>|\Z)"
    r"|<%(?:[-=@!]|(?!#|--))(?P<code>[\s\S]*?)(?:%>|\Z))"
)

# An expression in braces may have braces in it, and takes fewer than 500 characters between two of them.
_EXPRESSION = r"(?P<code>[^{}]{0,500}+(?>(?:\{[^{}]{0,500}+\}[^{}]{0,500}+){0,20}))"
_BRACES_OF_VUE = rf"(?P<whole>\{{\{{{_EXPRESSION}\}}\}})"
# Scripts and styles are code as a whole; a part that closes a block has no expression.
_BRACES = (
    r"<(?:script|style)\b(?>(?:[^<]++|<(?!/(?:script|style)\b))*)"
    rf"|(?P<whole>\{{/[^{{}}\n]{{0,100}}+\}}|\{{[#:@]?{_EXPRESSION}\}})"
)

# Where code begins in Razor: a block, a statement with its bracket, an expression; a comment; an address.
_RAZOR = re.compile(
    r"@\*[\s\S]*?(?:\*@|\Z)|@@|\w@"
    r"|@(?:code\b|functions\b)?\s*+(?=\{)"
    r"|@(?:if|for|foreach|while|switch|using|lock)\b[^\n{]*+\{?"
    r"|@(?:model|using|inject|page|namespace|inherits)\b[^\n]*+"
    r"|@(?=\()|@[^\W\d]\w*+(?:\.\w++)*"
    r"|^[^\S\n]*+(?:\}[^\S\n]*+)?(?:else\b[^\n{]*+\{|case\b[^\n:]*+:|break;|\})[^\S\n]*+$",
    re.MULTILINE,
)
_BRACKET = re.compile(r"\"(?>(?:\\.|[^\"\\\n]++)*)\"?|'(?:\\.|[^'\\\n])'|//[^\n]*+|[(){}\[\]]")


class Xml(RegexLexer):
    name = "XML"
    aliases: ClassVar = ["xml"]
    flags = re.IGNORECASE
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"<!---?>", Comment.Multiline),  # In a page it is empty.
            (r"<!--", Comment.Multiline, "comment"),
            (r"<!\[CDATA\[", Comment.Preproc, "cdata"),
            (r"<![^<>]*+>?", Comment.Preproc),
            (r"<\?[^<>]*+>?", Comment.Preproc),
            # Where a tool found a text that Qt translates.
            (r"<location(?>(?:\s++(?:filename|line)=\"[^\"<>]*+\")+)\s*+/?>", Comment.Multiline),
            (r"</?[^\W\d][\w:.-]*+", Name.Tag, "tag"),
            (r"&#?\w++;", Name.Entity),
            (r"\s++", Whitespace),
            (r"[^<&\s][^<&]*+", Text),
            (r"[<&]", Text),
        ],
        "comment": [(r"[^-]++", Comment.Multiline), (r"--!?>", Comment.Multiline, "#pop"), (r"-", Comment.Multiline)],
        "cdata": [(r"[^\]]++", Text), (r"\]\]>", Comment.Preproc, "#pop"), (r"\]", Text)],
        "tag": [
            (r"\s++", Whitespace),
            (r"/?>", Name.Tag, "#pop"),
            (r"(?=<)", Whitespace, "#pop"),
            (rf"(?:{_FRAME})\s*+=\s*+{_VALUE}", Name.Attribute),
            (rf"([^\s=<>/\"']++)(\s*+=\s*+)({_VALUE})", groups(Name.Attribute, Operator, String)),
            (r"[^\s=<>/\"']++", Name.Attribute),
            (r"[=/\"']", Punctuation),
        ],
    }


def _content(tag: str, language: Any) -> list[Any]:
    """Return the rules of the content between a tag and its end."""
    return [(rf"(?>(?:[^<]|<(?!/{tag}\b))+)", language), (r"(?=<)", Whitespace, "#pop")]


def _code_attribute(name: str, language: Any) -> list[Any]:
    """Return the rules of attributes whose values are code; a value without its end is no code."""
    action = groups(Name.Attribute, Operator, Punctuation, language, Punctuation)
    return [(rf"({name})(\s*+=\s*+)({quote})([^{quote}\n]*+|[^{quote}<>]*+)({quote})", action) for quote in "\"'"]


class Html(Xml):
    name = "HTML"
    aliases: ClassVar = ["html"]
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"<script\b(?=[^<>]{0,200}\blang=[\"']?ts)", Name.Tag, ("typescript", "tag")),
            (r"<script\b", Name.Tag, ("script", "tag")),
            (r"<style\b", Name.Tag, ("style", "tag")),
            inherit,
        ],
        "script": _content("script", Other.Javascript),
        "typescript": _content("script", Other.Typescript),
        "style": _content("style", Other.Css),
        "tag": [*_code_attribute("on[a-z]++", Other.Javascript), inherit],
    }


def _code_in_templates(pattern: str, language: str) -> Callable[[str], Iterator[Embedded]]:
    """Return a function that finds code in templates: group `code` of a match, none in a comment."""
    compiled = re.compile(pattern)

    def embedded(text: str) -> Iterator[Embedded]:
        for match in compiled.finditer(text):
            if match["whole"] is not None:
                known = language if match["code"] is not None else ""
                yield Embedded(match.span("whole"), *match.span("code" if known else "whole"), known)

    return embedded


class Erb(Html):
    name = "ERB"
    aliases: ClassVar = ["erb"]
    embedded = staticmethod(_code_in_templates(_PERCENT, "ruby"))


class Ejs(Html):
    name = "EJS"
    aliases: ClassVar = ["ejs"]
    embedded = staticmethod(_code_in_templates(_PERCENT, "javascript"))


class Jsp(Html):
    name = "JSP"
    aliases: ClassVar = ["jsp"]
    embedded = staticmethod(_code_in_templates(_PERCENT, "java"))


class Vue(Html):
    """Attributes with a prefix, and what is in two braces, are expressions."""

    name = "Vue"
    aliases: ClassVar = ["vue"]
    tokens: ClassVar[dict[str, Any]] = {"tag": [*_code_attribute(r"(?:v-|[:@#])[\w.:-]++", Other.Javascript), inherit]}
    embedded = staticmethod(_code_in_templates(_BRACES_OF_VUE, "javascript"))


class Svelte(Html):
    """Svelte: text in braces outside of scripts and styles is an expression."""

    name = "Svelte"
    aliases: ClassVar = ["svelte"]
    embedded = staticmethod(_code_in_templates(_BRACES, "javascript"))


class Razor(Html):
    name = "Razor"
    aliases: ClassVar = ["razor"]

    @staticmethod
    def embedded(text: str) -> Iterator[Embedded]:
        at = 0
        while match := _RAZOR.search(text, at):
            begin, at = match.span()
            opening = match[0]
            if opening.startswith("@*"):
                yield Embedded((begin, at), begin, at, "")
            elif opening.endswith("@") and opening != "@":
                continue
            else:
                if text[at : at + 1] in ("{", "(", "[") and not opening.endswith("{"):
                    at = _bracket_end(text, at)
                start = begin + (opening[0] == "@")
                yield Embedded((begin, at), start, at, "csharp")


def _bracket_end(text: str, at: int) -> int:
    """Return the offset after the bracket that closes the bracket at `at`, or else the end of the text."""
    depth = 0
    for match in _BRACKET.finditer(text, at):
        depth += (match[0] in ("(", "[", "{")) - (match[0] in (")", "]", "}"))
        if depth == 0:
            return match.end()
    return len(text)


class RMarkdown(RegexLexer):
    """Chunks of code in a document, such as R Markdown, Quarto, LaTeX and Org."""

    name = "R Markdown"
    aliases: ClassVar = ["rmarkdown"]
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"\A---[ \t]*+\n(?>(?:(?!---)[^\n]*+\n)*)---[ \t]*+(?=\n)", Comment.Preproc),
            (r"<!--", Comment.Multiline, "comment"),
            (r"\s++", Whitespace),
            (r"[^<\s][^<]*+", Text),
            (r"<", Text),
        ],
        "comment": Xml.tokens["comment"],
    }

    embedded = staticmethod(chunks)


def _json_string(quote: str, token_type: Any) -> list[Any]:
    """Return the rules of a string, which ends with its line; an escape is no part of a word."""
    return [
        (rf"[^{quote}\\\n]++", token_type),
        (r"\\(?:u[0-9a-fA-F]{4}|[^\n])?", Name.Entity),
        (rf"{quote}", token_type, "#pop"),
        (r"(?=\n)", Whitespace, "#pop"),
    ]


class Json(RegexLexer):
    name = "JSON"
    aliases: ClassVar = ["json"]
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"\s++", Whitespace),
            (r"//[^\n]*+", Comment.Single),
            (r"/\*", Comment.Multiline, "comment"),
            (r'"(?>(?:\\[^\n]|[^"\\\n]){0,1000})"(?=\s*+:)', Name.Tag),
            (r'"', String.Double, "double"),
            (r"'", String.Single, "single"),
            (r"[-+]?(?:\d|\.\d)[\w.]*+(?:[-+]\d++)?", Number),
            (r"(?:true|false|null)\b", Keyword.Constant),
            (r"[\w$]++(?=\s*+:)", Name.Tag),
            (r"\w++", Keyword.Constant),
            (r"[^\w\s\"']", Punctuation),
        ],
        "double": _json_string('"', String.Double),
        "single": _json_string("'", String.Single),
        "comment": [(r"[^*]++", Comment.Multiline), (r"\*/", Comment.Multiline, "#pop"), (r"\*", Comment.Multiline)],
    }
