"""Patterns that decide the language of a file by its content, where its name leaves several or none.

Students write these files, so every search takes linear time: attempts of a pattern at different places may
not read the same text for more than a bounded length. A class of all white space would match line ends too,
and each empty line would be read to the end of the file; `BEGIN` and `END` match the space at the beginning
and the end of one line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

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
        BEGIN + r"(?:public\s++)?+(?:final\s++)?+class\s++\w++[^;{]{0,500}+\{|^import java\.",
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


def first_match(choices: Iterable[tuple[str, str]], head: str) -> str:
    """Return the language of the first pattern that occurs in a text, "" if none does."""
    return next((language for pattern, language in choices if re.search(pattern, head, re.MULTILINE)), "")
