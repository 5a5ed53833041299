"""One harness for every tuned language: golden tokens, and changes of a text that must not change tokens."""

import re
from collections import Counter
from functools import cache
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from pygments.token import STANDARD_TYPES, _TokenType

from fingerprint.languages import FrontEnd, LexicalClass, choices, front_end
from fingerprint.languages.code import CodeFrontEnd
from fingerprint.languages.language_table import LANGUAGES
from fingerprint.languages.lexers import lexer_class
from fingerprint.languages.look_alikes import without_unseen
from fingerprint.lextables.dispatch import raw_tokens
from tests.fingerprint.languages.construct_tables import PATHS, SECTIONS, statement_of, table
from tests.support.golden import Golden

GOLDEN = Path(__file__).parent / "golden"
NAMES = [name for name, _ in choices()]
# Languages whose programs have no strings.
WITHOUT_STRINGS = {"hack", "hdl", "glsl", "hlsl"}
# What people wrote in pages, data and documents is words, which are compared as they are.
MARKUP = [row.name for row in LANGUAGES if row.parts]
CODE = [name for name in NAMES if name not in ("text", "notebook", "scratch", *MARKUP)]

# Names that the golden programs define, and other names of the same form to replace them.
RENAMED = {
    "swing": "sway_of", "worst": "top", "change": "moved", "levels": "heights", "harbour": "haven",
    "doubled": "twice_as", "problem": "issue", "readings": "markings", "place": "spot",
}  # fmt: skip


@cache
def program(name: str) -> str:
    path = next(path for path in GOLDEN.glob(f"{name}.*") if path.suffix != ".tokens")
    decoded = path.read_text(encoding="utf-8")
    return front_end(name).text(decoded)


def kinds(language: FrontEnd, text: str) -> list[str]:
    return [kind for _, _, kind in language.named_tokens(text)]


def lexemes(language: FrontEnd, text: str) -> list[str]:
    return [text[start:end] for start, end, _ in language.named_tokens(text)]


def with_other_name(match: re.Match[str]) -> str:
    other = RENAMED[match[0].lower()]
    return other.capitalize() if match[0][0].isupper() else other


@pytest.mark.parametrize("name", NAMES)
def test_golden_stream_is_unchanged(name: str, golden: Golden) -> None:
    text = program(name)
    lines = [f"{kind}\t{text[start:end]!r}\n" for start, end, kind in front_end(name).named_tokens(text)]
    golden(GOLDEN / f"{name}.tokens", "".join(lines))


@pytest.mark.parametrize("name", CODE)
def test_renaming_identifiers_changes_no_kind(name: str) -> None:
    language, text = front_end(name), program(name)
    renamed, count = re.subn(rf"\b(?:{'|'.join(RENAMED)})\b", with_other_name, text, flags=re.IGNORECASE)
    assert count > 4 or name == "css"
    assert kinds(language, renamed) == kinds(language, text)


SOFT_WORDS = {row.name: row.soft_words for row in LANGUAGES if row.soft_words}
# Words that a mended lexer takes for a name by what follows.
SOFT_WORDS["java"] += " record var"


@pytest.mark.parametrize(
    ("name", "word"), [(name, word) for name, words in SOFT_WORDS.items() for word in words.split()]
)
def test_renaming_to_a_word_that_is_a_keyword_elsewhere_changes_no_kind(name: str, word: str) -> None:
    language, text = front_end(name), program(name)
    for renamed in ("worst", "change"):
        assert kinds(language, re.sub(rf"\b{renamed}\b", word, text)) == kinds(language, text)


@pytest.mark.parametrize("name", [*CODE, *MARKUP])
def test_rewording_comments_changes_no_kind(name: str) -> None:
    language, text = front_end(name), program(name)
    reworded = text.replace("its readings", 'what it\'s 🎉 "read" /always').replace("The largest", "Änderung: größte")
    assert reworded != text or name == "html"
    reworded = reworded.replace("never shrinks", "while (1) {  it grows # if // ( else")
    assert reworded != text or name == "css"
    assert kinds(language, reworded) == kinds(language, text)


LOOK_ALIKES = str.maketrans("aceopxyABCEHKMOPTX", "асеорхуАВСЕНКМОРТХ")
WORD_TO_DISGUISE = re.compile(r"(?<![\w\\&])[A-Za-z]{3,}(?!\w)")


def disguised(match: re.Match[str]) -> str:
    """Return a word with letters of another script and a character that nobody sees, but its last letter."""
    word = match[0][:-1].translate(LOOK_ALIKES)
    return f"{word[:2]}\u200b{word[2:]}{match[0][-1]}"


@pytest.mark.parametrize("name", [*CODE, *MARKUP, "text"])
def test_letters_that_look_alike_and_unseen_characters_change_no_token(name: str) -> None:
    language, text = front_end(name), program(name)
    changed = WORD_TO_DISGUISE.sub(disguised, text)
    assert changed != text
    assert kinds(language, changed) == kinds(language, text)
    plain, seen = language.scan(text), language.scan(changed)
    assert seen.lexical.kinds.tolist() == plain.lexical.kinds.tolist()
    assert seen.directives.kinds.tolist() == plain.directives.kinds.tolist()
    shown = [without_unseen(lexeme) for lexeme in lexemes(language, changed)]
    assert [len(lexeme) for lexeme in shown] == [len(lexeme) for lexeme in lexemes(language, text)]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*CODE, *MARKUP])
@pytest.mark.parametrize(
    "indent", [lambda match: 2 * match[0], lambda match: "\t" * len(match[0])], ids=["wider", "tabs"]
)
def test_reindenting_changes_no_kind(name: str, indent: object) -> None:
    language, text = front_end(name), program(name)
    indented = re.sub(r"^ +", indent, text, flags=re.MULTILINE)  # type: ignore[call-overload]
    assert kinds(language, indented) == kinds(language, text)


def test_a_statement_of_php_ends_before_the_page_around_it() -> None:
    page = "<?php include 'top.php' ?>\n<?php function swing($x) { return $x + 1; } echo swing(2); ?>\n"
    assert kinds(front_end("php"), page) == kinds(front_end("php"), page[page.index("\n") + 1 :])


# Their blocks are in braces, and some begin with a word that also begins a statement to drop.
BRACES = {
    "cpp", "csharp", "dafny", "go", "java", "javascript", "kotlin", "perl", "php", "rust", "scala", "swift",
    "typescript",
}  # fmt: skip
DROPPED = [(row.name, word) for row in LANGUAGES if row.name in BRACES for word in row.statements.split()]
# The lexer of Scala reads names only after it.
DROPPED.remove(("scala", "import"))


@pytest.mark.parametrize("begin", ["{word} place {{\n", '{word} "place" {{\n', "{word}(place).then(spot => {{\n"])
@pytest.mark.parametrize(("name", "word"), DROPPED)
def test_no_block_is_dropped_with_its_first_word(name: str, word: str, begin: str) -> None:
    of = table(next(path for path in PATHS if path.stem == name))
    code = f"{of.first}\n{of.second}"
    end = "})" if "(" in begin else "}"
    wanted = kinds(front_end(name), of.head + code)
    read = kinds(front_end(name), f"{of.head}{begin.format(word=word)}{code}\n{end}\n{word} harbour;\n{code}")
    assert "".join(read).count("".join(wanted)) == 2


@pytest.mark.parametrize("path", PATHS, ids=[path.stem for path in PATHS])
def test_no_code_is_lost_around_two_constructs(path: Path) -> None:
    of = table(path)
    language = front_end(of.language)
    constructs = [
        statement_of(of, section, one).removesuffix("\n") + "\n"
        for section in SECTIONS
        if section != "unclosed"
        for one in of.constructs[section]
    ]
    wanted = [kinds(language, of.head + one)[len(kinds(language, of.head)) :] for one in (of.first, of.second)]
    for step in (1, 7):
        for at, one in enumerate(constructs):
            others = [constructs[(at + further) % len(constructs)] for further in (step, 2 * step)]
            read = kinds(language, "".join((of.head, one, of.first, *others, of.second)))
            assert all("\n".join(function) in "\n".join(read) for function in wanted), (one, others)


# What comes before two functions, in valid programs that hid them.
BEFORE = [
    ("rust", "mod place { fn spot() {} }\n"),
    ("rust", "mod place {\n    pub fn spot(x: i32) -> i32 { x * x }\n}\nuse a::b;\n"),
    ("rust", 'extern "C" fn place() {}\n'), ("perl", "package A { 1 }\n"),
    ("php", "namespace A { class B {} }\n"), ("php", "// it ?><?php\n"), ("php", "# it's ?>\n<?php\n"),
    ("matlab", "clc, "), ("vb", "Option Strict On : "), ("typescript", "@place(() => { spot(); })\n"),
]  # fmt: skip


# Statements over lines that have data, and no code.
DATA = [
    ("python", '@pytest.mark.parametrize("x,y", [\n    (1, 2),\n    (3, 4),\n])\n'),
    ("python", '@app.get("/x", responses={\n    404: {"spot": [1]},\n})\n'),
    ("scala", "import a.{\n  b,\n  c => d\n}\n"), ("r", "source(\n  file.path('a', b[1])\n)\n"),
    ("rust", "use a::{\n    b::{c, d},\n    e,\n};\n"), ("php", "use A\\{\n    B,\n    C\n};\n"),
    ("haskell", "import A (\n  T(..),\n  f\n  )\n"), ("perl", "use constant {\n    A => 1,\n    B => [1, 2],\n};\n"),
    ("typescript", "import a, {\n  b as c,\n  d\n} from 'e'\n"), ("go", 'import (\n\t"fmt"\n\ta "b"\n)\n'),
]  # fmt: skip


@pytest.mark.parametrize(("name", "before"), DATA)
def test_a_dropped_statement_over_lines_has_no_tokens(name: str, before: str) -> None:
    of = table(next(path for path in PATHS if path.stem == name))
    read, wanted = (kinds(front_end(name), of.head + text + of.first) for text in (before, ""))
    assert read == wanted


@pytest.mark.parametrize(("name", "before"), BEFORE)
def test_no_code_is_lost_behind(name: str, before: str) -> None:
    of = table(next(path for path in PATHS if path.stem == name))
    code = f"{of.first}{'const PLACE: i32 = 1;' if name == 'rust' else ''}\n{of.second}"
    wanted, read = (kinds(front_end(name), of.head + text) for text in (code, before + code))
    assert "\n".join(wanted[len(kinds(front_end(name), of.head)) :]) in "\n".join(read)


@pytest.mark.parametrize(
    ("name", "line", "code"),
    [
        ("html", "<!--> <p>harbour</p> --><!-- it --!><p>place</p>", "<p>harbour</p> --><p>place</p>"),
    ],
)
def test_a_comment_of_a_page_ends_where_it_ends(name: str, line: str, code: str) -> None:
    wanted = "\n".join(kinds(front_end(name), f"{code}\n")).replace("-->\n", "")
    assert wanted in "\n".join(kinds(front_end(name), f"{line}\n"))


@pytest.mark.slow
@pytest.mark.parametrize("name", [*CODE, *MARKUP])
@pytest.mark.parametrize("newline", ["\n\n", "\r\n", "\r", " \n"], ids=["blank lines", "CRLF", "CR", "trailing space"])
def test_line_ends_change_no_kind(name: str, newline: str) -> None:
    language, text = front_end(name), program(name)
    respaced = re.sub(r"(?<!\\)\n", newline, text)  # except after a backslash that continues the line
    assert kinds(language, respaced) == kinds(language, text)


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_last_newline_changes_nothing(name: str) -> None:
    language, text = front_end(name), program(name).rstrip("\n")
    assert list(language.named_tokens(text)) == list(language.named_tokens(text + "\n"))


@pytest.mark.slow
@pytest.mark.parametrize("name", [*CODE, *MARKUP, "text"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["no mark", "byte order mark"])
def test_offsets_are_exact_with_any_line_end_and_awkward_characters(name: str, mark: str) -> None:
    language, text = front_end(name), program(name)
    awkward = text.replace("its readings", "🌊👩‍👩‍👧 its\treadings")
    crlf = mark + awkward.replace("\n", "\r\n")
    expected = [lexeme.replace("\n", "\r\n") for lexeme in lexemes(language, awkward)]
    assert lexemes(language, crlf) == expected
    tokens = language.tokens(crlf)
    assert [crlf[start:end] for start, end in zip(tokens.starts, tokens.ends, strict=True)] == expected


@pytest.mark.parametrize("name", NAMES)
def test_tokens_scan_and_named_tokens_agree(name: str) -> None:
    language, text = front_end(name), program(name)
    tokens, scan = language.tokens(text), language.scan(text)
    assert list(zip(tokens.starts, tokens.ends, strict=True)) == [(s, e) for s, e, _ in language.named_tokens(text)]
    for left, right in ((tokens.kinds, scan.tokens.kinds), (tokens.starts, scan.tokens.starts)):
        assert np.array_equal(left, right)
    by_name = dict(zip(kinds(language, text), tokens.kinds.tolist(), strict=True))
    assert [by_name[kind] for kind in kinds(language, text)] == tokens.kinds.tolist()
    assert len(set(by_name.values())) == len(by_name)


@pytest.mark.parametrize("name", NAMES)
def test_tokens_are_in_order_and_never_empty_or_overlapping(name: str) -> None:
    scan = front_end(name).scan(program(name))
    for stream in (scan.tokens, scan.lexical):
        assert (stream.starts < stream.ends).all()
        assert (stream.ends[:-1] <= stream.starts[1:]).all()


@pytest.mark.parametrize("name", [*CODE, *MARKUP])
def test_no_lexer_marks_an_error_in_its_golden_program(name: str) -> None:
    assert [span for span in front_end(name).highlight(program(name)) if span[2] == "err"] == []


@pytest.mark.parametrize("name", [*CODE, *MARKUP])
def test_a_program_has_many_kinds_and_no_dominant_one(name: str) -> None:
    counted = Counter(kinds(front_end(name), program(name)))
    assert counted.most_common(1)[0][1] < 0.6 * counted.total()
    assert len(counted) >= 12


@pytest.mark.parametrize("name", [*CODE, *MARKUP])
def test_highlighting_colours_exact_spans_in_order(name: str) -> None:
    text = program(name).replace("\n", "\r\n")
    spans = front_end(name).highlight(text)
    assert spans == sorted(spans)
    assert all(left[1] <= right[0] for left, right in pairwise(spans))
    assert all(re.fullmatch(r"[a-z][a-z0-9]*", css) for _, _, css in spans)
    assert any("readings" in text[start:end] for start, end, css in spans if css.startswith("c") or css == "sd")


@pytest.mark.parametrize("name", CODE)
def test_replaced_lexemes_are_in_the_lexical_stream(name: str) -> None:
    text = program(name)
    scan = front_end(name).scan(text)
    spans = zip(scan.lexical.starts, scan.lexical.ends, scan.lexical_classes, strict=True)
    lexemes_by_class = {(LexicalClass(lexical_class), text[start:end]) for start, end, lexical_class in spans}
    classes = {lexical_class for lexical_class, _ in lexemes_by_class}
    literal = LexicalClass.NUMBER if name in WITHOUT_STRINGS else LexicalClass.STRING
    assert classes >= {LexicalClass.IDENTIFIER, literal}


@pytest.mark.slow
@pytest.mark.parametrize("name", CODE)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_spans_of_a_scan_are_those_of_the_lexer(name: str, line_end: str) -> None:
    text = program(name).replace("\n", line_end)
    code = front_end(name)
    assert isinstance(code, CodeFrontEnd)
    spans = code.scan(text, spans=True).spans
    assert (spans is None) == ("#define" in text)  # A macro is lexed otherwise to be compared.
    lexed = raw_tokens(lexer_class(code.language.lexer)(), text.replace("\r\n", "\n"))
    written = zip(lexed.types, lexed.values, strict=True)
    classes = [(STANDARD_TYPES[nearest(ttype)], value) for ttype, value in written if value.strip()]
    highlighted = [(css, text[start:end].replace("\r\n", "\n")) for start, end, css in code.highlight(text)]
    assert highlighted == [(css, value) for css, value in classes if css]
    if spans:
        columns = zip(spans.starts.tolist(), spans.ends.tolist(), spans.codes.tolist(), strict=True)
        assert [(start, end, spans.classes[number]) for start, end, number in columns] == code.highlight(text)


def nearest(ttype: _TokenType) -> _TokenType:
    """Return a token type or its nearest parent that has a CSS class."""
    while ttype not in STANDARD_TYPES:
        assert ttype.parent is not None
        ttype = ttype.parent
    return ttype


VERSIONS = Path(__file__).parent / "conformance" / "token.versions"


class Reading(NamedTuple):
    """What is stored of a language: its version, and digests of its samples and of their tokens."""

    version: str
    samples: str
    tokens: str


def reading_now(name: str) -> Reading:
    language = front_end(name)
    tables = [table(path) for path in PATHS if table(path).language == name]
    constructs = (
        statement_of(of, section, one) for of in tables for section in SECTIONS for one in of.constructs[section]
    )
    texts = [program(name), *(of.head + of.first + of.second for of in tables), *constructs]
    scans = [language.scan(text) for text in texts]
    columns = [column.kinds for scan in scans for column in (scan.tokens, scan.lexical, scan.directives)]
    tokens = b"".join(len(column).to_bytes(4) + column.tobytes() for column in columns)
    samples = "\0".join(texts).encode()
    return Reading(str(language.version), *(blake2b(one, digest_size=8).hexdigest() for one in (samples, tokens)))


@pytest.mark.slow
def test_changed_tokens_have_a_changed_version(golden: Golden) -> None:
    rows = map(str.split, VERSIONS.read_text(encoding="utf-8").splitlines() if VERSIONS.exists() else ())
    stored = {name: Reading(*columns) for name, *columns in rows}
    now = {name: reading_now(name) for name in NAMES}
    changed = [
        name
        for name, one in now.items()
        if (old := stored.get(name)) and old[:2] == one[:2] and old.tokens != one.tokens
    ]
    assert changed == [], "raise RULES_VERSION in code.py, or the version of their rows: stored tokens are old"
    golden(VERSIONS, "".join(f"{name} {' '.join(one)}\n" for name, one in now.items()))
