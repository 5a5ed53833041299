"""Structured Text, Scratch, Dafny, Hack, HDL, NetLogo, which Pygments lacks; GNU assembly, GLSL, HLSL, F#, SQL."""

from __future__ import annotations

import re
from typing import ClassVar

from pygments.lexer import RegexLexer, inherit, words
from pygments.lexers import asm, dotnet, graphics, installers, sql
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from fingerprint.languages.lexers import groups

_TIME = r"(?i)\b(?:t|time|d|date|tod|dt|ltime)#[-\w.:]+"

_NETLOGO = """
    to to-report end globals turtles-own patches-own links-own breed directed-link-breed undirected-link-breed
    extensions __includes ask ask-concurrent if ifelse ifelse-value while loop repeat foreach map filter reduce let
    set report stop run runresult of with with-max with-min in-radius in-cone any? all? count one-of n-of max-one-of
    min-one-of max-n-of min-n-of other self myself turtles patches links turtle patch link turtles-here turtles-on
    patch-here patch-ahead patch-at neighbors neighbors4 nobody and or not xor mod clear-all ca reset-ticks tick
    ticks crt create-turtles create-ordered-turtles hatch sprout die forward fd back bk right rt left lt face facexy
    move-to setxy jump home pen-down pen-up pd pu hide-turtle show-turtle random random-float random-xcor
    random-ycor random-pxcor random-pycor random-normal random-poisson random-exponential random-seed mean median
    sum max min variance standard-deviation modes abs sqrt exp ln log sin cos tan round floor ceiling int remainder
    list item first last but-first but-last bf bl fput lput length empty? member? position remove remove-item
    remove-duplicates replace-item reverse sentence se shuffle sort sort-by sort-on sublist n-values range word
    print show type write output-print user-message plot plotxy set-current-plot set-current-plot-pen clear-plot
    diffuse diffuse4 uphill downhill distance distancexy towards towardsxy can-move? dx dy xcor ycor pxcor pycor
    heading color pcolor shape size label plabel who hidden? max-pxcor max-pycor min-pxcor min-pycor world-width
    world-height create-link-with create-links-with create-link-to create-links-to create-link-from link-neighbors
    my-links in-link-neighbors out-link-neighbors end1 end2 layout-spring layout-circle watch follow wait every
    carefully error error-message is-turtle? is-patch? is-number? is-list? is-string? scale-color wrap-color stamp
    display timer reset-timer import-world export-world file-open file-read file-print file-close
"""
_STRUCTURED = """
    action and array at by case configuration constant continue do else elsif end_action end_case end_configuration
    end_for end_function end_function_block end_if end_method end_program end_repeat end_resource end_struct
    end_type end_var end_while exit extends for function function_block if method mod not of or program repeat
    resource retain return struct super task then to type until var var_external var_global var_in_out var_input
    var_output var_temp while with xor
"""
_STRUCTURED_TYPES = """
    bool byte date dint dword int lint lreal lword real sint string time tod udint uint ulint usint word wstring
"""
_DAFNY = """
    abstract allocated as assert assume bool break by calc case class codatatype const constructor continue datatype
    decreases downto else ensures exists expect export extends for forall fresh function ghost if import in include
    invariant is iterator label least lemma match method modifies modify module newtype new null old opened
    predicate print provides reads refines requires return returns reveal static then this to trait twostate type
    var where while witness yield yields
"""
_NETLOGO_END = r"(?![-\w.?=*!<>:#+/%$^'&~@])"


def _nested(begin: str, end: str, inside: str) -> list[object]:
    """Return the rules of comments that may contain each other."""
    return [
        (rf"[^{inside}]++", Comment.Multiline),
        (begin, Comment.Multiline, "#push"),
        (end, Comment.Multiline, "#pop"),
        (rf"[{inside}]", Comment.Multiline),
    ]


class Hack(RegexLexer):
    """Computations are one word each, as in `D=D+1;JGT`."""

    name = "Nand2Tetris assembly"
    aliases: ClassVar = ["hack"]
    tokens: ClassVar = {
        "root": [
            (r"\s+", Whitespace),
            (r"//.*", Comment.Single),
            (r"@(?=\d)", Operator),
            (r"@", Operator),
            (r"\d+", Number.Integer),
            (r"(?:(?:[ADM]{1,3}=)?[-!01ADM+&|]{1,3})(?:;J[A-Z]{2})?(?![\w.$:=])", Keyword),
            (r"[\w.$:]+", Name),
            (r"[=;+\-!&|]", Operator),
            (r"[()]", Punctuation),
        ]
    }


class Hdl(RegexLexer):
    """A word before a bracket is a part, before `=` its pin; others are wires, which have any name."""

    name = "Nand2Tetris HDL"
    aliases: ClassVar = ["hdl"]
    tokens: ClassVar = {
        "root": [
            (r"\s+", Whitespace),
            (r"//.*", Comment.Single),
            (r"/\*[^*]*+(?:\*(?!/)[^*]*)*(?:\*/)?", Comment.Multiline),
            (words(("CHIP", "IN", "OUT", "PARTS", "BUILTIN", "CLOCKED", "true", "false"), suffix=r"\b"), Keyword),
            (r"\d+", Number.Integer),
            (r"\w++(?=[ \t]*+\()", Name.Function),
            (r"\w++(?=[ \t]*+(?:\[[\d.]*+\][ \t]*+)?=)", Name.Attribute),
            (r"\w+", Name),
            (r"[=.]+", Operator),
            (r"[(){}\[\],;:]", Punctuation),
        ]
    }


class Scratch(RegexLexer):
    """Scripts as `fingerprint.languages.front_ends` shows them."""

    name = "Scratch"
    aliases: ClassVar = ["scratch"]
    tokens: ClassVar = {
        "root": [
            (r"\s+", Whitespace), (r'"(?>(?:\\.|[^"\\\n])*)"?', String.Double),
            (r"\[[^\]\n]*+\]?", Name.Variable), (r"-?(?:\d++\.?\d*+|\.\d++)", Number), (r"\w+", Keyword),
            (r"[(){},]", Punctuation), (r"[-+*/%<>=!&|^]+", Operator),
        ]
    }  # fmt: skip


class NetLogo(RegexLexer):
    """Its names may have most signs, so that operators have blanks around them."""

    name = "NetLogo"
    aliases: ClassVar = ["netlogo"]
    tokens: ClassVar = {
        "root": [
            (r"\s+", Whitespace),
            (r";.*", Comment.Single),
            (r'"(?>(?:\\[^\n]|[^"\\\n])*)"?', String.Double),
            (r"-?(?:\d++(?:\.\d*+)?|\.\d++)(?:e[-+]?\d++)?" + _NETLOGO_END, Number),
            (r"[\[\](){},|]", Punctuation),
            (r"(?:[-+*/^]|[<>!]?=|[<>]|->)(?=[\s\[\]()]|\Z)", Operator),
            (words(_NETLOGO.split(), prefix="(?i)", suffix=_NETLOGO_END), Keyword),
            (r"(?i)(?:true|false|pi|e)" + _NETLOGO_END, Keyword.Constant),
            (r"[-\w.?=*!<>:#+/%$^'&~@]+", Name),
        ]
    }


class StructuredText(RegexLexer):
    """The language of IEC 61131-3."""

    name = "Structured Text"
    aliases: ClassVar = ["structured-text"]
    tokens: ClassVar = {
        "root": [
            (r"\s+", Whitespace),
            (r"//.*", Comment.Single),
            (r"\(\*", Comment.Multiline, "comment"),
            (r"/\*(?>(?:[^*]|\*(?!/))*)(?:\*/|\Z)", Comment.Multiline),
            (r"\{[^}\n]{0,500}+\}", Comment.Preproc),
            (r"'(?>(?:\$[^\n]|[^'$\n])*)'?", String.Single),
            (r'"(?>(?:\$[^\n]|[^"$\n])*)"?', String.Double),
            (_TIME, Number),
            (r"\d[\w]*#[\w]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][-+]?\d+)?", Number),
            (r"%[IQMiqm][XBWDLxbwdl]?[\d.]+", Name.Variable),
            (words(_STRUCTURED.split(), prefix="(?i)", suffix=r"\b"), Keyword),
            (words(_STRUCTURED_TYPES.split(), prefix="(?i)", suffix=r"\b"), Keyword.Type),
            (r"(?i)(?:true|false)\b", Keyword.Constant),
            (r":=|=>|<=|>=|<>|\*\*|\.\.|[-+*/<>=&^]", Operator),
            (r"[\[\]().,:;#]", Punctuation),
            (r"[^\W\d]\w*", Name),
        ],
        "comment": _nested(r"\(\*", r"\*\)", "(*)"),
    }  # fmt: skip


class Dafny(RegexLexer):
    name = "Dafny"
    aliases: ClassVar = ["dafny"]
    tokens: ClassVar = {
        "root": [
            (r"\s+", Whitespace),
            (r"//.*", Comment.Single),
            (r"/\*", Comment.Multiline, "comment"),
            (r'@"(?>(?:""|[^"])*)"?', String),
            (r'"(?>(?:\\[^\n]|[^"\\\n])*)"?', String.Double),
            (r"'(?:\\(?:u[0-9a-fA-F]{4}|U\{[0-9a-fA-F]+\}|.)|[^'\\\n])'", String.Char),
            (r"0x[\da-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?", Number),
            (r"\{:\w++[^}\n]{0,500}+\}", Comment.Preproc),
            (words(_DAFNY.split(), suffix=r"\b(?!\?)"), Keyword),
            (
                words(
                    ("array", "bool", "char", "imap", "int", "iset", "map", "multiset", "nat", "object",
                     "real", "seq", "set", "string"),
                    suffix=r"\d*\b",
                ),
                Keyword.Type,
            ),
            (r"(?:true|false)\b", Keyword.Constant),
            (r"<==>|==>|<==|:=|:\||::|==|!=|<=|>=|&&|\|\||=>|\.\.|!!|[-+*/%<>=!|&^]", Operator),
            (r"[\[\](){}.,:;#`@]", Punctuation),
            (r"[^\W\d][\w'?]*", Name),
        ],
        "comment": _nested(r"/\*", r"\*/", "*/"),
    }  # fmt: skip


class Gas(asm.GasLexer):
    """A comment ends before the end of its line, a string with it; characters need no second quote."""

    tokens: ClassVar = {
        "root": [(r"([ \t]*+)(#.*)", groups(Whitespace, Comment.Single)), (r"(?<!\d)\d++:", Name.Label), inherit],
        "whitespace": [
            (r"(?:#|//|;).*", Comment.Single),
            (r"/\*(?>(?:[^*]|\*(?!/))*)(?:\*/|\Z)", Comment.Multiline),
            inherit,
        ],
        "directive-args": [
            (r"(?:#|//|;).*", Comment.Single),
            (r"/\*(?>(?:[^*]|\*(?!/))*)(?:\*/|\Z)", Comment.Multiline),
            (r'"(?>(?:\\[^\n]|[^"\\\n])*)"?', String.Double),
            (r"'(?:\\[^\n]|[^\n\\])'?", String.Char),
            inherit,
            (r"[$+=<>|&~^%*/@]", Operator),
        ],
        "instruction-args": [
            (r"(?:#|//|;).*", Comment.Single),
            (r"/\*(?>(?:[^*]|\*(?!/))*)(?:\*/|\Z)", Comment.Multiline),
            (r"\$(?=[-\d\w.'])", Operator),
            (r"'(?:\\[^\n]|[^\n\\])'?", String.Char),
            (r'"(?>(?:\\[^\n]|[^"\\\n])*)"?', String.Double),
            inherit,
            (r"[$+=<>|&~^%*/@]", Operator),
        ],
    }


class FSharp(dotnet.FSharpLexer):
    tokens: ClassVar = {
        "root": [
            (r"\(\*\)", Operator),
            (r'\$@"|@\$"', String, "lstring"),
            (r'\${1,3}+"""', String, "tqs"),
            (r'\$(?=")', String),
            inherit,
        ],
        # A comment ends in none of the strings in it.
        "comment": [
            (r'"""(?>(?:[^"]|"(?!"")){0,1000})"""|@"(?>(?:[^"]|""){0,1000})"', Comment),
            (r'"(?>(?:\\[\s\S]|[^"\\]){0,1000})"', Comment),
            (r'["@]', Comment),
            inherit,
        ],
    }


# A line that ends with a backslash goes on.
_COMMENT = (r"//(?>(?:[^\n\\]|\\(?:\n|.)?)*)", Comment.Single)


class Glsl(graphics.GLShaderLexer):
    tokens: ClassVar = {"root": [(r"\d++[eE][-+]?\d+", Number.Float), _COMMENT, inherit]}


class Hlsl(graphics.HLSLShaderLexer):
    tokens: ClassVar = {
        "root": [
            _COMMENT,
            (r"0[xX][0-9a-fA-F]++[uUlL]*+", Number.Hex),
            (r"(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?[fFhHlLuU]*+", Number),
            inherit,
        ]
    }


class Nsis(installers.NSISLexer):
    tokens: ClassVar = {"root": [(r"\b(?:0x[\da-f]++|\d++(?:\.\d++)?)(?![\w.])", Number), inherit]}


# A backslash escapes a quote in MySQL only. It does if a letter follows, or if otherwise the quotes in the
# rest of the line would not be in pairs.
_QUOTE = r"(?:(?<!\\)'|'(?!\w))"
_OTHER = r"(?>(?:[^'\n]|(?<=\\)'(?=\w)){0,200})"
_ODD = rf"{_OTHER}{_QUOTE}(?>(?:{_OTHER}{_QUOTE}{_OTHER}{_QUOTE}){{0,20}}){_OTHER}$"
_ESCAPED = rf"\\'(?=\w|{_ODD})"
_BRACKETS = {"bracket": ("[", "]"), "brace": ("{", "}"), "parenthesis": ("(", ")"), "angle": ("<", ">")}


class Sql(sql.SqlLexer):
    flags = re.IGNORECASE | re.MULTILINE
    tokens: ClassVar = {
        "root": [
            # MySQL's comments; `#name` is a table of SQL Server.
            (r"#(?=[\s#]).*", Comment.Single),
            (r"^#\w++[ \t]++\w.*", Comment.Single),
            (r"e'(?>(?:\\[\s\S]|''|[^'\\])*)'?", String.Single),
            *((rf"n?q'{re.escape(opening)}", String.Single, name) for name, (opening, _) in _BRACKETS.items()),
            (r"n?q'([^\s\w'])(?>(?:(?!\1')[\s\S]){0,500})\1'", String.Single),
            (rf"n?'(?>(?:''|{_ESCAPED}|\\\\(?=[^']|'')|[^'])*)'?", String.Single),
            (r'"(?>(?:""|\\"(?=\w)|[^"])*)"?', String.Symbol),
            (r"`[^`'\"\n]{0,60}+['\"][^`\n]*+`", Name),
            (r"\[(?!')[^\]'\"\n]{1,60}+'[^\]'\"\n]*+\]", Name),
            # Quoted by dollars: text within a line, or else the code of a function.
            (r"(\$(?:[a-z_]\w*+)?\$)(?>(?:(?!\1)[^;\n]){0,1000})\1", String.Single),
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
