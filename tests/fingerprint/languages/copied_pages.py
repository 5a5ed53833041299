"""One program in the pages that editors and viewers of code make of it, by the name of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from html import escape

_WORD = re.compile(r"&#?\w+;|\w+|[^\w\s]")


def nested(line: str, kind: str = "tok") -> str:
    """Return a line whose words and marks are elements, those of two words in one more."""
    parts = _WORD.sub(lambda match: f'<span class="{kind}-a">{match[0]}</span>', escape(line, quote=False))
    return re.sub(r"(<span [^<]*</span> <span [^<]*</span>)", rf'<span class="{kind}-b">\1</span>', parts)


def _joined(form: str, text: str, line_of: Callable[[str], str] = nested) -> str:
    return "".join(form.format(at=at, line=line_of(line)) for at, line in enumerate(text.splitlines(), 1))


def _numbers(form: str, text: str) -> str:
    return _joined(form, text, lambda _: "")


def codemirror_6(text: str) -> str:
    spacer = '<div class="cm-gutterElement" style="height: 0px; visibility: hidden; pointer-events: none;">999</div>'
    numbers = _numbers('<div class="cm-gutterElement" style="height: 14px;">{at}</div>', text)
    folds = _numbers('<div class="cm-gutterElement"><span title="Fold line">\u2304</span></div>', text)
    lines = "".join(f'<div class="cm-line">{nested(line) if line else "<br>"}</div>' for line in text.splitlines())
    return (
        '<div class="cm-editor"><div class="cm-announced" aria-live="polite"></div><div class="cm-scroller">'
        f'<div class="cm-gutters" aria-hidden="true"><div class="cm-gutter cm-lineNumbers">{spacer}{numbers}</div>'
        f'<div class="cm-gutter cm-foldGutter">{folds}</div></div>'
        f'<div spellcheck="false" class="cm-content" role="textbox">{lines}</div></div></div>'
    )


def lines_of_codemirror_6(text: str) -> str:
    return _joined('<div class="cm-line">{line}</div>', text)


def codemirror_5(text: str) -> str:
    form = (
        '<div style="position: relative;"><div class="CodeMirror-gutter-wrapper" style="left: -29px;">'
        '<div class="CodeMirror-linenumber CodeMirror-gutter-elt">{at}</div></div>'
        '<pre class=" CodeMirror-line " role="presentation"><span role="presentation">{line}</span></pre></div>'
    )
    return f'<div class="CodeMirror cm-s-default"><div class="CodeMirror-code">{_joined(form, text)}</div></div>'


def ace(text: str) -> str:
    numbers = _numbers('<div class="ace_gutter-cell ">{at}<span class="ace_fold-widget"></span></div>', text)
    lines = _joined('<div class="ace_line_group"><div class="ace_line">{line}</div></div>', text)
    return (
        f'<div id="editor" class="ace_editor"><div class="ace_gutter">{numbers}</div><div class="ace_scroller">'
        f'<div class="ace_content"><div class="ace_layer ace_text-layer">{lines}</div></div></div></div>'
    )


def monaco(text: str) -> str:
    numbers = _numbers('<div style="top:{at}px"><div class="line-numbers lh-odd">{at}</div></div>', text)
    lines = _joined('<div style="top:{at}px;height:19px;" class="view-line"><span>{line}</span></div>', text)
    return (
        f'<div class="monaco-editor"><div class="margin-view-overlays">{numbers}</div>'
        f'<div class="view-lines">{lines.replace("  ", "&nbsp;&nbsp;")}</div></div>'
    )


def github(text: str) -> str:
    form = (
        '        <tr>\n          <td id="L{at}" class="blob-num js-line-number" data-line-number="{at}"></td>\n'
        '          <td id="LC{at}" class="blob-code blob-code-inner js-file-line">{line}</td>\n        </tr>\n'
    )
    return (
        '<div itemprop="text" class="Box-body p-0 blob-wrapper data type-x"><a href="#LC1"></a>\n'
        '<table class="highlight tab-size js-file-line-container" data-tab-size="8"><tbody>\n'
        f"{_joined(form, text)}</tbody></table>\n<button>Copy</button></div>"
    )


def rows_of_github(text: str) -> str:
    form = '<tr><td class="blob-num" data-line-number="{at}">{at}</td><td class="blob-code">{line}</td></tr>'
    return f"<meta charset='utf-8'><table><tbody>{_joined(form, text)}</tbody></table>"


def notion(text: str) -> str:
    site = "https://cdnjs.cloudflare.com/ajax/libs/prism"
    return (
        '<html><head><title>Tides</title></head><body><article class="page sans"><header><h1>Tides</h1></header>'
        f'<div class="page-body"><script src="{site}/prism.min.js" crossorigin="anonymous"></script>'
        f'<link rel="stylesheet" href="{site}/prism.min.css"/><pre id="1f" class="code code-wrap">'
        f'<code class="language-Java">{escape(text)}</code></pre></div></article></body></html>'
    )


def github_of_2023(text: str) -> str:
    numbers = _numbers('<div data-line-number="{at}" class="react-line-number react-code-text">{at}</div>', text)
    form = (
        '<div class="child-of-line-0 react-code-text react-code-line-contents"><div><div id="LC{at}" '
        'class="react-file-line html-div" data-testid="code-cell" data-line-number="{at}">{line}</div></div></div>'
    )
    return (
        f'<section><h2>Code</h2><textarea id="read-only-cursor-text-area">{escape(text)}</textarea>'
        f'<div class="react-line-numbers">{numbers}</div><div class="react-code-lines">{_joined(form, text)}</div>'
        "</section>"
    )


def gitlab(text: str) -> str:
    numbers = _numbers('<a class="file-line-num" href="#L{at}" id="L{at}">{at}</a>\n', text)
    lines = "\n".join(
        f'<span id="LC{at}" class="line" lang="x">{nested(line)}</span>' for at, line in enumerate(text.splitlines(), 1)
    )
    return (
        f'<div class="file-content code"><div class="line-numbers">{numbers}</div><div class="blob-content">'
        f'<pre class="code highlight"><code>{lines}</code></pre></div></div>'
    )


def confluence(text: str) -> str:
    numbers = _numbers('<div class="line number{at} index{at} alt2">{at}</div>', text)

    def coloured(line: str) -> str:
        code = re.sub(r"^ +", lambda match: f"<code class=x>{'&nbsp;' * len(match[0])}</code>", line_of(line))
        return code or "&nbsp;"

    def line_of(line: str) -> str:
        inside = escape(line.lstrip(" "), quote=False)
        return " " * (len(line) - len(line.lstrip(" "))) + f'<code class="java plain">{inside}</code>'

    lines = _joined('<div class="line number{at} index{at} alt2">{line}</div>', text, coloured)
    return (
        '<div class="code panel pdl"><div class="codeContent panelContent pdl"><div><div id="highlighter_1" '
        'class="syntaxhighlighter nogutter java"><div class="toolbar"><span><a href="#">?</a></span></div>'
        f'<table border="0"><tbody><tr><td class="gutter">{numbers}</td><td class="code">'
        f'<div class="container" title="Hint: double-click">{lines}</div></td></tr></tbody></table>'
        "</div></div></div></div>"
    )


def confluence_cloud(text: str) -> str:
    form = (
        '<span data-testid="renderer-code-block-line-{at}" data-ds--code--row="">'
        '<span class="linenumber ds-line-number" data-ds--line-number="{at}">{at}</span>'
        '<span class="">{line}\n</span></span>'
    )
    return (
        '<div class="code-block"><span data-ds--code--code-block=""><code class="language-x" '
        f'style="white-space: pre;">{_joined(form, text)}</code></span><button>Copy</button></div>'
    )


def stored_by_confluence(text: str) -> str:
    return (
        '<ac:structured-macro ac:name="code" ac:schema-version="1"><ac:parameter ac:name="language">java'
        '</ac:parameter><ac:parameter ac:name="linenumbers">true</ac:parameter><ac:plain-text-body><![CDATA['
        f"{text}]]></ac:plain-text-body></ac:structured-macro>"
    )


def jupyter(text: str, *, lab: bool = True) -> str:
    """Return a notebook of two cells that was exported, with what they showed."""
    lines = text.splitlines()
    half = next((at for at in range(len(lines) // 2, len(lines)) if not lines[at].strip()), len(lines))
    cells = ["\n".join(lines[:half]), "\n".join(lines[half:])]
    head = (
        '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"/>\n<title>solution</title>'
        '<script src="https://example.org/require.min.js"></script>\n<style type="text/css">pre { color: red }\n'
        "</style>\n<script>window.MathJax = {};</script></head>\n"
    )
    body = "".join((_cell_of_lab if lab else _cell)(at, cell) for at, cell in enumerate(cells, 1) if cell.strip())
    classes = "jp-Notebook" if lab else "container"
    return f'{head}<body class="{classes}" tabindex="-1"><main>{body}</main>\n</body>\n</html>\n'


def jupyter_of_2018(text: str) -> str:
    return jupyter(text, lab=False)


def _pre(cell: str) -> str:
    return f"<pre><span></span>{nested(cell)}\n</pre>"


def _cell(at: int, cell: str) -> str:
    return (
        '<div class="cell border-box-sizing code_cell rendered">\n<div class="input">\n'
        f'<div class="prompt input_prompt">In&nbsp;[{at}]:</div>\n<div class="inner_cell">\n    '
        f'<div class="input_area">\n<div class=" highlight hl-ipython3">{_pre(cell)}</div>\n\n    </div>\n</div>\n'
        '</div>\n<div class="output_wrapper">\n<div class="output"><div class="output_subarea output_stream">'
        "<pre>the tide is high\n</pre></div></div></div></div>\n"
    )


def _cell_of_lab(at: int, cell: str) -> str:
    return (
        '<div class="jp-Cell jp-CodeCell jp-Notebook-cell">\n<div class="jp-Cell-inputWrapper" tabindex="0">\n'
        '<div class="jp-InputArea jp-Cell-inputArea">\n<div class="jp-InputPrompt jp-InputArea-prompt">'
        f'In&nbsp;[{at}]:</div>\n<div class="jp-CodeMirrorEditor jp-Editor jp-InputArea-editor" '
        'data-type="inline">\n<div class="cm-editor cm-s-jupyter">\n'
        f'<div class=" highlight hl-ipython3">{_pre(cell)}</div>\n</div>\n</div>\n</div>\n</div>\n'
        '<div class="jp-Cell-outputWrapper"><div class="jp-OutputArea"><div class="jp-OutputPrompt">Out[1]:</div>'
        '<div class="jp-RenderedText" data-mime-type="text/plain"><pre>the tide is high\n</pre></div></div></div>\n'
        "</div>\n"
    )


def list_of_prettify(text: str) -> str:
    lines = _joined('<li class="L{at}">{line}</li>', text)
    return f'<pre class="prettyprint linenums prettyprinted"><ol class="linenums">{lines}</ol></pre>'


def items(text: str) -> str:
    return f"<ol>\n{_joined('<li><code>{line}</code></li>', text)}\n</ol>".replace("  ", "&nbsp; ")


def table_of_pygments(text: str) -> str:
    numbers = "\n".join(f'<span class="normal">{at:>3}</span>' for at in range(1, len(text.splitlines()) + 1))
    return (
        '<div class="highlight"><table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre>'
        f'{numbers}</pre></div></td><td class="code"><div><pre><span></span>{nested(text)}</pre></div></td></tr>'
        "</table></div>"
    )


def numbers_in_spans(text: str) -> str:
    """Return a page as Pygments, Hugo and others write numbers in lines."""
    return (
        f'<div class="chroma"><pre><code>{_joined("<span class=lnt>{at:>2}</span>{line}<br>", text)}</code></pre></div>'
    )


def table_of_highlight_js(text: str) -> str:
    form = (
        '<tr><td class="hljs-ln-line hljs-ln-numbers" data-line-number="{at}"><div class="hljs-ln-n">{at}</div></td>'
        '<td class="hljs-ln-line hljs-ln-code" data-line-number="{at}">{line}</td></tr>'
    )
    return f'<pre><code class="hljs"><table class="hljs-ln"><tbody>{_joined(form, text)}</tbody></table></code></pre>'


def prism(text: str) -> str:
    rows = "<span></span>" * len(text.splitlines())
    return (
        f'<div class="code-toolbar"><pre class="language-x line-numbers"><code>{nested(text)}<span '
        f'aria-hidden="true" class="line-numbers-rows">{rows}</span></code></pre><div class="toolbar">'
        "<button>Copy</button></div></div>"
    )


def lines_of_spans(text: str) -> str:
    lines = _joined('<span class="line">{line}</span>', text)
    return f"<pre><code>{lines}</code></pre>"


def quoted_marks(text: str) -> str:
    """Return a page whose attributes hold what looks like the end of an element."""
    lines: Iterable[str] = (f'<div data-code="a > b &amp;&amp; c">{nested(line)}</div>' for line in text.splitlines())
    return f"<div style='white-space: pre'>{''.join(lines)}</div>"


PAGES = [
    codemirror_6, lines_of_codemirror_6, codemirror_5, ace, monaco, github, rows_of_github, github_of_2023, gitlab,
    notion, confluence, confluence_cloud, stored_by_confluence, jupyter, jupyter_of_2018, list_of_prettify, items,
    table_of_pygments, numbers_in_spans, table_of_highlight_js, prism, lines_of_spans, quoted_marks,
]  # fmt: skip
