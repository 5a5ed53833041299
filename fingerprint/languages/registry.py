"""All tuned languages, in menu order. A new language needs a row here and a golden file (CONTRIBUTING.md)."""

from __future__ import annotations

from fingerprint.languages.spec import Language

# Parts of type names, and hints to the compiler.
_C_NOISE = "register inline volatile restrict signed unsigned"
_SQL_WORDS = """
    select from where and or not in is between like exists group by having order asc desc limit offset
    union all distinct join inner left right outer full cross on using as case when then else end insert
    into values update set delete create alter drop table view index trigger primary key foreign
    references unique check default with null if begin commit rollback grant revoke returning
"""
_PLSQL_WORDS = """
    procedure function package body declare cursor exception loop while for exit continue elsif return
    raise open fetch close execute immediate bulk collect forall goto type record replace out others
    pragma constant rowtype
"""

# Front-ends with a module of their own.
OTHERS = (
    Language("text", "Plain text", "", "*.txt *.md *.markdown *.rst *.tex", "ascii prose plain spice"),
    Language("notebook", "Jupyter notebook", "", "*.ipynb", "jupyter ipynb"),
    Language("scratch", "Scratch", "scratch", "", "sb3", multiline=""),
)

LANGUAGES = (
    Language(
        "python", "Python", "python", "*.py *.pyw *.pyi", "py python3", by_line=True,
        statements="import from @ global nonlocal",
        multiline='""" \'\'\'',
    ),
    Language(
        "java", "Java", "java", "*.java *.pde", statements="import package",
        noise="public private protected final strictfp transient native",
        type_words="var",
        version=2,
        soft_words="exports module open opens permits provides requires sealed to transitive uses with",
        multiline='"""',
    ),
    Language(
        "c", "C", "c", "*.c", "ansic", "c", noise=_C_NOISE, type_words="auto", preprocessor=True,
        multiline="",
    ),
    Language(
        "cpp", "C++", "cpp", "*.cpp *.cc *.cxx *.c++ *.hpp *.hh *.hxx *.ino *.cu *.cuh", "cc c++", "c",
        statements="using",
        noise=_C_NOISE + " public private protected friend override final explicit"
        " constexpr consteval noexcept mutable typename ]]",
        decorators="[[", type_words="auto", synonyms={"and": "&&", "or": "||", "not": "!"},
        version=2, soft_words="import module",
        preprocessor=True,
        multiline='R"',
    ),
    Language(
        "glsl", "GLSL", "glsl", "*.glsl *.vert *.frag *.geom *.comp *.tesc *.tese *.vsh *.fsh", "opengl",
        noise="precision highp mediump lowp in out inout uniform varying attribute", preprocessor=True,
        multiline="",
    ),
    Language(
        "hlsl", "HLSL", "hlsl", "*.hlsl *.hlsli *.fx *.fxh *.cginc", "directx",
        noise="in out inout uniform nointerpolation linear centroid sample static shared"
        " row_major column_major",
        preprocessor=True,
        multiline="",
    ),
    Language(
        "csharp", "C#", "csharp", "*.cs", "c# cs", statements="using", decorators="Name.Attribute",
        type_words="var void object dynamic",
        version=2,
        soft_words="add alias ascending by descending equals from get global group init into join let managed"
        " nameof notnull on orderby remove scoped select set unmanaged value when where with",
        noise="public private protected internal partial async unsafe extern volatile",
        multiline='@" $@" @$" """ $""" $$""" $$$"""',
    ),
    Language(
        "javascript", "JavaScript", "javascript", "*.js *.mjs *.cjs *.jsx", "js", "javascript", by_line=True,
        statements="import", decorators="Name.Decorator @", noise="export async",
        version=2, soft_words="as from of",
        synonyms={"===": "==", "!==": "!=", "let": "var", "const": "var"},
        multiline="` Literal.String.Backtick",
    ),
    Language(
        "typescript", "TypeScript", "typescript", "*.ts *.mts *.cts *.tsx", "ts", "javascript", by_line=True,
        statements="import", decorators="Name.Decorator @",
        noise="public private protected export async declare override",
        version=2, soft_words="as from of type",
        synonyms={"===": "==", "!==": "!=", "let": "var", "const": "var"},
        multiline="` Literal.String.Backtick",
    ),
    Language("go", "Go", "go", "*.go", "golang", by_line=True, statements="package import", multiline="`"),
    Language(
        "rust", "Rust", "rust", "*.rs", "rs", statements="use mod extern", noise="' unsafe const async",
        version=2, soft_words="union",
        decorators="Name.Attribute pub mut",
    ),
    Language(
        "kotlin", "Kotlin", "kotlin", "*.kt *.kts", "kt", by_line=True, statements="import package",
        noise="public private protected internal final const lateinit inline tailrec operator infix suspend",
        version=2, soft_words="by constructor dynamic get init out reified set where",
        synonyms={"val": "var"},
        multiline='"""',
    ),
    Language(
        "scala", "Scala", "scala", "*.scala *.sc", by_line=True, statements="import package",
        noise="private protected final implicit lazy", synonyms={"val": "var"},
        version=2, soft_words="derives using",
        multiline='"""',
    ),
    Language(
        "swift", "Swift", "swift", "*.swift", by_line=True, statements="import",
        decorators="@ private fileprivate internal public open",
        noise="public private fileprivate internal final weak unowned lazy mutating nonmutating"
        " required convenience dynamic",
        version=2,
        soft_words="associativity didSet get indirect infix left optional postfix precedence prefix right set"
        " willSet",
        synonyms={"let": "var"},
        multiline='""" #""" ##"""',
    ),
    Language(
        "php", "PHP", "php", "*.php *.phtml *.php5", ignore_case=True, decorators="#[ declare",
        statements="use namespace require require_once include include_once",
        noise="public private protected final readonly const var global",
        synonyms={"===": "==", "!==": "!=", "<>": "!=", "and": "&&", "or": "||", "elseif": "else if"},
    ),
    Language(
        "ruby", "Ruby", "ruby", "*.rb *.rake Rakefile Gemfile", "rb", by_line=True, decorators="",
        statements="require require_relative load include extend",
        noise="public private protected module_function",
        synonyms={"and": "&&", "or": "||", "not": "!"},
    ),
    Language(
        "perl", "Perl", "perl", "*.pl *.pm *.t", by_line=False, statements="use no require package",
        noise="my our local",
        synonyms={"and": "&&", "or": "||", "not": "!", "foreach": "for"},
    ),
    Language(
        "haskell", "Haskell", "haskell", "*.hs *.lhs", "hs", by_line=True, statements="import module",
        version=2, soft_words="family", multiline='""" [',
    ),
    Language("ocaml", "OCaml", "ocaml", "*.ml *.mli", "ml", by_line=True, statements="open"),
    Language(
        "fsharp", "F#", "fsharp", "*.fsx *.fsi", "f#", by_line=True, statements="open module namespace",
        noise="private public internal inline mutable",
    ),
    Language(
        "dafny", "Dafny", "dafny", "*.dfy", statements="include import", noise="ghost static",
        multiline='@"',
    ),
    Language("scheme", "Scheme", "scheme", "*.scm *.ss *.sld *.rkt", punctuation="", statements="import"),
    Language(
        "common-lisp", "Common Lisp", "common-lisp", "*.lisp *.lsp *.el", "lisp cl", ignore_case=True,
        punctuation="",
        statements="in-package defpackage use-package require declaim",
        keywords="defun defmacro defvar defparameter defconstant defstruct defclass defmethod defgeneric "
        "loop do dotimes dolist when unless cond case and or not setf setq let* flet labels handler-case",
    ),
    Language("prolog", "Prolog", "prolog", "*.pl *.pro *.prolog", "swipl", punctuation=", .", multiline=""),
    Language(
        "fortran", "Fortran", "fortran", "*.f90 *.f95 *.f03 *.f08 *.for *.f *.ftn", "f90", ignore_case=True,
        by_line=True,
        statements="use implicit", punctuation="( ) , : :: & ;", decorators="intent",
        noise="public private pure elemental recursive target save allocatable pointer optional contains "
        "intrinsic",
        keywords="and or not eqv neqv lt le gt ge eq ne",
        multiline="",
    ),
    Language(
        "ada", "Ada", "ada", "*.adb *.ads *.ada", ignore_case=True, statements="with use",
        noise="aliased constant",
        multiline="",
    ),
    Language(
        "pascal", "Pascal", "pascal", "*.pas *.pp *.dpr *.lpr", "delphi", ignore_case=True,
        statements="uses program unit",
        type_words="string",
        noise="public private protected published overload inline cdecl stdcall",
    ),
    Language(
        "modula2", "Modula-2", "modula2", "*.mod *.def *.mi", "modula-2", statements="from import",
        multiline="",
    ),
    Language(
        "matlab", "MATLAB", "matlab", "*.m", "octave", by_line=True,
        statements="import global persistent clc clear",
        multiline="",
    ),
    Language(
        "r", "R", "r", "*.r *.R", "s", by_line=True, statements="library require source",
        synonyms={"<-": "=", "<<-": "="},
    ),
    Language(
        "sql", "SQL", "sql", "*.sql *.ddl *.dml", "", "sql", ignore_case=True, keywords=_SQL_WORDS,
        only_keywords=True,
        synonyms={"<>": "!="},
    ),
    Language(
        "plsql", "PL/SQL", "sql", "*.pls *.plb *.pks *.pkb *.plsql", "pl/sql", "sql", ignore_case=True,
        keywords=_SQL_WORDS + _PLSQL_WORDS, only_keywords=True, synonyms={"<>": "!="},
    ),
    Language(
        "vb", "Visual Basic", "vbnet", "*.vb *.bas *.vbs *.frm *.cls", "visualbasic vb.net vbnet",
        ignore_case=True,
        by_line=True, statements="imports option", decorators="Name.Attribute",
        noise="public private protected friend overloads shadows readonly const partial byval byref",
        multiline="",
    ),
    Language(
        "verilog", "Verilog", "verilog", "*.v *.vh", by_line=True, type_words="integer genvar",
        statements="`timescale `include `define `default_nettype",
        multiline="",
    ),
    Language(
        "vhdl", "VHDL", "vhdl", "*.vhd *.vhdl", ignore_case=True, statements="library use",
        multiline="",
    ),
    Language(
        "mips", "MIPS assembly", "mips", "*.mips", by_line=True, statements=".globl .global",
        kept_types="Name.Variable Name.Entity",
        multiline="",
    ),
    Language(
        "x86", "x86 assembly", "nasm", "*.nasm *.s86", "a8086 nasm asm 8086", ignore_case=True, by_line=True,
        statements="global extern bits default", kept_types="Name.Function",
        multiline="",
    ),
    Language(
        "gas", "GNU assembly", "gas", "", "at&t att riscv risc-v", by_line=True,
        statements=".globl .global .file .ident .type .size .section", kept_types="Name.Function",
        multiline="",
    ),
    Language(
        "hack", "Nand2Tetris assembly", "hack", "", "nand2tetris", by_line=True, punctuation="",
        kept_types="Keyword",
        multiline="",
    ),
    Language(
        "structured-text", "Structured Text", "structured-text", "*.iecst *.scl", "iec61131 iecst",
        ignore_case=True, noise="var_input var_output var_in_out var_temp retain",
        multiline="",
    ),
    Language(
        "bash", "Bash", "bash", "*.sh *.bash *.zsh *.ksh", "shell sh", by_line=True, decorators="",
        statements="source", noise="local readonly declare typeset export", kept_types="Name.Builtin",
        keywords="-eq -ne -lt -gt -le -ge -z -n -e -f -d",
    ),
    Language("html", "HTML", "html", "*.html *.htm *.xhtml", version=2, parts=True),
    Language("vue", "Vue", "vue", "*.vue", parts=True),
    Language("svelte", "Svelte", "svelte", "*.svelte", parts=True),
    Language("razor", "Razor", "razor", "*.cshtml *.razor", "cshtml", parts=True),
    Language("erb", "ERB", "erb", "*.erb *.rhtml", "rhtml", parts=True),
    Language("ejs", "EJS", "ejs", "*.ejs", parts=True),
    Language("jsp", "JSP", "jsp", "*.jsp", parts=True),
    Language("rmarkdown", "R Markdown", "rmarkdown", "*.rmd *.qmd", "quarto rmd", parts=True),
    Language("xml", "XML", "xml", "*.xml *.xsl *.xslt *.xsd *.svg *.wsdl *.rss *.fxml *.xaml", parts=True),
    Language("json", "JSON", "json", "*.json *.jsonc *.json5 *.geojson", parts=True),
    Language("yaml", "YAML", "yaml", "*.yaml *.yml", "yml", parts=True),
    Language(
        "css", "CSS", "css", "*.css", version=2, ignore_case=True, decorators="",
        kept_types="Name.Tag Name.Builtin Name.Decorator Keyword.Constant", kept_numbers=True,
        multiline="",
    ),
)  # fmt: skip
