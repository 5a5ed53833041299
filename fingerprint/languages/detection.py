"""Detect the language of a file by its name, and by its content where the name leaves several or none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import islice
from textwrap import dedent
from typing import NamedTuple

from fingerprint.languages.chunks import UNNAMED, chunks
from fingerprint.languages.language_table import LANGUAGES, OTHERS
from fingerprint.languages.look_alikes import plain, without_unseen

# Characters of a file that are searched for patterns: some 500 lines, so that a long licence can come before
# the first line that tells. Searching them takes milliseconds.
HEAD_CHARACTERS = 20_000
MOST_CHUNKS = 200

BEGIN = r"^[^\S\n]*+"
END = r"[^\S\n]*$"

# Evidence of a language: what no other language that shares an extension with it has. It is counted in the
# text without what are comments and strings in that language.
_CPP = (
    BEGIN + r"(?:class|namespace|template|using|public:|private:|protected:)\b"
    r"|\bstd::|#include\s*<\w+>|\w::\w"
)
_OBJECTIVE_C = BEGIN + r"(?:@interface|@implementation|@property|@protocol|@end|#import)\b"
_MATLAB = (
    BEGIN + r"(?:function\b|end;?" + END + r"|elseif\b|clc\b|clear\b|close all\b|hold on\b)"
    r"|\b(?:zeros|ones|disp|fprintf|numel|linspace|size)\(|\.[*/^]|~="
)
_MATHEMATICA = (
    r"\b[A-Z]\w*\[[^\]\n]|[a-z]_(?:[\],]|Integer|Real|List|String)|:=|\[\[|/[@.;]|" + BEGIN + r"BeginPackage\b"
)
PROLOG = (
    rf"{BEGIN}:-[^\S\n]*\w|^[a-z]\w*+(?:\(.*\))?[^\S\n]*+(?::-|-->)"
    r"|^[a-z]\w*+\([^$\n]*\)[^\S\n]*+\.(?=\s|\Z)"
)
_PERL = r"[$@]\w|=~|\bsub[^\S\n]+\w+[^\S\n]*\{|" + BEGIN + r"(?:use|no|package)[^\S\n]+\w[\w:]*+"
_RAKU = (
    r"^use v6|\$[.!]\w|" + BEGIN + r"(?:has|my)[^\S\n]+(?:[A-Z]\w*[^\S\n]+)?[$@%][.!]"
    r"|\bsub MAIN\b|" + BEGIN + r"(?:multi|grammar|token|rule)[^\S\n]+\w|" + BEGIN + r"for[^\S\n].*->[^\S\n]*\$"
)
_PROMELA = BEGIN + r"(?:active[^\S\n]+)?proctype\b|" + BEGIN + r"(?:do|od|fi)" + END + r"|::[^\S\n]"
_TURING = (
    BEGIN + r"(?:var|const)[^\S\n]+\w+[^\S\n]*(?:,[^\n]*)?:(?:=|[^\S\n])|" + BEGIN + r"(?:end[^\S\n]+\w+|put|get|loop"
    r"|proc|fcn|procedure|exit when)\b"
)
_IDL = (
    r"(?i)" + BEGIN + r"(?:pro|function)[^\S\n]+\w+" + END + r"|" + BEGIN + r"(?:pro|function)[^\S\n]+\w+[^\S\n]*,"
    r"|" + BEGIN + r"(?:end|endfor|endif|endwhile|endelse)" + END + r"|\b(?:print|printf|plot|oplot)[^\S\n]*,"
    r"|" + BEGIN + r"for[^\S\n]+\w+[^\S\n]*=.*\bdo\b|\b[dfils]?(?:indgen|indarr|fltarr|dblarr|n_elements)\("
)
_PASCAL = r"(?i)" + BEGIN + r"(?:program|unit|uses|procedure|function|var|begin|end[;.])(?:\b|" + END + ")"
_OPENEDGE = (
    r"(?i)" + BEGIN + r"(?:define|def)[^\S\n]+(?:\w+[^\S\n]+)?(?:variable|var|parameter|temp-table|buffer)\b"
    r"|\bno-undo\b|" + BEGIN + r"(?:for each|find first|end)\b.*[.:]" + END
)
MIPS = r"\$(?:zero|[vatsk][0-9]|sp|ra|fp|gp|\d+)\b"
_MIPS_ONLY = r"\$(?:zero|[vatsk][0-9]|sp|ra|fp|gp)\b|\$\d+[^\S\n]*,[^\S\n]*\$\d"
# Registers with a percent sign and in brackets, or a directive of gcc.
ATT = (
    r"%(?:[re]?(?:[abcd]x|[sd]i|[sbi]p)|r(?:[89]|1[0-5])[dwb]?|[abcd][lh]|[xyz]mm\d)\b"
    r"|" + BEGIN + r"\.(?:cfi_startproc|file|intel_syntax|ident)\b"
)
_RISC_V = r"(?:\b(?:auipc|ecall|lui|addi|slli|jalr|bgeu?|bltu?)[^\S\n]+(?:x\d|[ast]\d|sp|ra|zero)\b|\becall\b)"
INTEL_MEMORY = r"(?i)\b(?:mov|lea|add|sub|cmp)[^\S\n]+[re]?(?:[abcd]x|[sd]i|[sb]p)[^\S\n]*,"
_MOS_6502 = r"(?i)^(?:\w+:)?[^\S\n]+(?:ld[axy]|st[axy]|cp[xy]|adc|sbc)[^\S\n]+[#$(]"
_HACK = (
    BEGIN + r"(?:[ADM]{1,3}=[-!01ADM+&|]{1,3}(?:;J[A-Z]{2})?|[0ADM];J(?:GT|EQ|GE|LT|NE|LE|MP))"
    r"[^\S\n]*(?://|$)"
)
PLSQL = (
    "(?i)" + BEGIN + r"(?:declare|create\s+or\s+replace\s+(?:procedure|function|package|trigger))\b"
    r"|\bdbms_output\b"
)
_COQ = (
    BEGIN + r"(?:Theorem|Lemma|Fixpoint|Inductive|Definition|Corollary|Notation|Fact|Example)[^\S\n]+\S"
    r"|" + BEGIN + r"(?:Proof|Qed|Defined|Admitted)\.|" + BEGIN + r"(?:From \w+ )?Require[^\S\n]"
)
_VERILOG = BEGIN + r"(?:module|endmodule|assign|wire|reg|input|output|always|initial|endcase|`timescale)\b|\d'[bdhBDH]"
_MODULA = r"\b(?:MODULE|PROCEDURE|BEGIN|END|IMPORT|VAR|TYPE|CONST)\b"
_AMPL = BEGIN + r"(?:dvar|var|param|set|maximize|minimize|subject[^\S\n]+to|s\.t\.|solve;|data;)(?:\b|(?<=\W))"
_GO_MODULE = r"^module[^\S\n]+[\w./-]+$|^go \d|^(?:require|replace)\b"
_DEF_FILE = BEGIN + r"(?:EXPORTS|LIBRARY)\b"
_LATEX = BEGIN + r"\\(?:Provides\w+|NeedsTeXFormat|RequirePackage|LoadClass|(?:re)?newcommand|def|Declare\w+)\b"
_VISUAL_BASIC = (
    r"(?i)^VERSION \d|^Attribute VB_|" + BEGIN + r"(?:end (?:sub|function|property|if)|option explicit)\b"
    r"|" + BEGIN + r"(?:public |private |friend )?(?:sub|function|property (?:get|let|set))[^\S\n]\w|\bdim \w+ as \w"
)
_APEX = BEGIN + r"(?:public|private|global)\b.*\{" + END + r"|;" + END
_SML = (
    BEGIN + r"(?:fun|structure|signature|datatype|local|infixr?|exception)\b|=>|\bfn\b"
    r"|" + BEGIN + r"val[^\S\n]+(?:rec[^\S\n]+)?\w+[^\S\n]*="
)
_OCAML = BEGIN + r"(?:let|open|module|external)\b|\bmatch\b|\bfunction\b|;;|->|\bbegin\b"
_D = r";" + END + r"|" + BEGIN + r"(?:import|module)[^\S\n]+\w[\w.]*|" + BEGIN + r"(?:unittest|void|int|struct|class)\b"
_MAKE_RULE = r"^[\w./%$()-]+(?:[^\S\n]+[\w./%-]+)*?[^\S\n]*:(?:[^\S\n]+[\w./-]|[^\S\n]*\\?$)"
_BRAINFUCK = r"[-+<>.,\[\]]{5}"
_LIMBO = r"^implement\b|\w:[^\S\n]*(?:import|con|adt|module|fn)\b|" + BEGIN + r"include\b"
_ANTLR = r"^(?:(?:lexer|parser|tree)[^\S\n]+)?grammar[^\S\n]+\w+;|^[^\S\n]*[|;]" + END + r"|^@(?:header|members)\b"
_GAP = r":=|" + BEGIN + r"(?:od|fi);|\bDeclare\w+\(|\bInstall\w+\("
_GDSCRIPT = BEGIN + r"(?:extends|func|var|onready|export|@export|@onready|signal)\b"
_JASMIN = (
    BEGIN + r"\.(?:class|super|method|end|limit|source|field)\b"
    r"|\b(?:invoke(?:virtual|static|special)|[ai](?:load|store)(?:_\d)?)\b"
)
_PUPPET = r"^(?:node|class|define)\b.*\{|=>[^\S\n]*\S|\bensure\b"
_REBOL = r"(?i)^rebol[^\S\n]*\[|" + BEGIN + r"\w[\w-]*:[^\S\n]+(?:func|does|has|make|context)\b"
_R = r"<-|\bfunction\(|" + BEGIN + r"(?:library|require|source)\("
_R_ONLY = r"^\w[\w.]*[^\S\n]*<-[^\S\n]*function[^\S\n]*\("
_SUPERCOLLIDER = r"\bSynthDef\b|" + BEGIN + r"(?:var|arg)[^\S\n]|\.(?:play|ar|kr)\b|\bs\.boot\b"
_SCALA = BEGIN + r"(?:case[^\S\n]+)?(?:object|class|trait|def|val|package|import)\b"
_PAWN = BEGIN + r"(?:stock|public|forward|native|new)[^\S\n]+\w|^#include[^\S\n]*<\w+>"
_POV = BEGIN + r"#(?:declare|macro|local|version)\b|\b(?:pigment|finish|camera|light_source)[^\S\n]*\{"
_GLSL = r"^#version\b|\bgl_\w|" + BEGIN + r"(?:precision|uniform|varying|attribute|layout)\b|\bvec[234]\b"
_FSHARP = BEGIN + r"(?:let|open|module|type|namespace|match)\b|->|\|>"
_FORTH = BEGIN + r":[^\S\n]+\S|^\\[^\S\n]"
_OPENCL = r"\b(?:__)?kernel[^\S\n]+void\b|\b__global\b|\bget_global_id\b|^#pragma OPENCL"
_STRUCTURED_TEXT = (
    r"(?i)" + BEGIN + r"(?:function_block|program|function|type|var(?:_\w+)?|end_\w+)\b|\bend_(?:if|var|program)\b"
)
_PSEINT = (
    r"(?i)(?:^(?:(?:sub)?algoritmo|(?:sub)?proceso|funci[oó]n)|" + BEGIN + r"(?:escribir|leer|definir))\b"
    r"(?![^\S\n]*+[$=\[])"
)
_SMALLTALK = r"\bsubclass:|^![^\S\n]*\w|\bTranscript\b|\bself[^\S\n]+\w|" + BEGIN + r"\^|\bifTrue:"

XML = r"\A\s*(?:<\?xml\b|<!DOCTYPE (?!(?i:html)))"
_XML = re.compile(XML)
_TAG = re.compile(r"\s*<(?:!--|[A-Za-z][\w:.-]*[\s/>])")
_HTML_TAG = re.compile(r"(?i)\s*<(?:!--|(?:head|body|div|span|p|br|pre|table|ul|ol|h\d|section|main)\b)")
# Programs of blocks, by Snap! and by Blockly, diagrams, by Logisim, JFLAP and draw.io, and charts.
_BLOCKS = re.compile(
    r"<[a-z][^<>]* app=\"Snap!|<xml\b[^<>]*>\s*<(?:block|variables|yacodeblocks)\b|<project source=\"|"
    r"<structure\b[^<>]*>\s*+(?:&#13;\s*+)?<type>(?:fa|pda|turing|mealy|moore|grammar)</type>|<mx(?:file|GraphModel)\b|"
    r"<flowgorithm\b|<root\b[^<>]*\bxmlns:nsd=|<(?:block_set|export)\b[^<>]* xmlns=\"http://de\.fhg|"
    r"<pnml\b[^<>]*>\s*+<net\b"
)
# Languages whose files may begin as XML does.
MARKUP = frozenset({"php", "text", *(row.name for row in LANGUAGES if row.parts or row.frame)})

# The `project.json` of an archive `.sb3` or `.sb2`, and what Blockly saves as JSON.
_SCRATCH = (
    r'\A\s*+\{\s*+"(?:targets"\s*+:\s*+\[\s*+\{\s*+"isStage"\s*+:|objName"\s*+:\s*+"Stage"'
    r'|blocks"\s*+:\s*+\{\s*+"languageVersion")'
)

# Extensions that several languages share: that with most evidence (`weigh`), the first of equals, the last
# without any. A language is only told from others where its lexer reads those wrongly: programs of one class
# that are read by two lexers are not compared.
AMBIGUOUS = {
    ".h": ((_CPP, "cpp"), (_OBJECTIVE_C, "objective-c"), ("", "c")),
    ".m": ((_OBJECTIVE_C, "objective-c"), (_MATHEMATICA, "mathematica"), (_MATLAB, "matlab")),
    ".mm": (("", "objective-c++"),),
    ".pl": ((PROLOG, "prolog"), (_PERL, "perl")),
    ".pm": ((_PROMELA, "promela"), (_PERL, "perl")),
    ".t": ((_TURING, "ada"), (_PERL, "perl")),
    ".pro": ((PROLOG, "prolog"), (_IDL, "idl"), ("", "text")),
    ".p": ((PROLOG, "prolog"), (_OPENEDGE, "openedge"), (_PASCAL, "pascal")),
    ".s": (
        (ATT, "gas"), (_MIPS_ONLY, "mips"), (_RISC_V, "gas"), (_MOS_6502, "ca65"), (_R_ONLY, "r"),
        (INTEL_MEMORY, "x86"),
    ),
    ".asm": (
        (_HACK, "hack"), (ATT, "gas"), (_MIPS_ONLY, "mips"), (_RISC_V, "gas"), (INTEL_MEMORY, "x86"),
    ),
    ".sql": ((PLSQL, "plsql"), ("", "sql")),
    ".v": ((_COQ, "coq"), (_VERILOG, "verilog")),
    ".inc": ((r"<\?php", "php"), (_POV, "pov"), (_PAWN, "pawn"), (_PASCAL, "pascal"), ("", "text")),
    ".json": ((_SCRATCH, "scratch"), ("", "json")),
    ".f": ((_FORTH, "forth"), ("", "fortran")),
    ".for": ((_FORTH, "forth"), ("", "fortran")),
    ".lp": ((PROLOG, "prolog"), ("", "text")),
    ".plt": ((PROLOG, "prolog"), ("", "gnuplot")),
    ".es": ((r"^%%|^-(?:module|export)\(", "erlang"), ("", "javascript")),
    ".gs": ((_GLSL, "glsl"), (r"^uses[^\S\n]+\w", "gosu"), ("", "javascript")),
    ".fs": ((_GLSL, "glsl"), (_FORTH, "forth"), (_FSHARP, "fsharp")),
    ".cl": ((_OPENCL, "c"), (r"^\(\w", "common-lisp")),
    ".st": ((_SMALLTALK, "smalltalk"), (_STRUCTURED_TEXT, "structured-text"), ("", "smalltalk")),
    ".psc": ((_PSEINT, "structured-text"), ("", "praat")),
    ".mod": ((_AMPL, "ampl"), (_GO_MODULE, "text"), (_MODULA, "modula2")),
    ".def": ((_DEF_FILE, "text"), (_MODULA, "modula2")),
    ".cls": ((_LATEX, "text"), (_OPENEDGE, "openedge"), (_APEX, "java"), (_VISUAL_BASIC, "vb")),
    ".ml": ((_SML, "sml"), (_OCAML, "ocaml")),
    ".d": ((_MAKE_RULE, "make"), (_D, "d")),
    ".b": ((_BRAINFUCK, "brainfuck"), (_LIMBO, "limbo")),
    ".g": ((_GAP, "gap"), (_ANTLR, "antlr")),
    ".gd": ((_GAP, "gap"), (_GDSCRIPT, "gdscript")),
    ".j": ((_OBJECTIVE_C, "objective-j"), (_JASMIN, "jasmin")),
    ".pp": ((_PUPPET, "puppet"), (_PASCAL, "pascal")),
    ".r": ((_REBOL, "rebol"), (_R, "r")),
    ".sc": ((_SUPERCOLLIDER, "supercollider"), (_SCALA, "scala")),
}  # fmt: skip

# Languages that have the evidence of another one too, and what only they have.
DIALECTS = {"perl": (_RAKU, "perl6")}

# The language of other extensions that several lexers share and no row of the table names. Most are
# dialects of each other, or rare in courses.
DEFAULTS = {
    "actionscript3": ".as", "aspx-cs": ".asax .ascx .ashx .asmx .aspx .axd", "jags": ".bug", "cpp": ".cp",
    "prolog": ".ecl", "gherkin": ".feature", "swig": ".i", "ini": ".inf", "maxima": ".mac", "nemerle": ".n",
    "lean4": ".lean", "ragel-ruby": ".rl", "supercollider": ".scd", "wowtoc": ".toc", "scilab": ".tst",
    "turtle": ".ttl", "urbiscript": ".u",
}  # fmt: skip

# How comments begin and what encloses strings in the languages of `AMBIGUOUS`; others are like C.
_SYNTAX = {
    "matlab": '% "', "prolog": "% /* \" '", "perl": "=pod # \" '", "fsharp": '(* // "', "ada": '% /* "',
    "pascal": "{ (* // '", "vb": "'... \"", "smalltalk": "\" '", "structured-text": "(* // '",
    **dict.fromkeys(("mathematica", "coq", "ocaml", "sml", "modula2"), '(* "'),
    **dict.fromkeys(("mips", "gas"), '# "'), **dict.fromkeys(("plsql", "sql"), "-- /* '"),
    **dict.fromkeys(("puppet", "r", "gap", "ampl", "make", "gdscript", "limbo", "praat"), "# \" '"),
    **dict.fromkeys(("idl", "rebol", "common-lisp", "x86", "ca65", "jasmin"), '; "'),
    **dict.fromkeys(("text", "brainfuck", "forth", "scratch", "json", "php"), ""),
}  # fmt: skip
_LEFT_OUT = {
    "//": r"//.*", "#": r"(?<![$\w])#.*", "%": r"%.*", ";": r";.*", "--": r"--.*",
    "'": r"'(?:[^'\\\n]|\\.)*'?",
    '"': r'"(?:[^"\\\n]|\\.)*"?', "/*": r"/\*[^*]*+(?:\*(?!/)[^*]*)*(?:\*/)?",
    "(*": r"\(\*[^*]*+(?:\*(?!\))[^*]*)*(?:\*\))?",
    "{": r"\{[^}]*+", "'...": r"'.*", "=pod": r"(?s:^=[a-z].*?(?:^=cut\b|\Z))",
}  # fmt: skip

# Programs under the extension of another language: a word, and a line that only the language has with it. No
# programs in the other languages have such lines; what they have of a language in strings and comments does not count.
_ONLY = (
    ("static void main", BEGIN + r"public static void main[^\S\n]*\([^\S\n]*(?:final )?String\b", "java"),
    ("def ", BEGIN + r"def \w+\([^)\n]*\)(?: -> [^:\n]+)?:" + END, "python"),
    ("using System;", r"^using System;", "csharp"),
    ("#include <iostream>", r"^(?:int|void) main[^\S\n]*\(", "cpp"),
    ("#include <", r"^(?:int|void) main[^\S\n]*\(", "c"),
    ("package main", r"^package main$", "go"),
    ("fn main(", r"^fn main\(\)", "rust"),
)
_TOLD_APART = frozenset({
    "java", "python", "csharp", "c", "cpp", "go", "rust", "javascript", "typescript", "kotlin", "scala",
    "swift", "ruby", "haskell",
})  # fmt: skip
# In these, but in no program of a page's name; comments of C# have other tags.
_PAGE_ENDS = ("</script", "</body", "</html", "</p>")
_IN_TAGS = frozenset({"html", "xml", "php"})

# Content of a file whose name does not determine the language: the first pattern that occurs decides.
PAGES = ((r"\A\s*<\?php", "php"), (r"(?i)\A\s*(?:<!doctype html|<html)", "html"), (XML, "xml"))
CONTENT_PATTERNS = (
    *PAGES,
    (BEGIN + r"#include\s*<(?:iostream|string|vector|map|algorithm)>|\bstd::", "cpp"),
    (BEGIN + r"#include\s*[<\"]", "c"),
    # What a class extends and implements takes fewer than 500 characters.
    (BEGIN + r"(?:class|final\s++class|public\s++(?:final\s++)?class)\s++\w++[^;{]{0,500}+\{|^import java\.", "java"),
    (r"^using System", "csharp"),
    (r"^package main$", "go"),
    (rf"^(?:from \w[\w.]* import |import \w[\w., ]*$|def \w+\([^)\n]*+\).*:{END}|class \w.*:{END})", "python"),
    (BEGIN + r"fn \w.*\{" + END, "rust"),
    (r"(?i)\A\s*(?:create table|select\s.+\sfrom|insert into)\b", "sql"),
    (BEGIN + r"(?:function \w+\(.*\) \{|const \w+ = )", "javascript"),
)  # fmt: skip

# For a text that looks like a program as a whole (`is_program`): the first pattern that occurs decides.
PROGRAM_PATTERNS = (
    (r"<\?php\b", "php"),
    (BEGIN + r"(?:pub )?(?:fn \w.*\{|impl\b.*\{)" + END + r"|^use (?:std|crate)::|\blet mut \w", "rust"),
    (r"^#include[^\S\n]*<(?:iostream|string|vector|map|algorithm)>|\bstd::", "cpp"),
    (BEGIN + r"(?:#include[^\S\n]*[<\"]|int main\()", "c"),
    (BEGIN + r"(?:override |private |suspend )?fun \w.*[{=]|^import kotlin[.x]", "kotlin"),
    (r"^import java\.|\bSystem\.out\.print", "java"),
    (r"(?i)^(?:public |private )?sub \w+\(.*\)" + END + r"|" + BEGIN + r"dim \w+ as \w", "vb"),
    (r"^using System|^namespace \w|\bConsole\.(?:Write|Read)|\b(?:string|bool|int) [A-Z]\w* \{ get;", "csharp"),
    (BEGIN + r"(?:[a-z]+ )?func \w.*-> ?\w|^import (?:Foundation|SwiftUI)$", "swift"),
    (r"^import (?:scala|akka)\.|" + BEGIN + r"(?:case class \w|object \w+(?: extends \w.*)? \{"
        r"|def \w+(?:\(.*\))?(?:: ?\w+)? = ?\{?$)", "scala"),
    (BEGIN + r"public (?:static |final |abstract )?(?:class|interface|enum|void|int|double|String) \w", "java"),
    (r"^package \w+$|" + BEGIN + r"func (?:\(\w+ \*?\w+\) )?\w+\(", "go"),
    (BEGIN + r"(?:let rec \w|let \w+ =.* in$|let \(\) =|match .* with$|open [A-Z]\w+$)", "ocaml"),
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
    (BEGIN + rf"(?:class \w|for |while |if |def \w+\().*:{END}|^from \w[\w.]* import |^import \w[\w., ]*$", "python"),
    (BEGIN + r"def \w+[?!]?(?:\(.*\))?" + END + r"|^require ['\"]|\bputs [\"']|\.each do\b", "ruby"),
    (BEGIN + r"(?:interface \w+ \{|type \w+ =|(?:const|let) \w+: |function \w+\(\w+\??: )", "typescript"),
    (BEGIN + r"(?:(?:export )?(?:async )?function \w*\(|(?:const|let|var) \w+ = )|\bconsole\.log\(", "javascript"),
    (BEGIN + r"(?:\w+:[^\S\n]*)?(?:li|la|lw|sw|addiu?|move|beq|jal)[^\S\n]+" + MIPS, "mips"),
    (ATT, "gas"),
    (INTEL_MEMORY, "x86"),
    (PLSQL, "plsql"),
    (r"(?i)^(?:create table|select\s.{1,500}\sfrom|insert into)\b", "sql"),
    (PROLOG, "prolog"),
    (r"^#!/bin/|^(?:if|while) \[\[? |^fi$|^done$", "bash"),
)  # fmt: skip

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
    "{", "}", "(", "[", ";", "):", ")", "->", "=", " do", " then", " begin", "else", "]", "},", "],", "),",
)  # fmt: skip
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

# Texts and documents, whose name does not say that they are prose; and what else is put behind the name of a
# file, by Windows, editors, and students whose platform wants texts.
_MAILS = (".eml", ".mht", ".mhtml")
_TEXTS = frozenset({".txt", ".text", ".docx", ".docm", ".odt", ".pdf", ".rtf", *_MAILS})
_DOCUMENTS = frozenset({".md", ".markdown", ".rst", ".tex", ".org", ".adoc"})
# Words before code in a document that name no language.
_NO_LANGUAGES = frozenset({"console", "none", "output", "plain", "plaintext", "text", "txt"})
_WRAPPERS = frozenset({*_TEXTS, ".bak", ".old", ".orig", ".save"})
# A platform writes what was pasted into its text box as a page.
PAGE_NAMES = (".html", ".htm", ".txt", *_MAILS)


def first_match(choices: Iterable[tuple[str, str]], head: str) -> str:
    """Return the language of the first pattern that occurs in a text, "" if none does."""
    return next((language for pattern, language in choices if re.search(pattern, head, re.MULTILINE)), "")


def is_program(head: str) -> bool:
    """Return whether most lines of a text look like those of a program; comments do not count.

    A sentence in a string makes no difference to the line, and words about a program make no program.
    """
    lines = [line for line in map(str.strip, head.splitlines()) if line and not line.startswith(_COMMENT_LINE)]
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


def weigh(choices: Sequence[tuple[str, str]], head: str) -> list[tuple[float, int]]:
    """Return for each language the share of all evidence that is its own if the text is in it, and the count.

    What is in comments and strings of that language is no evidence, of others neither.
    """
    patterns = [re.compile(pattern, re.MULTILINE) if pattern else None for pattern, _ in choices]
    possible = [pattern if pattern and pattern.search(head) else None for pattern in patterns]
    if not any(possible):
        return [(0.0, 0)] * len(choices)
    weights = []
    for own, (_, language) in enumerate(choices):
        if not possible[own]:
            weights.append((0.0, 0))
            continue
        code = _code_of(head, language)
        counts = [len(pattern.findall(code)) if pattern else 0 for pattern in possible]
        weights.append((counts[own] / (sum(counts) or 1), counts[own]))
    return weights


def _code_of(head: str, language: str) -> str:
    """Return a text with a blank for each comment and string that it would have in a language."""
    expression = _comments_and_strings(language)
    return expression.sub(" ", head) if expression.pattern else head


@cache
def _comments_and_strings(language: str) -> re.Pattern[str]:
    marks = _SYNTAX.get(language, "// /* \" '").split()
    return re.compile("|".join(_LEFT_OUT[mark] for mark in marks), re.MULTILINE)


def detect(filename: str, text: str, likely: str = "") -> str:
    """Return the language of a file, from its name or else from its content; prose when nothing matches.

    `likely` is the language of most other files, "" if there is none; it decides where doubt is left.
    """
    head = without_unseen(plain(text[:HEAD_CHARACTERS]).text)
    language = _detected(filename, text, head, likely)
    return "scratch" if language == "xml" and _BLOCKS.search(head) else language


def _detected(filename: str, text: str, head: str, likely: str) -> str:
    inner = _inner_name(_name(filename))
    extension = _extension(inner)
    if extension in AMBIGUOUS:
        return _of_several(AMBIGUOUS[extension], head, likely)
    language = _by_pattern(inner)
    if language == "text" and extension in _DOCUMENTS:
        return _language_of_document(head)
    if language in ("", "text") and extension in _TEXTS:
        return language_of_text(head, likely)
    if language in _IN_TAGS and not any(sign in head for sign in ("<?", "<!", *_PAGE_ENDS)) and not _TAG.match(head):
        return _by_shebang(head) or language_of_program(head) or language
    if language:
        return "xml" if language not in MARKUP and _XML.match(head) else _shown_by_content(language, head)
    return (
        _by_shebang(head)
        or _by_pygments(inner)
        or first_match(CONTENT_PATTERNS, head)
        or _by_markup(text)
        or language_of_text(head, likely)
    )


def possible_languages(filename: str) -> frozenset[str]:
    """Return the languages of which the content of a file of this name decides; none for any language."""
    choices = AMBIGUOUS.get(_extension(_inner_name(_name(filename))), ())
    return frozenset(language for _, language in choices)


def leaves_doubt(filename: str) -> bool:
    """Return whether the language of a file does not follow from its name alone."""
    inner = _inner_name(_name(filename))
    extension = _extension(inner)
    if extension in AMBIGUOUS or extension in _TEXTS or extension in PAGE_NAMES:
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
    """Return the language with most evidence, of equals the likely one, if the name may mean that."""
    if _XML.match(head):
        return "xml"
    shebang, languages = _by_shebang(head), [language for _, language in choices]
    if shebang in languages:
        return shebang
    weights = weigh(choices, head)
    best = [language for weight, language in zip(weights, languages, strict=True) if weight == max(weights)]
    if likely in best:
        return likely
    language = best[0] if any(map(any, weights)) else languages[-1]
    pattern, dialect = DIALECTS.get(language, ("", ""))
    return dialect if pattern and re.search(pattern, _code_of(head, language), re.MULTILINE) else language


def _shown_by_content(language: str, head: str) -> str:
    """Return the language of a program under the extension of `language`: another one only where its lines say so."""
    if language not in _TOLD_APART or not any(word in head for word, _, other in _ONLY if other != language):
        return language
    code = _code_of(head, language)
    shown = [other for word, pattern, other in _ONLY if word in head and re.search(pattern, code, re.MULTILINE)]
    is_other = shown and language not in shown and {language, shown[0]} != {"c", "cpp"}
    return shown[0] if is_other else language


def _language_of_document(head: str) -> str:
    """Return the language of a document: with code in it, that of the program which it is, or prose."""
    whole, has_code = language_of_text(head), False
    for chunk in islice(chunks(head), MOST_CHUNKS):
        is_marked, code = chunk.whole[0] < chunk.start, head[chunk.start : chunk.end]
        if is_marked or whole == "text":
            named = chunk.language if chunk.language != UNNAMED else language_of_text(dedent(code))
            has_code |= named not in _NO_LANGUAGES
    return "rmarkdown" if has_code else whole


def _by_markup(text: str) -> str:
    """Return the language of a text in angle brackets, "" for another one."""
    if not _TAG.match(text) or not text.endswith(">", 0, len(text.rstrip())):
        return ""
    return "html" if _HTML_TAG.match(text) else "xml"


def language_of_text(head: str, likely: str = "") -> str:
    """Return the language of a text: that of the program which it is, or prose."""
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
    if default := _default_languages().get(_extension(name)):
        return default
    from fingerprint.languages.code import lexer_for_filename  # noqa: PLC0415 - NumPy and Pygments are slow to import

    return lexer_for_filename(name)


@cache
def _default_languages() -> dict[str, str]:
    return {extension: name for name, extensions in DEFAULTS.items() for extension in extensions.split()}
