"""Names of languages, detection, the vocabulary of front-ends, and pairs of brackets."""

import itertools
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import cache
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import given, settings as examples, strategies as st
from pygments.lexer import Lexer
from pygments.token import STANDARD_TYPES, Token, _TokenType

from fingerprint.languages import LexerFailed, choices, detect, front_end
from fingerprint.languages.coarse import match_brackets
from fingerprint.languages.code import CodeFrontEnd
from fingerprint.languages.language_table import LANGUAGES, Language
from fingerprint.languages.prose import Prose, WordKinds
from fingerprint.languages.vocabulary import PLAIN_WORD, NormalisationRules

GOLDEN = Path(__file__).parent / "golden"


MOSS = (
    "c cc java ml pascal ada lisp scheme haskell fortran ascii vhdl perl matlab python mips prolog spice vb "
    "csharp modula2 a8086 javascript plsql verilog"
)


@pytest.mark.parametrize("name", MOSS.split())
def test_every_language_name_of_moss_is_a_tuned_language(name: str) -> None:
    assert front_end(name).name in dict(choices())


def test_names_and_titles_are_unique_and_found_by_both() -> None:
    names, titles = zip(*choices(), strict=True)
    assert len(set(names)) == len(names) == len({front_end(name) for name in names})
    assert [front_end(title.upper()).name for title in titles] == list(names)


def test_any_pygments_lexer_works_untuned() -> None:
    julia = front_end("julia")
    text = "function f(x)\n  x + 1 # one more\nend\n"
    assert [kind for _, _, kind in julia.named_tokens(text)] == [
        "function",
        "<name>",
        "<name>",
        "<name>",
        "+",
        "<number>",
        "end",
    ]


def test_an_unknown_name_is_refused_with_similar_names() -> None:
    with pytest.raises(ValueError, match=r"no language is called 'pyhton'; did you mean .*python"):
        front_end("pyhton")


@pytest.mark.parametrize(
    ("left", "right", "text"),
    [
        ("c", "cpp", "int f(int a) { return a + 1; }"),
        ("javascript", "typescript", "function f(a) { return a + 1; }"),
        ("sql", "plsql", "SELECT name FROM harbour WHERE id = 1"),
    ],
)
def test_a_copy_under_another_extension_has_the_same_kinds(left: str, right: str, text: str) -> None:
    assert front_end(left).tokens(text).kinds.tolist() == front_end(right).tokens(text).kinds.tolist()


def test_kinds_of_unrelated_languages_differ() -> None:
    assert not set(front_end("c").tokens("x = 1").kinds) & set(front_end("python").tokens("x = 1").kinds)


@pytest.mark.parametrize(
    ("filename", "text", "language"),
    [
        ("Main.java", "", "java"),
        ("dir/MAIN.PY", "", "python"),
        ("a\\b.rs", "", "rust"),
        ("x.h", "int f(void);\n", "c"),
        ("x.h", "class A {\n};\n", "cpp"),
        ("x.m", "@interface A : NSObject\n@end\n", "objective-c"),
        ("x.m", "function y = f(x)\n", "matlab"),
        ("x.pl", "use strict;\nmy $x = 1;\n", "perl"),
        ("x.pl", "swing([X], 0) :- !.\n", "prolog"),
        ("x.p", "program Tides;\n", "pascal"),
        ("x.v", "module m;\nendmodule\n", "verilog"),
        ("x.v", "Theorem t : True.\nProof. trivial. Qed.\n", "coq"),
        ("x.s", "addi $sp, $sp, -8\n", "mips"),
        ("x.asm", "mov eax, 1\nint 0x80\n", "x86"),
        ("x.sql", "SELECT 1;\n", "sql"),
        ("x.sql", "CREATE OR REPLACE PROCEDURE p IS\nBEGIN\nEND;\n", "plsql"),
        ("x.ipynb", "{}", "notebook"),
        ("essay.txt", "import java.util.*;\n", "text"),
        ("run", "#!/usr/bin/env python3\n", "python"),
        ("run", "#!/bin/sh -e\n", "bash"),
        ("page", "<!DOCTYPE html>\n<html>", "html"),
        ("Main", "import java.util.*;\npublic class Main {\n}\n", "java"),
        ("solve", "def solve(x):\n    return x\n", "python"),
        ("x.jl", "", "julia"),
        ("Makefile", "all:\n\tcc x.c\n", "make"),
        ("README", "The tide comes twice a day.\n", "text"),
        ("notes.xyz", "", "text"),
        ("Main.java.txt", "class A {\n}\n", "java"),
        ("tides.py.TXT", "x = 1\n", "python"),
        ("x.h.bak", "class A {\n};\n", "cpp"),
        ("essay.final.txt", "The tide comes twice a day.\n", "text"),
        ("Sketch.pde", "void setup() {\n  size(200, 200);\n}\n", "java"),
        ("blink.ino", "void setup() {\n}\n", "cpp"),
        ("add.cu", "__global__ void add(int *a) {\n}\n", "cpp"),
        ("x.fs", "let rec f x = if x = 0 then 1 else x * f (x - 1)\n", "fsharp"),
        ("x.fs", "void main() { gl_FragColor = vec4(1.0); }\n", "glsl"),
        ("x.fs", ": square dup * ;\n", "forth"),
        ("x.cl", "__kernel void add(__global float *a) {\n}\n", "c"),
        ("x.cl", "(defun square (x) (* x x))\n", "common-lisp"),
        ("x.st", "PROGRAM main\nVAR x : INT; END_VAR\nx := 1;\nEND_PROGRAM\n", "structured-text"),
        ("x.st", "Object subclass: #Tide\n  level\n    ^ self level\n", "smalltalk"),
        ("x.s", "\tmovl\t$0, %eax\n\tret\n", "gas"),
        ("x.s", '\t.file\t"a.c"\nmain:\n\tcall\tputs@PLT\n', "gas"),
        ("x.s", "main:\n  addi sp, sp, -16\n  ecall\n", "gas"),
        ("x.asm", "@2\nD=A\n@3\nD=D+A\n", "hack"),
        ("x.asm", "(END)\n@END\n0;JMP\n", "hack"),
        ("x.asm", "li $t0, 1\nsyscall\n", "mips"),
        ("x.vert", "#version 330\nvoid main() {}\n", "glsl"),
        ("x.hlsl", "float4 main() : SV_TARGET { return 1; }\n", "hlsl"),
        ("x.dfy", "method m() {\n}\n", "dafny"),
    ],
)
def test_the_language_is_detected_by_name_then_content(filename: str, text: str, language: str) -> None:
    assert detect(filename, text) == language
    assert front_end(language).name


PROGRAMS = {path.stem: path for path in GOLDEN.iterdir() if path.suffix != ".tokens"}


# No content of these tells the language.
ONLY_BY_NAME = {
    "text", "notebook", "scratch", "css", "modula2", "dafny", "fsharp", "gas", "glsl", "hlsl", "hack", "hdl",
    "structured-text", "plsql", "mips", "x86", "vue", "svelte", "razor", "erb", "ejs", "jsp", "rmarkdown",
    "xml", "json", "yaml", "netlogo",
}  # fmt: skip


@pytest.mark.parametrize("language", sorted(PROGRAMS.keys() - ONLY_BY_NAME))
def test_a_program_in_a_text_file_is_read_in_its_language(language: str) -> None:
    assert detect("solution.txt", PROGRAMS[language].read_text(encoding="utf-8")) == language


@pytest.mark.parametrize(
    "text",
    [
        "import java.util.*; is the first line of my program.\nIt prints a table;\nthat is all it does.\n",
        "My report\n\nThe function f(x) has two parts: one for each sign.\nclass A is the first of them.\n",
        "Input: 3\nOutput: 9\nInput: 4\nOutput: 16\n",
        "host = example.org\nport = 80\nuser = ada\n",
    ],
)
def test_words_about_a_program_and_its_output_are_prose(text: str) -> None:
    assert detect("notes.txt", text) == "text"


def test_where_doubt_is_left_the_language_of_the_class_decides() -> None:
    fragment = "total += level;\nif (total > limit) {\n    total = limit;\n}\n"
    assert detect("part.txt", fragment) == "text"
    assert detect("part.txt", fragment, "java") == "java"
    assert detect("part.txt", "The tide comes twice a day.\n", "java") == "text"
    assert detect("part.h", "int f(int x);\n", "cpp") == "cpp"
    assert detect("part.py", fragment, "java") == "python"


def test_listing_languages_loads_neither_numpy_nor_pygments_nor_numba() -> None:
    program = (
        "import sys, fingerprint.languages as f; f.choices();print({'numpy', 'pygments', 'numba'} & set(sys.modules))"
    )
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "set()"


class BrokenLexer(Lexer):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, _TokenType, str]]:
        yield 0, Token.Name, text
        raise self.error


class BrokenFrontEnd(CodeFrontEnd):
    """A front-end for Python whose lexer raises the given error."""

    def __init__(self, error: Exception) -> None:
        super().__init__(Language("python", "Python", "python"))
        self.__dict__["lexer"] = BrokenLexer(error)


def test_an_error_in_a_lexer_is_a_lexer_failure_with_its_reason() -> None:
    with pytest.raises(LexerFailed, match=r"the Python lexer failed \(KeyError: 'root'\)"):
        BrokenFrontEnd(KeyError("root")).tokens("x")


def test_the_time_limit_of_a_caller_is_not_caught_around_a_lexer() -> None:
    class TimeUp(Exception):
        pass

    with pytest.raises(TimeUp):
        BrokenFrontEnd(TimeUp()).tokens("x")


FRAGMENTS = (
    "", "\n", "\r\n", "\ufeff", "'", '"""', "((((", "}}}}", "@", "\\", "import", "\u0301", "🌊 #",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, _ in choices() if name != "notebook"])
def test_fragments_of_code_never_raise(name: str) -> None:
    for text in FRAGMENTS:
        tokens = front_end(name).scan(text).tokens
        assert all(0 <= s < e <= len(text) for s, e in zip(tokens.starts, tokens.ends, strict=True)), text


def test_a_front_end_drops_its_vocabulary_before_it_fills_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerprint.languages.vocabulary.CHARACTERS_LIMIT", 250)
    python = CodeFrontEnd(Language("python", "Python", "python"))
    first = python.tokens("x = 1").kinds.tolist()
    python.tokens(f"x = '{'long ' * 60}'")
    before = python._vocabulary
    assert python.tokens("x = 1").kinds.tolist() == first
    assert python._vocabulary is not before
    assert not python._vocabulary.is_full


FEWER = examples(max_examples=max(5, examples().max_examples // 10))


ROWS = {row.name: row for row in LANGUAGES}


TYPES = [ttype for ttype in STANDARD_TYPES if str(ttype)]


WORDS = st.one_of(
    st.from_regex(r"[A-Za-z_$@][A-Za-z0-9_]{0,8}", fullmatch=True),
    st.text(min_size=1, max_size=6),
    st.sampled_from(["null", "True", "NONE", "x1F", "_", "__", "été", "变量", "l'x", "a b"]),
)


@cache
def words_of(name: str) -> list[str]:
    """Return the words in the columns of a row, as they are and as someone else may write them."""
    language = ROWS[name]
    texts = [str(getattr(language, field.name)) for field in fields(language)]
    words = {word for text in texts for word in re.findall(r"[^\s'{},:]+", text)}
    return sorted(words | {word.upper() for word in words} | {word.title() for word in words})


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda row: row.name)
@FEWER
@given(data=st.data())
def test_a_word_that_no_rule_names_has_the_kind_and_marks_of_the_rules(language: Language, data: st.DataObject) -> None:
    rules = NormalisationRules(language)
    # A type drawn for each of hundreds of words took most of the time.
    first, words = data.draw(st.sampled_from(range(len(TYPES)))), data.draw(st.lists(WORDS, min_size=5))
    types = cycle([*TYPES[first:], *TYPES[:first]])
    for word, ttype in zip([*words, *words_of(language.name)], types, strict=False):
        assert rules.plain_word(ttype, word) in {None, rules.kind_and_marks(ttype, word)}


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda row: row.name)
def test_names_are_such_words_and_those_of_the_row_are_not(language: Language) -> None:
    rules = NormalisationRules(language)
    for word in (PLAIN_WORD, "cents", "_total2"):
        assert rules.plain_word("Name", word) == rules.kind_and_marks("Name", word)
    for word in f"{language.keywords} {language.statements} {language.noise}".split():
        assert rules.plain_word("Name", word) is None


ASCII = st.text(alphabet="aBz09' -_.\n", max_size=60)


ANY = st.text(alphabet="aB'\u00e9\ufb01 -_1\u4e2d", max_size=40)


LONG = st.integers(28, 40).map(lambda length: "Ab'c" * 9 + "d" * length)


@given(st.lists(st.one_of(ASCII, ANY, LONG, st.text(max_size=20)), max_size=6), st.integers(1, 9))
def test_word_kinds_are_those_of_the_prose_front_end(texts: list[str], max_words: int) -> None:
    words = WordKinds(max_words)
    for text in [*texts, *texts]:
        assert words.word_kinds(text).tolist() == Prose().tokens(text).kinds.tolist()


def test_many_words_are_told_apart() -> None:
    words, text = WordKinds(), " ".join(f"w{n}" for n in range(20_000))
    for _ in range(2):
        assert words.word_kinds(text).tolist() == Prose().tokens(text).kinds.tolist()


def naive_close(texts: Sequence[str], start: int) -> int:
    """Return where the bracket at `start` is closed, by deleting matched pairs again and again."""
    alive = list(range(len(texts)))
    pairs = {"(": ")", "[": "]", "{": "}"}
    changed = True
    while changed:
        changed = False
        brackets = [at for at in alive if texts[at] in "()[]{}"]
        for one, other in itertools.pairwise(brackets):
            if pairs.get(texts[one]) == texts[other]:
                if one == start:
                    return other
                alive = [at for at in alive if at not in {one, other}]
                changed = True
                break
    return -1


@given(st.lists(st.sampled_from("()[],x"), max_size=12))
def test_brackets_of_balanced_programs_match_as_by_deleting_pairs(texts: list[str]) -> None:
    opened = [at for at, text in enumerate(texts) if text in "(["]
    expected = [naive_close(texts, at) for at in opened]
    balanced = -1 not in expected and len(opened) == sum(text in ")]" for text in texts)
    closes = match_brackets(texts).closes
    if balanced:
        assert [closes[at] for at in opened] == expected
    assert all(close == -1 or texts[at] + texts[close] in {"()", "[]"} for at, close in enumerate(closes))


def test_items_between_brackets_are_counted_without_those_of_inner_ones() -> None:
    texts = list("f(a,g(b,c),[d,e],)()")
    brackets = match_brackets(texts)
    assert [brackets.counts[at] for at, text in enumerate(texts) if text in "(["] == [3, 2, 2, 0]


@pytest.mark.parametrize("comment", ["{-\n> x\n-}", "{- a - b\n>x -}", "{-\n\\begin{code}\n\\end{code}\n-}"])
def test_a_comment_makes_no_program_literate(comment: str) -> None:
    program = "module Main where\nmain = print (sum [1 .. 9])\n"
    tokens = front_end("haskell").tokens
    assert tokens(f"{comment}\n{program}").kinds.tolist() == tokens(program).kinds.tolist()
