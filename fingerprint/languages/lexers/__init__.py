"""Lexers of Pygments, mended where they read a construct otherwise than the compiler of the language.

Each module has the lexers of some related languages. `tests/fingerprint/languages/conformance` has the constructs.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from pygments.lexer import Lexer, bygroups
from pygments.lexers import find_lexer_class_by_name

# By the alias that a row of the table of languages or a file name leads to: the module and the class.
_MENDED = {
    "ada": ("classic", "Ada"), "bash": ("scripts", "Bash"), "cobol": ("classic", "Cobol"),
    "cobolfree": ("classic", "Cobol"), "csharp": ("compiled", "CSharp"), "dafny": ("small", "Dafny"),
    "delphi": ("classic", "Delphi"), "pascal": ("classic", "Delphi"), "ejs": ("markup", "Ejs"),
    "erb": ("markup", "Erb"), "fortran": ("classic", "Fortran"), "fsharp": ("small", "FSharp"),
    "gas": ("small", "Gas"), "glsl": ("small", "Glsl"), "hack": ("small", "Hack"),
    "haskell": ("classic", "Haskell"), "hdl": ("small", "Hdl"), "hlsl": ("small", "Hlsl"), "html": ("markup", "Html"),
    "java": ("jvm", "Java"), "javascript": ("scripts", "JavaScript"), "json": ("markup", "Json"),
    "jsp": ("markup", "Jsp"), "kotlin": ("jvm", "Kotlin"), "matlab": ("classic", "Matlab"),
    "mips": ("compiled", "Mips"), "modula2": ("classic", "Modula2"), "netlogo": ("small", "NetLogo"),
    "nasm": ("compiled", "Nasm"), "nsis": ("small", "Nsis"), "ocaml": ("classic", "OCaml"),
    "perl": ("scripts", "Perl"), "php": ("scripts", "Php"), "prolog": ("classic", "Prolog"), "r": ("classic", "R"),
    "razor": ("markup", "Razor"), "rmarkdown": ("markup", "RMarkdown"), "ruby": ("scripts", "Ruby"),
    "rust": ("compiled", "Rust"), "scheme": ("classic", "Scheme"), "scratch": ("small", "Scratch"),
    "sql": ("small", "Sql"), "structured-text": ("small", "StructuredText"), "svelte": ("markup", "Svelte"),
    "swift": ("compiled", "Swift"), "tcl": ("scripts", "Tcl"), "typescript": ("scripts", "TypeScript"),
    "vbnet": ("compiled", "VisualBasic"), "vhdl": ("classic", "Vhdl"), "vue": ("markup", "Vue"),
    "xml": ("markup", "Xml"),
}  # fmt: skip

# The literals that may cross lines in languages without a row (see `Language.multiline`).
UNTUNED_MULTILINE = {
    "awk": "", "cobol": "", "cobolfree": "", "dart": "\"\"\" '''", "groovy": "\"\"\" ''' $/",
    "less": "", "lua": "[[ [=", "objective-c": "", "scss": "",
}  # fmt: skip

# Languages that ignore case though their lexers do not say so.
UNTUNED_IGNORING_CASE = frozenset({
    "applescript", "autohotkey", "autoit", "cfc", "cfm", "easytrieve", "eiffel", "inform6", "inform7",
    "openedge", "pddl", "psql", "qbasic", "sqlite3", "teratermmacro", "xpp",
})  # fmt: skip


@cache
def lexer_class(alias: str) -> type[Lexer]:
    """Return the lexer of a Pygments alias, mended where there is such a one.

    Raises pygments.util.ClassNotFound for an unknown alias.
    """
    if alias not in _MENDED:
        return find_lexer_class_by_name(alias)
    module, name = _MENDED[alias]
    lexer: type[Lexer] = getattr(import_module(f"{__name__}.{module}"), name)
    return lexer


def import_mended_lexers() -> None:
    """Import every mended lexer."""
    for alias in _MENDED:
        lexer_class(alias)


def groups(*token_types: Any) -> Any:
    """Return the action of a rule whose groups have these token types."""
    return bygroups(*token_types)  # type: ignore[no-untyped-call]  # has no annotations
