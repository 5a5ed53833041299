"""Programs in the pages that platforms write of their text boxes are read as programs."""

import re
import time
from collections.abc import Callable
from html import escape
from pathlib import Path

import pytest

from fingerprint.languages import detect, leaves_doubt
from fingerprint.languages.chunks import chunks
from fingerprint.languages.pasted_code import (
    FEWEST_MARKED,
    KEEPING_PAGES,
    NUMBERING,
    language_of_pasted,
    newer_version,
    pasted_program,
    shown_text,
)
from fingerprint.reading import identify, read
from tests.fingerprint.languages.construct_tables import PATHS, statement_of, table
from tests.fingerprint.languages.copied_pages import PAGES
from tests.fingerprint.languages.test_every_language import CODE, program
from tests.fingerprint.languages.test_front_ends import ONLY_BY_NAME

TOLD = [name for name in CODE if name not in ONLY_BY_NAME and name != "php"]


def spaced(line: str) -> str:
    return escape(line, quote=False).replace("  ", "&nbsp; ")


def with_breaks(text: str) -> str:
    return f'<p dir="ltr">{"<br>".join(map(spaced, text.splitlines()))}</p>'


def with_paragraphs(text: str) -> str:
    return "".join(f"<p>{spaced(line)}</p>\n" for line in text.splitlines())


def preformatted(text: str) -> str:
    head = "<!DOCTYPE html>\n<html>\n<head><title>Assignment 1: it's due</title></head>\n<body>\n"
    return f"{head}<pre>{escape(text)}</pre>\n</body>\n</html>\n"


def with_spans(text: str) -> str:
    """Return a page as an editor colours it, with each word in an element."""
    lines = (
        re.sub(r"(\w+)(?![^&]{0,8};)", r'<span style="color: #07a;">\1</span>', spaced(line))
        for line in text.splitlines()
    )
    return "<div style='white-space: pre;'>" + "".join(f"<div>{line}</div>" for line in lines) + "</div>"


def coloured(line: str) -> str:
    return re.sub(r"(\w+)(?![^&]{0,8};)", r'<span style="color:#0033b3;">\1</span>', spaced(line))


def of_word(text: str) -> str:
    """Return a page as Word writes it, with its styles, and with lines that end after a word."""
    head = (
        "<html xmlns:o='urn:schemas-microsoft-com:office:office'>\n<head>\n<style>\n<!--\n"
        "p.MsoNormal {margin:0cm;}\n-->\n</style><!--[if gte mso 9]><xml></xml><![endif]--></head><body>"
    )
    lines = (
        f"<p class=MsoNormal><span\nlang=EN-US>{spaced(line)}<o:p></o:p></span></p>\n" for line in text.splitlines()
    )
    return f"{head}<!--StartFragment-->{''.join(lines)}<!--EndFragment--></body></html>".replace("; ", ";\n")


def of_google_docs(text: str) -> str:
    lines = (
        f'<p dir="ltr" style="line-height:1.38;"><span style="font-family:Courier;">{spaced(line)}</span></p>'
        for line in text.splitlines()
    )
    return f"<meta charset='utf-8'><b id=\"docs-internal-guid-1\">{''.join(lines)}</b><br />"


def of_pycharm(text: str) -> str:
    lines = "<br>".join(map(coloured, text.splitlines()))
    head = '<html><head><meta http-equiv="content-type" content="text/html; charset=UTF-8"></head><body>'
    return f"{head}<pre style=\"font-family:'JetBrains Mono',monospace;\">{lines}</pre></body></html>"


def of_visual_studio_code(text: str) -> str:
    lines = "".join(f"<div>{coloured(line) or '<br>'}</div>" for line in text.splitlines())
    return f"<meta charset='utf-8'><div style=\"color: #d4d4d4;white-space: pre;\">{lines}</div>"


def of_moodle(text: str) -> str:
    lines = "".join(f'<p dir="ltr" style="text-align:left;">{spaced(line)}<br></p>' for line in text.splitlines())
    return f"{lines}<p><br></p>"


def of_canvas(text: str) -> str:
    title = "Assignment 1: Fisher, Ann"
    head = f"<html>\n<head>\n  <title>{title}</title>\n</head>\n<body>\n<h1>{title}</h1>\n"
    return f'{head}<div style="width: 600px;">\n  {with_paragraphs(text)}\n</div>\n</body>\n</html>'


def of_a_page_with_numbers(text: str) -> str:
    rows = (
        f'<tr>\n<td id="L{at}" class="number">{at}</td>\n<td>{coloured(line)}</td>\n</tr>\n'
        for at, line in enumerate(text.splitlines(), 1)
    )
    return f'<table class="highlight"><tbody>{"".join(rows)}</tbody></table>'


WAYS = [
    with_breaks, with_paragraphs, preformatted, with_spans, of_word, of_google_docs, of_pycharm,
    of_visual_studio_code, of_moodle, of_canvas, of_a_page_with_numbers, *PAGES,
]  # fmt: skip


def without_blanks(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().expandtabs().splitlines() if line.strip()]


@pytest.mark.parametrize("name", TOLD)
@pytest.mark.parametrize("page", WAYS)
def test_a_pasted_program_is_read_in_its_language(name: str, page: Callable[[str], str]) -> None:
    text = program(name)
    shown, language = identify(page(text).encode(), "onlinetext.html")
    assert language.name == name
    assert without_blanks(shown) == without_blanks(text)


@pytest.mark.slow
@pytest.mark.parametrize("path", [path for path in PATHS if table(path).language in TOLD], ids=lambda path: path.stem)
def test_every_construct_in_a_pasted_program_is_shown_as_it_was_written(path: Path) -> None:
    of = table(path)
    for section in () if path.stem == "haskell-literate" else ("literals", "regexes", "comments", "others"):
        for construct in of.constructs[section]:
            text = of.head + 4 * (of.first + of.second) + statement_of(of, section, construct) + of.first
            for page in WAYS:
                shown = shown_text(page(text).encode(), of.language).text
                assert without_blanks(shown) == without_blanks(text), (page, construct)


@pytest.mark.parametrize("name", TOLD)
def test_what_is_shown_of_a_program_is_what_was_read_of_it(name: str) -> None:
    """The service reads and shows a file by its bytes and its language alone."""
    for data in (program(name).encode(), *(page(program(name)).encode() for page in WAYS)):
        assert shown_text(data, name).text == read(data, "", name).text
        assert without_blanks(shown_text(data, name).text) == without_blanks(program(name))


@pytest.mark.parametrize("page", WAYS)
def test_a_page_is_read_as_a_page_where_that_is_the_language(page: Callable[[str], str]) -> None:
    written = page(program("java"))
    assert identify(written.encode(), "onlinetext.html", "html") == (written, identify(b"", "a.html")[1])


@pytest.mark.parametrize("page", WAYS)
def test_an_answer_in_words_stays_a_page(page: Callable[[str], str]) -> None:
    answer = "The tide comes twice a day.\nIt is high at six; it is low at noon.\nThat is all I know.\n"
    assert pasted_program(page(answer)) == ""
    assert identify(page(answer).encode(), "onlinetext.html")[1].name == "html"


def test_a_page_that_a_student_made_stays_a_page() -> None:
    assert pasted_program(program("html")) == ""
    table = "<table><tr><td>int x = 1;<br>int y = 2;<br>int z = 3;</td></tr></table>"
    assert pasted_program(table) == ""
    assert pasted_program("<p><?php echo 1;\n$x = 2;\n$y = 3;\n</p>") == ""
    pre = "<pre>int f(int x) {\n  return x + 1;\n}\nint g(int y) {\n  return y;\n}\n</pre>"
    assert pasted_program(f"<html><head><title>a</title></head>{pre}</html>")
    assert pasted_program(f"<html><head><script>f(1);</script></head>{pre}</html>") == ""
    assert pasted_program(f"<html><head><title>a</title></head><body><h1>b</h1>{pre}</html>") == ""
    assert pasted_program(f"<!doctype html><html><head><title>a: b</title></head><body><h1>a: b</h1>{pre}</html>") == ""


def test_the_scripts_and_the_text_of_a_student_are_not_hidden_by_lines_of_an_editor() -> None:
    lines = '<div class="cm-line">int f(int x) {</div><div class="cm-line">return x;</div><div class="cm-line">}</div>'
    assert pasted_program(f"<p>Mine:</p>{lines}")
    assert pasted_program(f"<div>{lines}</div><script>{'total += 1;' * 40}</script>") == ""
    assert pasted_program(f"<div>{lines}</div><p>{'The tide is high. ' * 20}</p>") == ""
    assert pasted_program(f"<div>{lines}</div><?php {'$total += 1;' * 40}") == ""


def test_a_name_like_that_of_an_editors_line_is_no_line() -> None:
    text = "int index1(int x) {\n  return x;\n}\nint y = index1(2);\n"
    assert without_blanks(pasted_program(preformatted(text))) == without_blanks(text)


@pytest.mark.parametrize("end", ["</pre>", "", "\n<a href='x'>x</a></pre>"])
@pytest.mark.parametrize("comparison", ["<a and b> c", "<s and not b> c", "<i> c", "<b or c> d"])
def test_no_comparison_of_a_program_is_left_out_as_a_tag(comparison: str, end: str) -> None:
    assert pasted_program(f"<pre>\nfor i in range(3):\n    if x {comparison}:\n        print(i)\n{end}") == ""


def test_values_on_lines_of_their_own_are_no_numbers_of_lines() -> None:
    text = "int values[] = {\n1,\n2,\n3,\n4\n};\n" + "int f() {\n  return 7;\n}\n" * 8
    for page in WAYS:
        assert without_blanks(shown_text(page(text).encode(), "c").text) == without_blanks(text), page


@pytest.mark.parametrize(
    "part", ["<p", "<p class='", '<a b="', "<![CDATA[", "<!--", "<script>", "<p>", "</p>", "<tr>1", "<b>"]
)
def test_a_long_page_is_read_in_little_time(part: str) -> None:
    started = time.process_time()
    pasted_program(f"<pre>{part * 20_000}")
    pasted_program(f"<div class=cm-line>{part * 20_000}</div>{'</div>' * 20_000}")
    assert time.process_time() - started < 6


def test_few_lines_are_in_the_language_of_the_class() -> None:
    lines = "total += level;\nif (total > limit) {\n    total = limit;\n}\n"
    assert leaves_doubt("onlinetext.html")
    assert identify(with_breaks(lines).encode(), "onlinetext.html", likely="java")[1].name == "java"
    assert language_of_pasted(lines) == language_of_pasted(lines, "html") == "c"
    assert detect("page.html", "<p>high</p>", "java") == "html"


@pytest.mark.parametrize("first", [0, 1, 17])
@pytest.mark.parametrize(
    "mark",
    [
        "{:>4} ",
        "{}: ",
        "{:03}.\t",
        "{}| ",
        "#{} ",
        "L{}: ",
        "a/Fines.x:{}:",
        "3f2a9bc1 (Eva K. 2026-01-02 10:00:00 +0100 {:>3}) ",
    ],
)
@pytest.mark.parametrize("name", [name for name in CODE if name not in NUMBERING])
def test_numbers_of_lines_are_not_read(name: str, mark: str, first: int) -> None:
    text = "".join(f"{line}\n" for line in program(name).splitlines() if line.strip())
    lines = [mark.format(at) + line for at, line in enumerate(text.splitlines(), first)]
    numbered = "\n".join(lines).encode()
    assert without_blanks(shown_text(numbered, name).text) == without_blanks(text)
    if "(" in mark:
        return
    lines[1] = mark.format(first + 2) + text.splitlines()[1]
    kept = "\n".join(lines)
    assert without_blanks(shown_text(kept.encode(), name).text) == without_blanks(kept)


@pytest.mark.parametrize("mark", ["+", "+ ", "> ", ">", ">> ", "> > ", "@@"])
@pytest.mark.parametrize("name", [name for name in CODE if name not in NUMBERING])
def test_marks_before_all_lines_are_not_read(name: str, mark: str) -> None:
    text = "".join(f"{line}\n" for line in program(name).splitlines() if line.strip())
    lines = text.splitlines()
    marked = [mark + line for line in lines]
    if mark == "@@":
        head = ["diff --git a/x b/x", "index 3f..5a 100644", "--- a/x", "+++ b/x", "@@ -1,3 +1,9 @@ part"]
        marked = [*head, "-old = 1;", *(f"{' +'[at % 2]}{line}" for at, line in enumerate(lines))]
    assert without_blanks(shown_text("\n".join(marked).encode(), name).text) == without_blanks(text)
    if mark == ">> ":
        marked = ["On Monday Eva K. wrote:", *marked]
    if mark == "+":
        marked[1:1] = ["-old = 1;"]
        marked[5:6] = [f" {marked[5][1:]}"]
    assert without_blanks(shown_text("\n".join(marked).encode(), name).text) == without_blanks(text)
    kept = "\n".join([*marked[1:], "x"]) if mark != "@@" else text
    assert without_blanks(shown_text(kept.encode(), name).text) == without_blanks(kept)


@pytest.mark.parametrize("name", [name for name in CODE if name not in KEEPING_PAGES])
def test_colours_of_a_terminal_and_signs_of_html_are_not_read(name: str) -> None:
    text = program(name)
    coloured = re.sub(r"\b(\w+)\b", "\x1b[1;31m\\1\x1b[0m", text)
    assert shown_text(coloured.encode(), name).text == shown_text(text.encode(), name).text
    if sum(map(text.count, "<>&\"'")) >= FEWEST_MARKED:
        assert shown_text(escape(text).encode(), name).text == shown_text(text.encode(), name).text


def test_quoted_lines_without_words_are_no_program() -> None:
    assert shown_text(b"Ada wrote:\n> >\n> >\n> >\n", "java").text.strip() == ""


def test_of_a_comparison_of_versions_the_newer_program_is_read(tmp_path: Path) -> None:
    del tmp_path
    program_of_java = "".join(f"+{line}\n" for line in program("java").splitlines())
    head = "diff --git a/{0} b/{0}\nnew file mode 100644\n--- /dev/null\n+++ b/{0}\n@@ -0,0 +1,90 @@\n"
    patch = "From 3f2a Mon Sep 17\nSubject: [PATCH] work\n\n---\n Main.java | 90 +++\n\n" + head.format("src/Main.java")
    text, front_end = identify(
        (patch + program_of_java + head.format("a.py") + "+x = 1\n-- \n2.30\n").encode(), "0001.patch"
    )
    assert (text, front_end.name) == (program("java"), "java")
    assert identify(b"--- a\n+++ b\n", "a.diff")[1].name == "diff"


def test_a_comparison_with_a_long_name_is_read_in_little_time() -> None:
    size = 100_000
    text = f"diff a\n+++ {'a/' * size}b.py\n@@ -1 +1 @@\n" + "+x = 1\n" * size
    started = time.process_time()
    assert newer_version(text)[1] == "x = 1\n" * size
    assert time.process_time() - started < 2


DOCUMENTS = {
    "fence.md": "~~~~{{{name}}}\n{code}~~~~\n", "unnamed.md": "```\n{code}```\n", "indented.md": "{indented}\n",
    "listing.tex": "\\begin{{lstlisting}}[language={name},caption=A]\n{code}\\end{{lstlisting}}\n",
    "minted.tex": "\\begin{{minted}}[linenos]{{{name}}}\n{code}  \\end{{minted}}\n",
    "verbatim.tex": "\\begin{{verbatim}}\n{code}\\end{{verbatim}}\n",
    "block.org": "#+BEGIN_SRC {name} -n\n{code}#+END_SRC\n", "lower.org": "#+begin_example\n{code}#+end_example\n",
    "directive.rst": ".. code-block:: {name}\n\n{indented}\n",
    "options.rst": ".. code:: {name}\n   :b: 1\n\n{indented}\n", "colons.rst": "{indented}\n",
}  # fmt: skip
WORDS = "The tide comes twice a day and it is high at six.\n"


@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.parametrize("name", TOLD)
def test_code_in_a_document_is_read_in_its_language(name: str, document: str) -> None:
    code = program(name)
    indented = "".join(f"    {line}" if line.strip() else line for line in code.splitlines(keepends=True))
    chunk = DOCUMENTS[document].format(name=name, code=code, indented=indented)
    reading = read(f"{WORDS * 40}\n{chunk}\n{WORDS}".encode(), document)
    assert reading.language == "rmarkdown"
    if name == "bash" and indented in chunk:  # The end of a text in it stands at the beginning of a line.
        return
    kinds = reading.tokens.kinds.tolist()
    alone = read(code.encode(), "", name).tokens.kinds.tolist()
    words = read(WORDS.encode(), "a.txt").tokens.kinds.tolist()
    assert kinds[-len(words) :] == words
    assert kinds[-len(words) - len(alone) : -len(words)] == alone


@pytest.mark.parametrize("ending", ["md", "rst", "tex", "org", "adoc", "html", "php", "eml", "rtf"])
@pytest.mark.parametrize("name", TOLD)
def test_a_program_under_the_name_of_a_document_is_read_as_one(name: str, ending: str) -> None:
    if not program(name).lstrip().startswith("<"):
        assert detect(f"solution.{ending}", program(name)) == name


@pytest.mark.parametrize("line", ["```", "    x", "", ".. code:: c", "\\begin{minted}[", "{minted}[", "#+begin_src"])
def test_the_code_of_a_long_document_is_found_in_little_time(line: str) -> None:
    started = time.process_time()
    assert len([*chunks(f"{line}\n" * 100_000)]) <= 100_000
    assert len([*chunks(line * 100_000)]) <= 1
    assert len([*chunks(f"{line} " * 100_000 + "\n" * 100_000)]) <= 1
    assert time.process_time() - started < 3


def test_documents_in_markdown_without_code_are_prose() -> None:
    for document in ("# Work\n\nWords.\n", "```text\nint x = 1;\n```\n", "```\nsome words\nof a poem\n```\n"):
        assert read(document.encode(), "notes.md").language == "text"


def test_what_an_interpreter_showed_is_left_out() -> None:
    session = ">>> def high(x):\n...     return x + 1\n...\n>>> high(2)\n3\n>>> total = [\n...   1]\n"
    typed = "def high(x):\n    return x + 1\n\nhigh(2)\ntotal = [\n  1]\n"
    assert shown_text(session.encode(), "python").text == typed
    documented = f'"""Doubles.\n\n{session}"""\n'
    assert shown_text(documented.encode(), "python").text == documented
