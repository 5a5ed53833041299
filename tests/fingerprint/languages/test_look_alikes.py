"""Letters that look Latin are folded where they are a disguise; other scripts stay as they are."""

from __future__ import annotations

import re
import sys
import time
import unicodedata
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from pygments.token import Comment, String

from fingerprint.languages import front_end, look_alikes
from fingerprint.languages.code import CodeFrontEnd
from fingerprint.languages.language_table import CURLY_QUOTES
from fingerprint.languages.look_alikes import plain, without_escapes, without_unseen
from fingerprint.lextables.dispatch import raw_tokens
from fingerprint.lextables.raw_tokens import LexerInput
from fingerprint.reading import read
from tests.fingerprint.languages.test_every_language import CODE, program

ASCII_LETTERS = {ord(one): "x" for one in "‘’“”é"}

HONEST = {
    "Russian": "# Сортировка по росту: а и о, с ходом\nсумма = сор + сок  # \u200b\nИНН_count = 1\n",
    "Greek": "# Το άθροισμα των αριθμών· τι είναι;\nάθροισμα, ρ, ν = 1, 2, 3\n",
    "Greek question": "print('τι\u037e')\n",
    "mathematics": "α, ρ = 1, 2\nσ_max = αx + dρdt\nν0 = ρ * α\n",
    "Chinese": "# 计算总和；打印\n总和 = 数据x + ＡＢ\n",
    "Persian": "# می\u200cشود\nx = 'نمی\u200cخواهم'\n",
    "Hindi": "x = 'क्\u200dष'\n",
    "emoji": "x = '\U0001f469\u200d\U0001f467 ❤\ufe0f'\n",
    "Turkish": "ısı = 'sıcak'\n",
    "soft hyphens": "# Donau\u00addampf\n",
}


@pytest.mark.parametrize("script", HONEST)
def test_honest_use_of_a_script_is_no_disguise(script: str) -> None:
    text = HONEST[script]
    seen = plain(text)
    assert seen.disguised == 0
    if script not in ("Greek question", "Chinese"):
        assert seen.text == text


@pytest.mark.parametrize(
    ("text", "readers_see", "count"),
    [
        ("whilе (x) {", "while (x) {", 1),
        ("int x = 3\u037e", "int x = 3;", 1),
        ("re\u2060turn pa\u200bper", "return paper", 2),
        ("to\ufefftal and na\u200dme", "total and name", 2),
        ("Ηello, dαta", "Hello, data", 2),
        ("ｒeturn", "return", 1),
        ("а book оn с", "a book on c", 1),
        ("\ufeffint x\u200b = 1", "int x = 1", 0),
    ],
)
def test_a_disguise_is_read_as_its_readers_see_it_and_counted(text: str, readers_see: str, count: int) -> None:
    seen = plain(text)
    assert without_unseen(seen.text) == readers_see
    assert seen.disguised == count
    assert read(text.encode(), "a.c").disguised == count


def of_full_width(text: str) -> str:
    """Return a program with the marks and digits that a keyboard of full width writes."""
    wide = {code: code + 0xFEE0 for code in range(0x21, 0x7F) if chr(code) not in "\"'\\" and not chr(code).isalpha()}
    return text.translate(wide | {0x20: 0x3000})


def of_a_text_processor(text: str) -> str:
    """Return a program with rounded quotes and longer dashes."""
    return text.translate({0x22: "\u201d", 0x27: "\u2019", 0x2D: "\u2013"})


def of_small_marks(text: str) -> str:
    """Return a program with small marks, and others that look like those of ASCII."""
    small = {",": "\ufe50", ";": "\ufe54", ":": "\ufe55", "(": "\ufe59", ")": "\ufe5a", "=": "\ufe66", "+": "\ufe62"}
    others = {"/": "\u2215", "*": "\u2217", ">": "\u203a", "|": "\u2223", " ": "\u2800"}
    return text.translate({ord(mark): like for mark, like in (small | others).items()})


@pytest.mark.parametrize("write", [of_full_width, of_a_text_processor, of_small_marks])
@pytest.mark.parametrize("name", [name for name in CODE if "COBOL" not in name])
def test_marks_of_other_keyboards_are_those_of_the_program(name: str, write: Callable[[str], str]) -> None:
    text = program(name)
    assert plain(write(text)).disguised == 0
    honest, written = (front_end(name).scan(one) for one in (text, write(text)))
    assert written.tokens.kinds.tolist() == honest.tokens.kinds.tolist()
    assert written.lexical.kinds.tolist() == honest.lexical.kinds.tolist()


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("others", ["“”", "„“"])
def test_a_plain_quote_elsewhere_leaves_the_other_strings_of_a_program_strings(others: str, ends: str) -> None:
    first = '# "a"\nd = "x"\n'.replace("\n", ends)
    rest = 'print(f("y", "a, b") % d == "")\ne = "x"\nf(e)\n'.replace("\n", ends)
    rounded = re.sub('"([^"]*)"', rf"{others[0]}\1{others[1]}", rest)
    honest = read(f"{first}{rest}".encode(), "a.py")
    written = read(f"{first}{rounded}".encode(), "a.py")
    assert written.tokens.kinds.tolist() == honest.tokens.kinds.tolist()
    assert written.lexical.literals.tolist() == honest.lexical.literals.tolist()


def test_quotes_in_a_string_over_lines_end_no_string() -> None:
    for text in (
        '$a = "Er sagt “ja” und\n geht (“weit”), fort";\n',
        '$a = "5\\" (“ja”), gut";\n',
        "// It's\n$a = 'C\\'est (‘a’), bon';\n",
    ):
        starts = read(f"<?php\n{text}".encode(), "a.php").tokens.starts.tolist()
        assert starts == read(f"<?php\n{text.translate(ASCII_LETTERS)}".encode(), "a.php").tokens.starts.tolist()


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("julia", "y″ = f′(2) + 1\nz = y″*2\n", "y″ = g(h, 7)\nz = y″*2\n"),
        ("raku", "@a».say; my $x = f(1); @b».say;\n", "@a».say; for @c { g(2, 3) }; @b».say;\n"),
    ],
)
def test_marks_that_are_operators_of_a_language_hide_no_code(language: str, one: str, other: str) -> None:
    first, second = (front_end(language).scan(text).tokens.kinds.tolist() for text in (one, other))
    assert first != second


def strings_of(name: str) -> list[tuple[int, int]]:
    """Return where a golden program has a whole string in plain quotes on one line, with words only."""
    text, language = program(name), front_end(name)
    starts = {start for start, _, kind in language.named_tokens(text) if kind == "STR"}
    quoted = re.finditer(r"\"[\w ,]{2,}\"|'[\w ,]{2,}'", text)
    return [match.span() for match in quoted if match.start() in starts]


@pytest.mark.parametrize("marks", ["\u2018\u2019", "\u201c\u201d", "\u201e\u201c"])
@pytest.mark.parametrize("name", CURLY_QUOTES)
def test_curly_quotes_where_a_language_has_none_enclose_a_string(name: str, marks: str) -> None:
    text, honest = program(name), read(program(name).encode(), "", name)
    for start, end in [
        span for span in strings_of(name) if re.search(look_alikes._BEFORE_STRING + r"\Z", text[: span[0]])
    ][:4]:
        if set(CURLY_QUOTES[name]).isdisjoint(text[start:end]) and re.match(r" *[),;\n]", text[end:]):
            written = f"{text[:start]}{marks[0]}{text[start + 1 : end - 1]}{marks[1]}{text[end:]}"
            assert read(written.encode(), "", name).tokens.kinds.tolist() == honest.tokens.kinds.tolist(), written


@pytest.mark.parametrize("marks", ["\u2018\u2019", "\u201c\u201d", "\u201e\u201c", "\xab\xbb", "\xbb\xab"])
@pytest.mark.parametrize("name", CODE)
def test_no_program_is_hidden_between_marks_that_may_be_names_or_operators(name: str, marks: str) -> None:
    statements = ["f(a, 3)", "g = h(4) + b", "k(g, m)", "n = g * m"]
    begins = ["x = {}", "f(a, {}", "({}", "{}"]
    plain_quotes, names = 'x = "a"; y = \'b\'; z = "c";\n', "{0} = {1} = 0\n({0} {1})\n"
    for joiner in ("; ", ";", ", ", " "):
        # One expression in curly quotes where a string may stand is one, if the language knows no such mark.
        may_be_string = marks[0] not in "\xab\xbb" and joiner != "; " and name in CURLY_QUOTES
        if may_be_string and joiner != ";" and not (joiner == ", " and "," in CURLY_QUOTES[name]):
            continue
        code = joiner.join(statements)
        for begin, blank, end in product(begins, ("", joiner), ("\n", ")\n")):
            line = f"{begin.format('{0}')}{blank}{code}{blank}{{1}}{end}"
            text = plain_quotes + names + line * 2
            counts = [
                len(front_end(name).scan(text.format(*words)).tokens.kinds) for words in (marks, ("w", "w"), (" ", " "))
            ]
            assert counts[0] >= min(counts[1:]), text.format(*marks)


@pytest.mark.parametrize("name", CODE)
def test_other_quotes_in_strings_and_comments_change_no_token(name: str) -> None:
    language, text = front_end(name), program(name)
    inside = " \u2018a\u2019, (\xabb\xbb), d\u2019e = \u201cc\u201d; "
    raw = raw_tokens(language.lexer, language._folded(text)) if isinstance(language, CodeFrontEnd) else ()
    places = [
        start + at
        for start, kind, value in zip(*raw, strict=True)
        if (kind in Comment and kind not in Comment.Preproc) or kind in String
        if (at := value.find(" ") + 1)
    ]
    for at in places:
        others, letters = (
            f"{text[:at]}{words}{text[at:]}" for words in (inside, re.sub(r"[^\s\x00-\x7f]", "x", inside))
        )
        assert (
            read(others.encode(), "", name).tokens.starts.tolist()
            == read(letters.encode(), "", name).tokens.starts.tolist()
        )


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("matlab", "a = 'x'; b = A\u2019 * B\u2019 + f(2)\u2019;\n", "A * B f 2"),
        ("vb", "x = f(\u20182\u2019) + h(3) ' it's\ny = 3 + g(4)\n", "f h 3 g 4"),
        ("julia", 'x = "a"; y = B\u2032 * C\u2032 + f(3)\n', "* f 3"),
        ("raku", 'my @x = "a"; @a \xab+\xbb @b; say @c\xbb.f(3);\n', "@a @b 3"),
        ("raku", 'my @x = "a"; say @a\xbb.f(3); say @b\xbb.g(4);\n', "3 @b 4"),
    ],
)
def test_no_code_between_operators_is_a_string(name: str, text: str, code: str) -> None:
    named = {text[start:end] for start, end, _ in front_end(name).named_tokens(text)}
    assert set(code.split()) <= named


def test_accents_beside_the_letters_of_a_name_change_no_kind() -> None:
    text = "int tide = 3; tide = tide * sum(tide);\n"
    honest, written = (read(one.encode(), "a.c") for one in (text, text.replace("tide", "ti\u0301de")))
    assert written.tokens.kinds.tolist() == honest.tokens.kinds.tolist()


def test_quotes_of_a_text_processor_stay_in_the_strings_of_a_program() -> None:
    for text in ('s = "l’élève “a”"\n', "s = 'l’élève “a”'\n"):
        starts = read(text.encode(), "a.py").tokens.starts.tolist()
        assert starts == read(text.translate(ASCII_LETTERS).encode(), "a.py").tokens.starts.tolist()


@given(st.data())
@pytest.mark.parametrize(
    ("name", "letters"), [("java", "[!-~\\n]"), ("csharp", ""), ("javascript", ""), ("typescript", "")]
)
def test_escapes_of_letters_are_the_letters(name: str, letters: str, data: st.DataObject) -> None:
    text = program(name)
    places = [match.start() for match in re.finditer(letters or r"\breadings?\b", text)]
    escaped = data.draw(st.sets(st.sampled_from(places)))
    width = data.draw(st.integers(1, 3)) if name == "java" else 1
    code = "".join(f"\\{'u' * width}{ord(one):04x}" if at in escaped else one for at, one in enumerate(text))
    honest, written = (read(one.encode(), "", name, spelling=False) for one in (text, code))
    assert written.tokens.kinds.tolist() == honest.tokens.kinds.tolist()
    for one, other in zip(written.lexical, honest.lexical, strict=True):
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("code", [r"\u0412", r"\u{4E2D}", r"\u{1F600}", r"\u41", r"\u{41", r"\u004"])
def test_an_escape_of_another_character_is_none(code: str) -> None:
    assert without_escapes(code, everywhere=False) == code


def test_an_escape_takes_nothing_of_what_follows() -> None:
    written = r"if (a) {\u0061=\u{000062}}"
    assert without_unseen(without_escapes(written, everywhere=False)) == "if (a) {a=b}"


def test_an_escape_behind_two_backslashes_is_none() -> None:
    text = r's = "\\u0041 \\\\u0041";'
    assert without_escapes(text, everywhere=True) == text
    assert without_unseen(without_escapes(r"\\\u0041", everywhere=True)) == r"\\A"


# Controls of format with a glyph of their own: signs over numbers, of Syriac, of Kaithi and of hieroglyphs.
SEEN = "[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd\U00013430-\U0001343f]"
FORMATS = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Cf"]
SELECTORS = "\u034f\u115f\u1160\u180b\u180c\u180d\u3164\ufe00\ufe0e\ufe0f\uffa0\U000e0100\U000e01ef"


@pytest.mark.parametrize("unseen", [one for one in (*FORMATS, *SELECTORS) if not re.match(SEEN, one)], ids=ascii)
def test_no_control_of_format_changes_a_token_and_each_is_counted(unseen: str) -> None:
    written = "int total(int tide) { return tide * 2; }\n"
    honest = read(written.encode(), "a.c")
    hidden = read(written.replace("tide", f"ti{unseen}de").replace("urn", f"{unseen}urn").encode(), "a.c")
    assert hidden.tokens.kinds.tolist() == honest.tokens.kinds.tolist()
    assert hidden.lexical.names.tolist() == honest.lexical.names.tolist()
    assert hidden.disguised == (0 if unseen == "\u00ad" else 3)


@given(st.text(alphabet="ab е\u200bоΑαж;\u037e_1é\n"))
def test_lengths_stay_and_unseen_characters_are_at_their_offsets(text: str) -> None:
    seen = plain(text)
    assert len(seen.text) == len(text)
    assert {text[at] for at in seen.unseen} <= {"\u200b"}
    assert 0 <= seen.disguised <= len(text)
    assert plain(seen.text).text == seen.text


@given(st.characters() | st.sampled_from(sorted(look_alikes._latin_letters())))
@example("\u037e")
@example("\u03f4")
def test_a_character_is_suspect_where_nobody_sees_it_or_the_table_has_it(character: str) -> None:
    unseen = re.fullmatch(f"[{look_alikes.UNSEEN}]", character) is not None
    in_table = character in look_alikes._latin_letters() or character == "\u037e"
    assert look_alikes._is_suspect(character) == (unseen or in_table)


@given(st.text(st.characters(max_codepoint=127)))
def test_a_text_in_ascii_is_returned_itself(text: str) -> None:
    assert plain(text).text is text


@pytest.mark.parametrize("part", ["\u200b", "а", "aа", "a\u200b", "\u200bж", "аж ", "а ", "α", "aα", "\u037e"])
def test_twice_the_text_takes_not_much_more_than_twice_the_time(part: str) -> None:
    def seconds(text: str) -> float:
        times = []
        for _ in range(3):
            begin = time.process_time()
            plain(text)
            times.append(time.process_time() - begin)
        return min(times)

    plain("а")
    assert seconds(part * 80_000) < 3.5 * seconds(part * 40_000) + 0.01


@given(st.text("a \t\r\n\u200b\ufeff\\"))
def test_unseen_characters_hide_no_white_space_at_the_ends_of_lines(text: str) -> None:
    unseen = [at for at, character in enumerate(text) if character == "\u200b"]
    read_as = LexerInput(text, unseen)
    assert read_as.source == LexerInput(text.replace("\u200b", "")).source
    at = np.arange(len(read_as.source) - 1, dtype=np.int32)
    starts = read_as.starts(at).tolist()
    assert [text[start].replace("\r", "\n") for start in starts if start < len(text)] == list(
        read_as.source[: len(starts)]
    )


@pytest.mark.parametrize("name", CODE)
def test_a_stray_nul_is_a_character_that_nobody_sees(name: str) -> None:
    text = program(name)
    plain = read(text.encode(), "", name)
    for damaged in (text.replace("\n", "\0\n", text.count("\n") // 6), text[:9] + "\0" + text[9:]):
        for data in (damaged.encode(), damaged.encode("utf-8-sig")):
            reading = read(data, "", name)
            assert reading.tokens.kinds.tolist() == plain.tokens.kinds.tolist()
            assert "\0" not in reading.text
    word = re.sub(r"(?<=[a-z])(?=[a-z])", "\0", text, count=1)
    assert read(word.encode(), "", name).disguised == plain.disguised + 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("python", 'print("1) add [x] (y)")\nrows = run("SELECT * FROM t WHERE (a = ?) AND (b > 1);")\n'),
        ("c", 'int main() { printf("[%d] (%d) {%s};\\n", a, b, c); puts("<1> = (add); | [q] * quit"); }\n'),
        ("java", 'class A { void m() { out.print("{a: [1, (2)], <b> = &c;}"); run("if (x) { y(); }"); } }\n'),
    ],
)
def test_strings_with_signs_stay_strings_in_quotes_of_a_text_processor(name: str, text: str) -> None:
    curly = re.sub(r'(?<!\\)"((?:[^"\\]|\\.)*)"', "\u201c\\1\u201d", text * 5)
    written, honest = (front_end(name).tokens(one) for one in (curly, text * 5))
    assert written.kinds.tolist() == honest.kinds.tolist()
