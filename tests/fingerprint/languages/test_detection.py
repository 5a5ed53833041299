"""Which language a file is in, where several share its extension, or none is known for it."""

from collections import defaultdict
from fnmatch import fnmatchcase

import pytest
from hypothesis import given, strategies as st
from pygments.lexers import get_all_lexers

from fingerprint.languages import front_end
from fingerprint.languages.detection import _TOLD_APART, AMBIGUOUS, DEFAULTS, DIALECTS, _by_pattern, detect
from fingerprint.languages.language_table import LANGUAGES, OTHERS
from tests.fingerprint.languages.test_every_language import program

SAMPLES = {
    (".h", "c"): "int level(int tide);\n",
    (".h", "cpp"): "class Tide {\npublic:\n    std::string name;\n};\n",
    (".h", "objective-c"): "@interface Tide : NSObject\n@property int level;\n@end\n",
    (".m", "objective-c"): "#import <Foundation/Foundation.h>\nint main() { return 0; }\n",
    (".m", "mathematica"): "level[t_] := t^2 + 1\nPlot[level[t], {t, 0, 1}]\n",
    (".m", "matlab"): "function y = level(t)\ny = t .^ 2 + zeros(3);\nend\n",
    (".mm", "objective-c++"): "@implementation Tide\n@end\n",
    (".pl", "prolog"): "tide(high, 6). tide(low, 12).\nlater(X, Y) :- tide(X, A), tide(Y, B), A > B.\n",
    (".pl", "perl"): "while ($n --> 0) { print $n }\n",
    (".pl", "perl6"): "class Tide {\n    has $.level;\n}\nsay $tide.level;\n",
    (".pm", "promela"): "active proctype Tide() {\n  do\n  :: level < 3 -> level++\n  od\n}\n",
    (".pm", "perl"): "package Tide;\nsub new { my $class = shift; return bless {}, $class }\n1;\n",
    (".t", "ada"): 'var level : int\nput "high"\nget level\nloop\n  exit when level = 3\nend loop\n',
    (".t", "perl"): "use Test::More tests => 1;\nok($level);\n",
    (".pro", "prolog"): "likes(ann, bob).\nfriend(X, Y) :- likes(X, Y).\n",
    (".pro", "idl"): "pro tides, levels\n  for i = 0, 9 do begin\n    print, levels[i]\n  endfor\nend\n",
    (".pro", "text"): "TEMPLATE = app\nSOURCES += main.cpp\n",
    (".p", "prolog"): "likes(ann, bob).\n",
    (".p", "openedge"): "DEFINE VARIABLE level AS INTEGER NO-UNDO.\nFOR EACH tide:\nEND.\n",
    (".p", "pascal"): "program Tides;\nbegin\nend.\n",
    (".s", "gas"): "  subq $16, %rsp\n  movl $5, -4(%rbp)\n",
    (".s", "mips"): "add $8, $9, $10\nlw $t0, 0($sp)\n",
    (".s", "ca65"): "  lda #$01\n  sta $0200\n",
    (".s", "r"): "level <- function(t) {\n  t + 1\n}\n",
    (".s", "x86"): "mov eax, 1\nadd ebx, 2\n",
    (".asm", "hack"): "@2\nD=A\n@3\nD=D+A\n",
    (".asm", "gas"): "main:\n  addi sp, sp, -16\n  ecall\n",
    (".asm", "mips"): "li $t0, 1\nsyscall\n",
    (".asm", "x86"): "mov eax, 1\nadd ebx, 2\n",
    (".sql", "plsql"): "CREATE OR REPLACE PROCEDURE tide IS\nBEGIN\nEND;\n",
    (".sql", "sql"): "SELECT level FROM tides;\n",
    (".v", "coq"): "Theorem high : True.\nProof. trivial. Qed.\nLemma low : True.\n",
    (".v", "verilog"): "module tide(input clock);\nassign level = 4'b0;\nendmodule\n",
    (".psc", "structured-text"): "Algoritmo Marea\n\tDefinir n Como Entero\n\tLeer n\nFinAlgoritmo\n",
    (".psc", "praat"): 'proceso = Get total duration\nleer = Read from file: archivo$\ndefinir$ = "tide"\n',
    (".inc", "php"): "<?php\n$level = 1;\n",
    (".inc", "pov"): "#declare Level = 3;\n",
    (".inc", "pawn"): "stock tide(level) {\n  return level;\n}\n",
    (".inc", "pascal"): "procedure rise(var level: integer);\nbegin\n  inc(level);\nend;\n",
    (".inc", "text"): "The tide comes twice a day.\n",
    (".json", "scratch"): '{"targets": [{"isStage": true}]}',
    (".json", "json"): "{}",
    (".f", "fortran"): "      program tide\n      end\n",
    (".f", "forth"): ": square dup * ;\n",
    (".for", "fortran"): "      program tide\n      end\n",
    (".for", "forth"): ": square dup * ;\n",
    (".lp", "prolog"): "low(X) :- tide(X).\n:- low(1).\n",
    (".lp", "text"): "The tide comes twice a day.\n",
    (".plt", "prolog"): ":- begin_tests(tide).\ntest(low) :- tide(1).\n",
    (".plt", "gnuplot"): "plot sin(x)\n",
    (".es", "erlang"): "%% tides\n-module(tide).\n",
    (".es", "javascript"): "export const tide = 3;\n",
    (".gs", "glsl"): "#version 330\nuniform float tide;\n",
    (".gs", "gosu"): "uses java.util.List\n",
    (".gs", "javascript"): "function onOpen() { return 1; }\n",
    (".fs", "glsl"): "void main() { gl_FragColor = vec4(1.0); }\n",
    (".fs", "forth"): ": square dup * ;\n",
    (".fs", "fsharp"): "let rec tide x = if x = 0 then 1 else x * tide (x - 1)\n",
    (".cl", "c"): "__kernel void add(__global float *a) {\n}\n",
    (".cl", "common-lisp"): "(defun square (x) (* x x))\n",
    (".st", "smalltalk"): "Object subclass: #Tide\n  level\n    ^ self level\n",
    (".st", "structured-text"): "PROGRAM main\nVAR x : INT; END_VAR\nx := 1;\nEND_PROGRAM\n",
    (".mod", "ampl"): "param n;\nvar x {1..n} >= 0;\nminimize cost: x[1];\nsubject to low: x[1] >= 1;\n",
    (".mod", "text"): "module example.org/tide\n\ngo 1.21\n\nrequire example.org/level v1.0.0\n",
    (".mod", "modula2"): "MODULE Tides;\nVAR x : INTEGER;\nBEGIN\nEND Tides.\n",
    (".def", "text"): "LIBRARY tides\nEXPORTS\n  level\n",
    (".def", "modula2"): "DEFINITION MODULE Tides;\nPROCEDURE Level;\nEND Tides.\n",
    (".cls", "text"): "\\NeedsTeXFormat{LaTeX2e}\n\\ProvidesClass{thesis}\n\\LoadClass{book}\n",
    (".cls", "openedge"): "CLASS Tide:\n  DEFINE VARIABLE level AS INTEGER NO-UNDO.\nEND CLASS.\n",
    (".cls", "java"): "public with sharing class Tide {\n  public void rise() {\n    insert level;\n  }\n}\n",
    (".cls", "vb"): 'VERSION 1.0 CLASS\nAttribute VB_Name = "Tide"\nPublic Sub Rise()\nEnd Sub\n',
    (".ml", "sml"): "fun level t = t + 1\nval high = level 3\ndatatype tide = High | Low\n",
    (".ml", "ocaml"): "let rec level t = match t with\n  | 0 -> 1\n  | n -> n * level (n - 1)\n",
    (".d", "make"): "main.o: main.c tides.h \\\n  levels.h\n",
    (".d", "d"): "import std.stdio;\nvoid main() {\n  writeln(1);\n}\n",
    (".b", "brainfuck"): "++++[>++++<-]>.\n",
    (".b", "limbo"): 'implement Tides;\ninclude "sys.m";\n',
    (".g", "gap"): "level := function(t)\n  return t;\nend;\nhigh := 3;\n",
    (".g", "antlr"): "grammar Tides;\nlevel\n  : INT\n  ;\n",
    (".gd", "gap"): 'DeclareOperation( "Level", [ IsTide ] );\n',
    (".gd", "gdscript"): "extends Node\nvar level = 3\nfunc rise():\n    level += 1\n",
    (".j", "objective-j"): "@implementation Tide : CPObject\n@end\n",
    (".j", "jasmin"): ".class public Tide\n.super java/lang/Object\n.method public rise()V\n.end method\n",
    (".pp", "puppet"): "class tides {\n  file { '/tide': ensure => present }\n}\n",
    (".pp", "pascal"): "program Tides;\nbegin\nend.\n",
    (".r", "rebol"): 'REBOL [Title: "Tides"]\nlevel: func [t] [t]\n',
    (".r", "r"): "level <- function(t) t + 1\n",
    (".sc", "supercollider"): "(\nvar level;\nSynthDef(\\tide, { SinOsc.ar(440) }).play;\n)\n",
    (".sc", "scala"): "object Tide {\n  def level = 1\n}\n",
}  # fmt: skip
# How a line of a comment begins and ends.
LINES = {
    "matlab": "%", "prolog": "%", "perl": "#", "ada": "%", "idl": ";", "puppet": "#", "r": "#",
    "gap": "#", "ampl": "#", "make": "#", "gdscript": "#", "limbo": "#", "praat": "#", "rebol": ";",
    "jasmin": ";", "common-lisp": ";", "mips": "#", "x86": ";", "ca65": ";", "gas": "#",
    "plsql": "--", "sql": "--", "vb": "'", "fortran": "!",
}  # fmt: skip
BLOCKS = {
    **dict.fromkeys(
        ("mathematica", "coq", "ocaml", "sml", "fsharp", "modula2", "structured-text"), ("(*", "*)")
    ),
    "pascal": ("{", "}"), "smalltalk": ('"', '"'),
}  # fmt: skip
WITHOUT_COMMENTS = {"text", "brainfuck", "forth", "scratch", "json", "php", "hack"}
# Its own comment cannot be told from a program of the other.
UNDECIDED = {("smalltalk", "structured-text")}
ROWS = [(pattern, row.name) for row in (*LANGUAGES, *OTHERS) for pattern in row.file_patterns.split()]
PARTS = st.one_of(st.sampled_from([pattern.lstrip("*") for pattern, _ in ROWS]), st.text(".abCR*?[]", max_size=4))


def in_comment(language: str, text: str) -> str:
    if language in LINES:
        return "".join(f"{LINES[language]} {line}\n" for line in text.splitlines())
    begin, end = BLOCKS.get(language, ("/*", "*/"))
    for mark in {begin, end}:
        text = text.replace(mark, " ")
    return f"{begin}\n{text}{end}\n"


def test_each_language_of_a_shared_extension_has_a_sample() -> None:
    candidates = {(end, language) for end, choices in AMBIGUOUS.items() for _, language in choices}
    assert candidates - SAMPLES.keys() == set()


@pytest.mark.parametrize(("extension", "language"), SAMPLES)
def test_a_sample_is_told_from_all_languages_that_share_its_extension(extension: str, language: str) -> None:
    assert detect(f"tide{extension}", SAMPLES[extension, language]) == language
    assert front_end(language).name == language


@pytest.mark.parametrize(
    ("extension", "language"), [key for key in SAMPLES if key[1] not in {*WITHOUT_COMMENTS, "perl6"}]
)
def test_a_program_of_another_language_in_a_comment_changes_nothing(extension: str, language: str) -> None:
    program = SAMPLES[extension, language]
    for (end, other), text in SAMPLES.items():
        if end == extension and other != language and (language, other) not in UNDECIDED:
            comment = in_comment(language, text)
            assert detect(f"tide{extension}", comment + program) == language, comment
            assert detect(f"tide{extension}", program + comment) == language, comment


def test_every_extension_that_several_languages_share_is_decided() -> None:
    languages = defaultdict(set)
    for _, aliases, patterns, _ in get_all_lexers():
        for pattern in patterns if aliases else ():
            languages[pattern.lower()].add(aliases[0])
    stated = {pattern.lower() for row in (*LANGUAGES, *OTHERS) for pattern in row.file_patterns.split()}
    stated |= {f"*{end}" for ends in (*AMBIGUOUS, *DEFAULTS.values()) for end in ends.split()}
    shared = {pattern for pattern, names in languages.items() if len(names) > 1}
    assert len(shared) > 50
    assert shared - stated == set()


# The languages of extensions that the public rules of Linguist know for several languages, where the content
# tells nothing; most of the others there are not known to Pygments.
WITHOUT_EVIDENCE = {
    "groff": ".1 .2 .3 .4 .5 .6 .7 .8 .9 .man", "actionscript3": ".as", "asc": ".asc", "x86": ".asm .s",
    "asymptote": ".asy", "vb": ".bas .cls .frm", "blitzbasic": ".bb", "brainfuck": ".bf", "bst": ".bst",
    "common-lisp": ".cl .lsp .lisp", "csharp": ".cs", "d": ".d", "eiffel": ".e", "prolog": ".ecl",
    "javascript": ".es .gs", "elixir": ".ex", "fortran": ".f .for", "fsharp": ".fs", "antlr": ".g",
    "gdscript": ".gd", "c": ".h", "cpp": ".hh", "html": ".html", "swig": ".i", "json": ".json", "k": ".k",
    "lean4": ".lean", "livescript": ".ls", "matlab": ".m", "mask": ".mask", "mason": ".mc", "ocaml": ".ml",
    "modula2": ".mod", "mojo": ".mojo", "miniscript": ".ms", "nemerle": ".n", "ncl": ".ncl",
    "newlisp": ".nl", "odin": ".odin", "pascal": ".p .pp", "php": ".php", "perl": ".pl .pm .t",
    "gnuplot": ".plt", "properties": ".properties", "q": ".q", "r": ".r", "reasonml": ".re",
    "robotframework": ".resource", "rust": ".rs", "scala": ".sc", "supercollider": ".scd",
    "scheme": ".scm", "solidity": ".sol", "sql": ".sql", "smalltalk": ".st", "tact": ".tact",
    "wowtoc": ".toc", "smarty": ".tpl", "typescript": ".ts .tsx", "scilab": ".tst", "typst": ".typ",
    "verilog": ".v", "logos": ".x", "yaml": ".yaml .yml",
    "text": ".al .app .bi .bs .builds .cairo .ch .cmp .csc .csl .dsp .fr .ftl .gml .gsc .gsh .gts .ice .inc"
    " .l .lp .m4 .md .msg .nr .nu .pkl .plist .pod .pro .qs .res .rno .rpy .srt .srv .star .stl .svx .sw .tag"
    " .tl .tlv .tsp .txt .url .vba .vcf .w .yy",
}  # fmt: skip


@pytest.mark.parametrize("language", WITHOUT_EVIDENCE)
def test_every_extension_that_linguist_disambiguates_has_a_stated_language(language: str) -> None:
    for extension in WITHOUT_EVIDENCE[language].split():
        assert detect(f"tide{extension}", "") == language, extension


def test_defaults_are_languages_and_no_other_rule_decides_before_them() -> None:
    for language, extensions in DEFAULTS.items():
        for extension in extensions.split():
            assert detect(f"tide{extension}", "") == language
            assert front_end(language).name == language
    assert {front_end(language).name for _, language in DIALECTS.values()} == {"perl6"}


@pytest.mark.parametrize(
    ("filename", "text", "language"),
    [
        ("a.pl", 'print "<!-- high -->\\n";\n', "perl"),
        ("a.pl", "# The options are :-\nmy $x = 1;\nprint $x;\n", "perl"),
        ("a.pl", "=pod\n\nlevel(tide).\nlevel --> tide.\n\n=cut\nmy $x = 1;\n", "perl"),
        ("a.pl", "s --> np, vp.\nnp --> [the], n.\n", "prolog"),
        ("a.ts", "<?xml version='1.0'?>\n<!DOCTYPE TS>\n<TS></TS>\n", "xml"),
        ("a.ts", "<!DOCTYPE TS>\n<TS version='2.1'></TS>\n", "xml"),
        ("a.bpmn", "<?xml version='1.0'?>\n<!-- high -->\n<process/>\n", "xml"),
        ("a.circ", "<project source='2.7'>\n<!-- high --><wire/>\n</project>\n", "xml"),
        ("a.xml", "<?xml version='1.0'?>\n<words><word><type>grammar</type></word></words>\n", "xml"),
        ("a.xml", "<?xml version='1.0'?>\n<root class='nsd'><tide/></root>\n", "xml"),
        ("a.s", "/*\nr0 <- function to call\n*/\nsort:\n  push {r4, lr}\n  mov r4, r0\n", "x86"),
        ("a.unknown", "<div>high</div>\n", "html"),
        ("a.unknown", "<tide or level is high\n", "text"),
        ("a.mmd", "graph TD\n A --> B\n", "text"),
        ("a.txt", "graph TD\n A --> B\n", "text"),
    ],
)
def test_markup_and_arrows_decide_for_no_other_language(filename: str, text: str, language: str) -> None:
    assert detect(filename, text) == language


def test_the_language_of_the_class_decides_where_there_is_no_evidence_or_as_much_of_two() -> None:
    assert detect("a.v", "", "coq") == "coq"
    assert detect("a.pl", "print 1;\n", "prolog") == "prolog"
    assert detect("a.pl", SAMPLES[".pl", "perl"], "prolog") == "perl"
    assert detect("a.m", "x\n", "java") == "matlab"


def naive(name: str) -> str:
    """Return the language of the first pattern that matches."""
    return next(
        (language for pattern, language in ROWS if fnmatchcase(name, pattern) or fnmatchcase(name.lower(), pattern)),
        "",
    )


@given(st.lists(PARTS, max_size=4).map("".join), st.booleans())
def test_the_first_pattern_that_matches_decides(name: str, upper: bool) -> None:  # noqa: FBT001 - by Hypothesis
    chosen = name.upper() if upper else name
    assert _by_pattern(chosen) == naive(chosen)


def test_every_pattern_of_the_table_is_a_whole_name_or_an_ending_after_a_dot() -> None:
    for pattern, _ in ROWS:
        assert not set("*?[") & set(pattern.removeprefix("*.")), pattern


def test_every_pattern_of_the_table_is_found() -> None:
    for pattern, _ in ROWS:
        name = pattern.replace("*", "exercise")
        assert _by_pattern(name) == naive(name) != "", pattern


def test_a_name_of_many_dots_is_read_to_its_end() -> None:
    assert detect("a.java.bak.py", "") == "python"


# Programs that only one of these languages has, and what another one is called.
SHOWN = {
    "java": "import java.util.*;\npublic class Tide {\n  public static void main(String[] args) {\n  }\n}\n",
    "python": "import sys\n\ndef rise(level: int) -> int:\n    return level + 1\n",
    "csharp": "using System;\nclass Tide {\n  static void Main() { }\n}\n",
    "cpp": "#include <iostream>\nint main() {\n  return 0;\n}\n",
    "c": "#include <stdio.h>\n\nint main(void) {\n  return 0;\n}\n",
    "go": "package main\n\nfunc main() {\n}\n",
    "rust": "fn main() {\n    let level = 3;\n}\n",
}
ENDINGS = {row.name: row.file_patterns.split()[0][1:] for row in LANGUAGES if row.name in _TOLD_APART}


@pytest.mark.parametrize("shown", SHOWN)
@pytest.mark.parametrize("named", ENDINGS)
def test_a_program_under_the_extension_of_another_language_is_read_in_its_own(named: str, shown: str) -> None:
    family = {"c", "cpp"}
    expected = named if {named, shown} == family else shown
    assert detect(f"Tide{ENDINGS[named]}", SHOWN[shown]) == expected
    if named in SHOWN and named != shown:
        for comment in (in_comment(named, SHOWN[shown]) if named != "python" else f"# {SHOWN[shown][:9]}\n",):
            assert detect(f"Tide{ENDINGS[named]}", comment + SHOWN[named]) == named
    assert detect(f"Tide{ENDINGS[named]}", "") == named


@pytest.mark.parametrize(
    "before", ["<!DOCTYPE html>\n<html>\n", "<html>\n", "\n<!-- mine -->\n", "Tides</p>\n", "<?php ?>\n"]
)
@pytest.mark.parametrize("script", SHOWN)
def test_a_page_with_a_program_in_it_stays_a_page(before: str, script: str) -> None:
    page = f"{before}<script>\n{SHOWN[script]}let level = 3;\nfunction rise() {{ return level; }}\n</script>\n"
    assert detect("tide.html", page) == "html"


@pytest.mark.parametrize("name", ENDINGS)
def test_a_program_under_its_own_extension_is_read_in_its_language(name: str) -> None:
    assert detect(f"Tide{ENDINGS[name]}", program(name)) == name
