"""Detect the language of a file by its name, and by its content where the name leaves several or none."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from fingerprint.languages.language_table import LANGUAGES, OTHERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Characters of a file that are searched for patterns: some 500 lines, so that a long licence can come before
# the first line that tells. Searching them takes milliseconds.
HEAD_CHARACTERS = 20_000

BEGIN = r"^[^\S\n]*+"
END = r"[^\S\n]*$"

_CPP = (
    BEGIN + r"(?:class|namespace|template|using|public:|private:|protected:)\b"
    r"|\bstd::|#include\s*<\w+>|\w::\w"
)
_OBJECTIVE_C = BEGIN + r"(?:@interface|@implementation|@property|@protocol|#import)\b"
PROLOG = f"{BEGIN}:-|:-{END}" + r"|^[a-z]\w*\([^()]*+\)\s*(?::-|\." + END + ")|-->"
MIPS = r"\$(?:zero|[vatsk][0-9]|sp|ra|fp|gp|\d+)\b"
# Registers with a percent sign and in brackets, or a directive of gcc.
ATT = (
    r"%(?:[re]?(?:[abcd]x|[sd]i|[sbi]p)|r(?:[89]|1[0-5])[dwb]?|[abcd][lh]|[xyz]mm\d)\b"
    r"|" + BEGIN + r"\.(?:cfi_startproc|file|intel_syntax|ident)\b"
)
_RISC_V = (
    r"(?:\b(?:auipc|ecall|lui|addi|slli|jalr|bgeu?|bltu?)[^\S\n]+(?:x\d|[ast]\d|sp|ra|zero)\b|\becall\b)"
)
INTEL_MEMORY = r"(?i)\b(?:mov|lea|add|sub|cmp)[^\S\n]+[re]?(?:[abcd]x|[sd]i|[sb]p)[^\S\n]*,"
_HACK = (
    BEGIN + r"(?:[ADM]{1,3}=[-!01ADM+&|]{1,3}(?:;J[A-Z]{2})?|[0ADM];J(?:GT|EQ|GE|LT|NE|LE|MP))"
    r"[^\S\n]*(?://|$)"
)
PLSQL = (
    "(?i)" + BEGIN + r"(?:declare|create\s+or\s+replace\s+(?:procedure|function|package|trigger))\b"
    r"|\bdbms_output\b"
)
_GLSL = r"^#version\b|\bgl_\w|" + BEGIN + r"(?:precision|uniform|varying|attribute|layout)\b|\bvec[234]\b"
_FORTH = BEGIN + r":[^\S\n]+\S|^\\[^\S\n]"
_OPENCL = r"\b(?:__)?kernel[^\S\n]+void\b|\b__global\b|\bget_global_id\b|^#pragma OPENCL"
_STRUCTURED_TEXT = (
    r"(?i)"
    + BEGIN
    + r"(?:function_block|program|function|type|var(?:_\w+)?|end_\w+)\b|\bend_(?:if|var|program)\b"
)
_SMALLTALK = r"\bsubclass:|^![^\S\n]*\w|\bTranscript\b|\bself[^\S\n]+\w|" + BEGIN + r"\^|\bifTrue:"

# The `project.json` of an archive `.sb3`.
_SCRATCH = r'\A\s*+\{\s*+"targets"\s*+:\s*+\[\s*+\{\s*+"isStage"\s*+:'

# Extensions that several languages share: the first pattern that occurs decides; an empty one always matches.
AMBIGUOUS = {
    ".h": ((_CPP, "cpp"), ("", "c")),
    ".m": ((_OBJECTIVE_C, "objective-c"), ("", "matlab")),
    ".mm": (("", "objective-c++"),),
    ".pl": ((PROLOG, "prolog"), ("", "perl")),
    ".pro": ((PROLOG, "prolog"), ("", "text")),
    ".p": ((PROLOG, "prolog"), ("", "pascal")),
    ".s": ((ATT, "gas"), (MIPS, "mips"), (_RISC_V, "gas"), ("", "x86")),
    ".asm": (
        (_HACK, "hack"), (ATT, "gas"), (MIPS, "mips"), (INTEL_MEMORY, "x86"), (_RISC_V, "gas"), ("", "x86"),
    ),
    ".sql": ((PLSQL, "plsql"), ("", "sql")),
    ".v": ((BEGIN + r"(?:Theorem|Lemma|Proof)\b", "coq"), ("", "verilog")),
    ".inc": ((r"<\?php", "php"), ("", "text")),
    ".json": ((_SCRATCH, "scratch"), ("", "json")),
    ".f": (("", "fortran"),),
    ".fs": ((_GLSL, "glsl"), (_FORTH, "forth"), ("", "fsharp")),
    ".cl": ((_OPENCL, "c"), ("", "common-lisp")),
    ".st": ((_SMALLTALK, "smalltalk"), (_STRUCTURED_TEXT, "structured-text"), ("", "smalltalk")),
}  # fmt: skip

# Content of a file whose name does not determine the language: the first pattern that occurs decides.
PAGES = (
    (r"\A\s*<\?php", "php"),
    (r"(?i)\A\s*(?:<!doctype html|<html)", "html"),
)
CONTENT_PATTERNS = (
    *PAGES,
    (BEGIN + r"#include\s*<(?:iostream|string|vector|map|algorithm)>|\bstd::", "cpp"),
    (BEGIN + r"#include\s*[<\"]", "c"),
    # What a class extends and implements takes fewer than 500 characters.
    (
        BEGIN + r"(?:class|final\s++class|public\s++(?:final\s++)?class)\s++\w++[^;{]{0,500}+\{"
        r"|^import java\.",
        "java",
    ),
    (r"^using System", "csharp"),
    (r"^package main$", "go"),
    (
        rf"^(?:from \w[\w.]* import |import \w[\w., ]*$|def \w+\([^)\n]*+\).*:{END}|class \w.*:{END})",
        "python",
    ),
    (BEGIN + r"fn \w.*\{" + END, "rust"),
    (r"(?i)\A\s*(?:create table|select\s.+\sfrom|insert into)\b", "sql"),
    (BEGIN + r"(?:function \w+\(.*\) \{|const \w+ = )", "javascript"),
)

# For a text that looks like a program as a whole (`is_program`): the first pattern that occurs decides.
PROGRAM_PATTERNS = (
    (r"<\?php\b", "php"),
    (
        BEGIN + r"(?:pub )?(?:fn \w.*\{|impl\b.*\{)" + END + r"|^use (?:std|crate)::|\blet mut \w",
        "rust",
    ),
    (r"^#include[^\S\n]*<(?:iostream|string|vector|map|algorithm)>|\bstd::", "cpp"),
    (BEGIN + r"(?:#include[^\S\n]*[<\"]|int main\()", "c"),
    (BEGIN + r"(?:override |private |suspend )?fun \w.*[{=]|^import kotlin[.x]", "kotlin"),
    (r"^import java\.|\bSystem\.out\.print", "java"),
    (r"(?i)^(?:public |private )?sub \w+\(.*\)" + END + r"|" + BEGIN + r"dim \w+ as \w", "vb"),
    (
        r"^using System|^namespace \w|\bConsole\.(?:Write|Read)|\b(?:string|bool|int) [A-Z]\w* \{ get;",
        "csharp",
    ),
    (BEGIN + r"(?:[a-z]+ )?func \w.*-> ?\w|^import (?:Foundation|SwiftUI)$", "swift"),
    (
        r"^import (?:scala|akka)\.|" + BEGIN + r"(?:case class \w|object \w+(?: extends \w.*)? \{"
        r"|def \w+(?:\(.*\))?(?:: ?\w+)? = ?\{?$)",
        "scala",
    ),
    (
        BEGIN + r"public (?:static |final |abstract )?(?:class|interface|enum|void|int|double|String) \w",
        "java",
    ),
    (r"^package \w+$|" + BEGIN + r"func (?:\(\w+ \*?\w+\) )?\w+\(", "go"),
    (
        BEGIN + r"(?:let rec \w|let \w+ =.* in$|let \(\) =|match .* with$|open [A-Z]\w+$)",
        "ocaml",
    ),
    (r"^[a-z]\w* ::|^module [A-Z][\w.]*+[ (]|^import (?:qualified )?Data\.", "haskell"),
    (BEGIN + r"module \w+[^\S\n]*(?:#\(|\(|;)|\balways[^\S\n]*@", "verilog"),
    (r"(?i)" + BEGIN + r"(?:entity \w+ is|architecture \w+ of|library ieee)\b", "vhdl"),
    (r"(?i)" + BEGIN + r"(?:with ada\.|procedure \w+ is$)", "ada"),
    (r"(?i)^program \w+(?:\([\w, ]*\))?;|^unit \w+;", "pascal"),
    (r"(?i)" + BEGIN + r"(?:implicit none|subroutine \w+|end program)\b", "fortran"),
    (r"^\(define[ -]|^#lang racket", "scheme"),
    (r"(?i)^\((?:defun|defparameter|defvar|defmacro|in-package)\b", "common-lisp"),
    (r"<- ?function\(|^library\(\w+\)$", "r"),
    (r"^function (?:\[[\w, ]{1,200}\]|\w{1,60}) ?= ?\w+\(|^(?:clc|clear all|close all);?$", "matlab"),
    (r"^use strict;|^my [$@%]\w|^sub \w+ ?\{", "perl"),
    (
        BEGIN + rf"(?:class \w|for |while |if |def \w+\().*:{END}"
        r"|^from \w[\w.]* import |^import \w[\w., ]*$",
        "python",
    ),
    (BEGIN + r"def \w+[?!]?(?:\(.*\))?" + END + r"|^require ['\"]|\bputs [\"']|\.each do\b", "ruby"),
    (
        BEGIN + r"(?:interface \w+ \{|type \w+ =|(?:const|let) \w+: |function \w+\(\w+\??: )",
        "typescript",
    ),
    (
        BEGIN + r"(?:(?:export )?(?:async )?function \w*\(|(?:const|let|var) \w+ = )|\bconsole\.log\(",
        "javascript",
    ),
    (BEGIN + r"(?:\w+:[^\S\n]*)?(?:li|la|lw|sw|addiu?|move|beq|jal)[^\S\n]+" + MIPS, "mips"),
    (ATT, "gas"),
    (INTEL_MEMORY, "x86"),
    (PLSQL, "plsql"),
    (r"(?i)^(?:create table|select\s.{1,500}\sfrom|insert into)\b", "sql"),
    (PROLOG, "prolog"),
    (r"^#!/bin/|^(?:if|while) \[\[? |^fi$|^done$", "bash"),
)

# A stripped line that ends as a statement or a block does, or begins as a comment or a directive.
_CODE_LINE = re.compile(
    r"(?:#\w|//|/\*|\*/|--|import [\w.*, ]{1,200};?$|from [\w.]{1,80} import"
    r"|end\b|return\b|def |print|\w{1,80}(?:\.\w{1,80}){0,5}\()"
    r"|(?:[^\s=]{1,80} ){0,6}(?:[^\s=]{0,80}[-+*/:.]?=|<-|::|->) ?[^\s=]"
    r"|[\w.]{1,9}[ \t]{1,9}[$%@#\w]\w{0,80},"
)
# Words that begin lines of some languages, and sentences too.
_CODE_WORD = re.compile(
    r"(?i)(?:select|insert|create|update|delete|drop|from|where|values|group by|order by|dim|end|next|public"
    r"|private|sub|if|else|for|while|case|var|begin|procedure|function|module|section|global|ret|int|push|pop"
    r"|jmp|call|\w{1,30}:|\|)(?:\b|(?<=\W))"
)
_CODE_ENDS = (
    "{",
    "}",
    "(",
    "[",
    ";",
    "):",
    ")",
    "->",
    "=",
    " do",
    " then",
    " begin",
    "else",
    "]",
    "},",
    "],",
    "),",
)
# Five words in a row with nothing but spaces and commas between them.
_SENTENCE = re.compile(r"(?:[^\W\d_][\w'’-]*,? ){5}")
MIN_LINES = 3
_COMMENT_LINE = ("//", "#", "--", "*", "/*", "%", ";", "(*")

# Linux reads no more of a file for its first line.
SHEBANG_CHARACTERS = 256
_SHEBANG = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*)?([\w.]+)(?:\s|$)")
_INTERPRETERS = {
    "sh": "bash", "bash": "bash", "zsh": "bash", "dash": "bash", "ksh": "bash",
    "python": "python", "pypy": "python", "perl": "perl", "ruby": "ruby", "php": "php", "node": "javascript",
    "deno": "typescript", "Rscript": "r", "swipl": "prolog", "ocaml": "ocaml", "runhaskell": "haskell",
    "sbcl": "common-lisp", "guile": "scheme", "scala": "scala", "swift": "swift", "octave": "matlab",
}  # fmt: skip

# Suffixes that Windows, editors, and students whose platform wants texts add to the name of a file.
_WRAPPERS = frozenset({".txt", ".text", ".bak", ".old", ".orig", ".save"})
# The name of such a file does not say that it is prose.
_TEXTS = frozenset({".txt", ".text"})


def first_match(choices: Iterable[tuple[str, str]], head: str) -> str:
    """Return the language of the first pattern that occurs in a text, "" if none does."""
    return next((language for pattern, language in choices if re.search(pattern, head, re.MULTILINE)), "")


def is_program(head: str) -> bool:
    """Return whether most lines of a text look like lines of a program; comments do not count.

    A sentence in a string makes no difference to the line, and words about a program make no program.
    """
    lines = [
        line for line in map(str.strip, head.splitlines()) if line and not line.startswith(_COMMENT_LINE)
    ]
    code = sum(map(_is_code, lines))
    sentences = sum(bool(_SENTENCE.match(line)) and not _is_code(line) for line in lines)
    return len(lines) >= MIN_LINES and code > len(lines) / 2 and sentences <= len(lines) / 8


def _is_code(line: str) -> bool:
    if line.endswith(_CODE_ENDS) or _CODE_LINE.match(line):
        return True
    return _CODE_WORD.match(line) is not None and _SENTENCE.match(line) is None


def language_of_program(head: str) -> str:
    """Return the language of a text that looks like a program, "" for another text or an unknown one."""
    return first_match(PROGRAM_PATTERNS, head) if is_program(head) else ""


def detect(filename: str, text: str, likely: str = "") -> str:
    """Return the language of a file, from its name or else from its content; prose when nothing matches.

    `likely` is the language of most other files, "" if there is none; it decides where doubt is left.
    """
    head = text[:HEAD_CHARACTERS]
    inner = _inner_name(_name(filename))
    extension = _extension(inner)
    if extension in AMBIGUOUS:
        return _of_several(AMBIGUOUS[extension], head, likely)
    language = _by_pattern(inner)
    if language == "text" and extension in _TEXTS:
        return _of_text(head, likely)
    return (
        language
        or _by_shebang(head)
        or _by_pygments(inner)
        or first_match(CONTENT_PATTERNS, head)
        or _of_text(head, likely)
    )


def leaves_doubt(filename: str) -> bool:
    """Return whether the language of a file does not follow from its name alone."""
    inner = _inner_name(_name(filename))
    extension = _extension(inner)
    if extension in AMBIGUOUS or extension in _TEXTS:
        return True
    return not (_by_pattern(inner) or _by_pygments(inner))


def _name(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _extension(name: str) -> str:
    """Return the ending of a name in lower case with its dot; empty for names such as `.profile` and `a.`."""
    dot = name.rfind(".")
    return name[dot:].lower() if 0 < dot < len(name) - 1 else ""


def _inner_name(name: str) -> str:
    """Return `Main.java` for `Main.java.txt`: the name that tells the language of a program."""
    while True:
        inner, dot, ending = name.rpartition(".")
        if not dot or f".{ending.lower()}" not in _WRAPPERS:
            return name
        extension = _extension(inner)
        known = extension in AMBIGUOUS or extension in _WRAPPERS or _by_pattern(inner)
        if not extension or not known:
            return name
        name = inner


def _of_several(choices: Sequence[tuple[str, str]], head: str, likely: str) -> str:
    """Return the language that the content shows, else the likely language if it is a choice of the name."""
    language = first_match([choice for choice in choices if choice[0]], head)
    if not language and likely in {language for _, language in choices}:
        return likely
    return language or choices[-1][1]


def _of_text(head: str, likely: str) -> str:
    """Return the language of a text: the language of a program or page, or prose."""
    language = _by_shebang(head) or language_of_program(head) or first_match(PAGES, head)
    return language or (likely if likely and is_program(head) else "text")


class _Pattern(NamedTuple):
    """A pattern of file names, by its number in the order of the table."""

    number: int
    language: str


def _by_pattern(name: str) -> str:
    """Return the language of the first pattern that matches the name, as it is or in lower case."""
    patterns = _patterns()
    names = {name, name.lower()}
    possible = (pattern for one in names for pattern in (one, *_ending_patterns(one)))
    matches = [patterns[pattern] for pattern in possible if pattern in patterns]
    return min(matches).language if matches else ""


def _ending_patterns(name: str) -> list[str]:
    """Return the pattern of each ending of a name that begins with a dot: `*.d.ts` and `*.ts`."""
    parts = name.split(".")
    return [f"*.{'.'.join(parts[number:])}" for number in range(1, len(parts))]


@cache
def _patterns() -> dict[str, _Pattern]:
    """Return the patterns of the table, each a whole name or `*` and an ending, where they are first."""
    named = [(pattern, row.name) for row in (*LANGUAGES, *OTHERS) for pattern in row.file_patterns.split()]
    rows = [(pattern, _Pattern(number, language)) for number, (pattern, language) in enumerate(named)]
    return dict(reversed(rows))


def _by_shebang(head: str) -> str:
    shebang = _SHEBANG.match(head[:SHEBANG_CHARACTERS])
    return _INTERPRETERS.get(shebang[1].rstrip("0123456789."), "") if shebang else ""


def _by_pygments(name: str) -> str:
    from fingerprint.languages.code import lexer_for_filename  # noqa: PLC0415 - NumPy and Pygments are slow to import

    return lexer_for_filename(name)
