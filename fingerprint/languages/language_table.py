"""The table of all tuned languages, in menu order.

A new language needs a row here and a golden file (CONTRIBUTING.md). Tables of lexemes that become symbols
of the coarse stream are here too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from fingerprint import extensions

# The languages that `bench/translations` measures, and TypeScript, which is lexed like JavaScript.
COARSE_LANGUAGES = frozenset({"c", "cpp", "csharp", "go", "java", "javascript", "python", "typescript"})
# Languages without braces around blocks, with type arguments in `<>`, and with `*` and `&` in types.
COLON_BLOCKS = frozenset({"python"})
TYPE_ARGUMENTS = frozenset({"cpp", "csharp", "java", "typescript"})
POINTERS = frozenset({"c", "cpp", "go"})
FOR = frozenset({"for", "foreach"})
DEFINERS = frozenset({"def", "function", "func"})
# Between the parameters of a function and its body.
AFTER_PARAMETERS = frozenset({"{", "throws", "const", "override", "noexcept", ":", "=>"})
# Words before a name with parentheses that make it a call and no definition.
BEFORE_CALLS = frozenset({"new", "return", ".", "->", "=", "else", "await", "throw", "case", "not"})
SELF = frozenset({"self", "cls", "this"})

# Printing methods with names that are usual for others too, and the name before their dot.
PRINTERS = frozenset({("console", "log"), ("console", "error"), ("console", "write"), ("console", "table")})
PRINTED = frozenset({"cout", "cerr"})
# Attributes that are written without a call in some languages.
LENGTHS = frozenset({"length", "size", "count"})
NULLS = frozenset({"none", "nil", "null", "nullptr", "undefined"})

# Numbers of every program, by value.
STOP_NUMBERS = frozenset({"0.0", "1.0", "2.0", "10.0", "100.0"})

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


@dataclass(frozen=True, slots=True)
class Language:
    """Names and file patterns of a language, and the rules by which its tokens are normalised.

    In every language comments and white space are dropped, all names become one kind, and the literals of
    each sort become one kind; the other rules are here. Lists are words separated by spaces. Lexemes are
    spelled as in programs; in lower case where `ignore_case` is set.

    name : identifier that users type and profiles store
    title : name on pages
    lexer : Pygments alias
    file_patterns : patterns of file names, the most usual first
    aliases : other names that users may type, MOSS's names included
    family : languages of one family share their kinds, so that a copy under another extension is found
    version : raised when a change of the row changes the tokens of any text
    ignore_case : words mean the same in upper and lower case; programs are read in small letters
    by_line : a statement ends with its line unless a bracket is open; otherwise it ends at `;`
    punctuation : punctuation of calls and lists, which is dropped; with `by_line`, `;` is dropped
        too. Punctuation of blocks, statements and indexing is compared.
    noise : keywords that are dropped since they are not compared
    statements : first words of statements that are dropped whole, such as imports
    ends : punctuation that ends a statement
    decorators : lexemes or Pygments token types that are dropped with the arguments in parentheses after them
    type_words : words that the lexer returns as keywords and that are used like types
    keywords : words that keep their lexeme though the lexer returns them as names
    soft_words : words that the lexer returns as keywords though they may name a variable; they count as names
    only_keywords : no words but `keywords` keep their lexeme, even if the lexer returns them as keywords
    kept_types : Pygments token types of names that keep their lexeme, such as `Name.Tag`
    kept_numbers : numbers keep their lexeme, as they are what people chose
    frame : what comes before the code of a file and after it, where a file has more than code
    parts : what people wrote is read in parts, each in its language; the rest is the frame, without tokens
    multiline : how the literals begin that may cross lines, prefixes of letters apart, or their Pygments
        token types; any other literal ends with its line. None when every literal may cross lines.
    letters : the lexer may return a name letter by letter
    escapes : whether an escape (u0041 behind a backslash) is a letter of a name, or any sign, anywhere
    preprocessor : lines that begin with `#` are directives of the C preprocessor
    synonyms : maps lexemes to the lexeme of the same meaning that replaces them
    """

    name: str
    title: str
    lexer: str
    file_patterns: str = ""
    aliases: str = ""
    family: str = ""
    version: int = 1
    ignore_case: bool = False
    by_line: bool = False
    punctuation: str = "( ) , . : :: ->"
    noise: str = ""
    statements: str = ""
    ends: str = ";"
    decorators: str = "Name.Decorator"
    type_words: str = ""
    keywords: str = ""
    soft_words: str = ""
    only_keywords: bool = False
    kept_types: str = ""
    kept_numbers: bool = False
    frame: str = ""
    parts: bool = False
    multiline: str | None = None
    letters: bool = False
    escapes: Literal["", "names", "everywhere"] = ""
    preprocessor: bool = False
    synonyms: dict[str, str] = field(default_factory=dict)

    @property
    def salt(self) -> str:
        """Family of the language's kind ids (see `kind_id`)."""
        return self.family or self.name

    def names(self) -> list[str]:
        """Return all names that users may type."""
        return [*self.aliases.split(), self.title.lower(), self.name]


def _table(rows: dict[str, str]) -> dict[str, str]:
    return {word: symbol for symbol, words in rows.items() for word in words.split()}


# Lexemes that become one symbol, wherever they stand. Lexemes of no table are dropped.
SYMBOLS = _table({
    "loop": "while until",
    "branch": "if elif case ?",
    "return": "return yield",
    "raise": "throw raise panic",
    "catch": "catch except recover",
    "continue": "continue",
    "compare": "== != < > <= >= === !== is in instanceof",
    "logic": "&& || and or",
    "assign": "= :=",
    "update": "+= -= *= /= //= %= **= <<= >>= |= &= ^= ++ --",
    "arithmetic": "+ - * / // % ** << >> & | ^",
})  # fmt: skip

# Languages without curly quotes in names and operators, by signs of macros, expressions and JSX: no string has them.
CURLY_QUOTES = _table({
    "": "python java csharp go rust kotlin fsharp dafny ada matlab r vb", ",": "c cpp fortran",
    "/<{": "javascript typescript swift",
})  # fmt: skip

# Functions of the libraries, by their names in lower case without underscores, and the symbols that replace
# their calls; the empty symbol stands for nothing.
CALLS = _table({
    "print": "print println printf fprintf fprintln puts putchar writeline",
    "length": "len length size count strlen sizeof",
    "append": "append add push pushback emplaceback appendchild pushfront",
    "index": "get getordefault charat at elementat",
    "index assign": "put set",
    "compare": "contains containskey includes has haskey equals equalsignorecase compareto compare strcmp "
    "localecompare isempty empty isnil",
    "": "str int float double tostring valueof parse parseint parsefloat parsedouble number string bool list "
    "tuple char ord chr rune float64 int64 iter format sprintf sprint tochararray atoi atof stoi make dict "
    "arraylist hashmap vector deque map array",
})  # fmt: skip

# Front-ends with a module of their own.
OTHERS = (
    Language("text", "Plain text", "", "*.txt *.md *.markdown *.rst *.tex *.org *.adoc", "ascii prose plain spice"),
    Language("notebook", "Jupyter notebook", "", "*.ipynb", "jupyter ipynb"),
    Language(
        "scratch", "Scratch, blocks and diagrams", "scratch", "*.slx *.mdl",
        "sb3 snap blockly logisim jflap drawio simulink", version=3, multiline="",
    ),
)  # fmt: skip

LANGUAGES: tuple[Language, ...] = (
    Language(
        "python", "Python", "python", "*.py *.pyw *.pyi", "py python3", by_line=True,
        statements="import from @ global nonlocal", multiline='""" \'\'\'',
    ),
    Language(
        "java", "Java", "java", "*.java *.pde", statements="import package",
        noise="public private protected final strictfp transient native", type_words="var", version=3,
        escapes="everywhere", soft_words="exports module open opens permits provides requires sealed to transitive uses"
        " with", multiline='"""',
    ),
    Language("c", "C", "c", "*.c", "ansic", "c", noise=_C_NOISE, type_words="auto", preprocessor=True, multiline=""),
    Language(
        "cpp", "C++", "cpp", "*.cpp *.cc *.cxx *.c++ *.hpp *.hh *.hxx *.ino *.cu *.cuh", "cc c++", "c",
        statements="using",
        noise=_C_NOISE + " public private protected friend override final explicit constexpr consteval"
        " noexcept mutable typename ]]",
        decorators="[[", type_words="auto", synonyms={"and": "&&", "or": "||", "not": "!"}, version=2,
        soft_words="import module", preprocessor=True, multiline='R"',
    ),
    Language(
        "glsl", "GLSL", "glsl", "*.glsl *.vert *.frag *.geom *.comp *.tesc *.tese *.vsh *.fsh", "opengl",
        noise="precision highp mediump lowp in out inout uniform varying attribute", preprocessor=True, multiline="",
    ),
    Language(
        "hlsl", "HLSL", "hlsl", "*.hlsl *.hlsli *.fx *.fxh *.cginc", "directx",
        noise="in out inout uniform nointerpolation linear centroid sample static shared row_major column_major",
        preprocessor=True, multiline="",
    ),
    Language(
        "csharp", "C#", "csharp", "*.cs", "c# cs", statements="using", decorators="Name.Attribute",
        type_words="var void object dynamic", version=3, escapes="names",
        soft_words="add alias ascending by descending equals from get global group init into join let"
        " managed nameof notnull on orderby remove scoped select set unmanaged value when where with",
        noise="public private protected internal partial async unsafe extern volatile",
        multiline='@" $@" @$" """ $""" $$""" $$$"""',
    ),
    Language(
        "javascript", "JavaScript", "javascript", "*.js *.mjs *.cjs *.jsx", "js", "javascript", by_line=True,
        statements="import", decorators="Name.Decorator @", noise="export async", version=3, soft_words="as from of",
        escapes="names", synonyms={"===": "==", "!==": "!=", "let": "var", "const": "var"},
        multiline="` Literal.String.Backtick",
    ),
    Language(
        "typescript", "TypeScript", "typescript", "*.ts *.mts *.cts *.tsx", "ts", "javascript", by_line=True,
        statements="import", decorators="Name.Decorator @",
        noise="public private protected export async declare override", version=3, soft_words="as from of type",
        escapes="names", synonyms={"===": "==", "!==": "!=", "let": "var", "const": "var"},
        multiline="` Literal.String.Backtick",
    ),
    Language("go", "Go", "go", "*.go", "golang", by_line=True, statements="package import", multiline="`"),
    Language(
        "rust", "Rust", "rust", "*.rs", "rs", statements="use mod extern", noise="' unsafe const async",
        version=2, soft_words="union", decorators="Name.Attribute pub mut",
    ),
    Language(
        "kotlin", "Kotlin", "kotlin", "*.kt *.kts", "kt", by_line=True, statements="import package",
        noise="public private protected internal final const lateinit inline tailrec operator infix suspend", version=2,
        soft_words="by constructor dynamic get init out reified set where", synonyms={"val": "var"}, multiline='"""',
    ),
    Language(
        "scala", "Scala", "scala", "*.scala *.sc", by_line=True, statements="import package",
        noise="private protected final implicit lazy", synonyms={"val": "var"}, version=2,
        soft_words="derives using", multiline='"""',
    ),
    Language(
        "swift", "Swift", "swift", "*.swift", by_line=True, statements="import",
        decorators="@ private fileprivate internal public open",
        noise="public private fileprivate internal final weak unowned lazy mutating nonmutating required convenience"
        " dynamic", version=2, soft_words="associativity didSet get indirect infix left optional postfix precedence"
        " prefix right set willSet", synonyms={"let": "var"}, multiline='""" #""" ##"""',
    ),
    Language(
        "php", "PHP", "php", "*.php *.phtml *.php5", ignore_case=True, decorators="#[ declare",
        punctuation="( ) , . : :: -> ?>", ends="; ?>",
        statements="use namespace require require_once include include_once",
        noise="public private protected final readonly const var global",
        synonyms={"===": "==", "!==": "!=", "<>": "!=", "and": "&&", "or": "||", "elseif": "else if"},
    ),
    Language(
        "ruby", "Ruby", "ruby", "*.rb *.rake Rakefile Gemfile", "rb", by_line=True, decorators="", version=2,
        statements="require require_relative load include extend",
        noise="public private protected module_function", synonyms={"and": "&&", "or": "||", "not": "!"},
    ),
    Language(
        "perl", "Perl", "perl", "*.pl *.pm *.t", by_line=False, statements="use no require package",
        noise="my our local", synonyms={"and": "&&", "or": "||", "not": "!", "foreach": "for"},
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
        "dafny", "Dafny", "dafny", "*.dfy", by_line=True, statements="include import", noise="ghost static",
        version=2, multiline='@"',
    ),
    Language(
        "scheme", "Scheme", "scheme", "*.scm *.ss *.sld *.rkt", version=2, ignore_case=True, punctuation="",
        statements="import",
    ),
    Language(
        "common-lisp", "Common Lisp", "common-lisp", "*.lisp *.lsp *.el", "lisp cl", ignore_case=True,
        punctuation="", statements="in-package defpackage use-package require declaim",
        keywords="defun defmacro defvar defparameter defconstant defstruct defclass defmethod defgeneric"
        " loop do dotimes dolist when unless cond case and or not setf setq let* flet labels handler-case",
    ),
    Language("prolog", "Prolog", "prolog", "*.pl *.pro *.prolog", "swipl", punctuation=", .", multiline=""),
    Language(
        "fortran", "Fortran", "fortran", "*.f90 *.f95 *.f03 *.f08 *.for *.f *.ftn", "f90", ignore_case=True,
        by_line=True, statements="use implicit", punctuation="( ) , : :: & ;", decorators="intent",
        noise="public private pure elemental recursive target save allocatable pointer optional contains intrinsic",
        keywords="and or not eqv neqv lt le gt ge eq ne", multiline="",
    ),
    Language(
        "ada", "Ada", "ada", "*.adb *.ads *.ada", ignore_case=True, statements="with use",
        noise="aliased constant", multiline="",
    ),
    Language(
        "pascal", "Pascal", "pascal", "*.pas *.pp *.dpr *.lpr", "delphi", ignore_case=True,
        statements="uses program unit", type_words="string",
        noise="public private protected published overload inline cdecl stdcall",
    ),
    Language("modula2", "Modula-2", "modula2", "*.mod *.def *.mi", "modula-2", statements="from import", multiline=""),
    Language(
        "matlab", "MATLAB", "matlab", "*.m *.mlx", "octave", by_line=True,
        statements="import global persistent clc clear", ends="; ,", version=2, multiline="",
    ),
    Language(
        "r", "R", "r", "*.r *.R", "s", by_line=True, statements="library require source",
        synonyms={"<-": "=", "<<-": "="},
    ),
    Language(
        "sql", "SQL", "sql", "*.sql *.ddl *.dml", "", "sql", ignore_case=True, keywords=_SQL_WORDS,
        only_keywords=True, synonyms={"<>": "!="},
    ),
    Language(
        "plsql", "PL/SQL", "sql", "*.pls *.plb *.pks *.pkb *.plsql", "pl/sql", "sql", ignore_case=True,
        keywords=_SQL_WORDS + _PLSQL_WORDS, only_keywords=True, synonyms={"<>": "!="},
    ),
    Language(
        "vb", "Visual Basic", "vbnet", "*.vb *.bas *.vbs *.frm *.cls", "visualbasic vb.net vbnet", ignore_case=True,
        by_line=True, statements="imports option", ends="; :", version=2, decorators="Name.Attribute",
        noise="public private protected friend overloads shadows readonly const partial byval byref", multiline="",
    ),
    Language(
        "verilog", "Verilog", "verilog", "*.v *.vh", by_line=True, type_words="integer genvar",
        statements="`timescale `include `define `default_nettype", multiline="",
    ),
    Language("vhdl", "VHDL", "vhdl", "*.vhd *.vhdl", ignore_case=True, statements="library use", multiline=""),
    Language(
        "mips", "MIPS assembly", "mips", "*.mips", ignore_case=True, by_line=True,
        statements=".globl .global", kept_types="Name.Variable Name.Entity", multiline="",
    ),
    Language(
        "x86", "x86 assembly", "nasm", "*.nasm *.s86", "a8086 nasm asm 8086", ignore_case=True, by_line=True,
        statements="global extern bits default", kept_types="Name.Function", multiline="",
    ),
    Language(
        "gas", "GNU assembly", "gas", "", "at&t att riscv risc-v", by_line=True,
        statements=".globl .global .file .ident .type .size .section", kept_types="Name.Function", multiline="",
    ),
    Language(
        "hack", "Nand2Tetris assembly", "hack", "", "nand2tetris", by_line=True, punctuation="",
        kept_types="Keyword", multiline="",
    ),
    Language("hdl", "Nand2Tetris HDL", "hdl", "*.hdl", kept_types="Name.Function Name.Attribute", multiline=""),
    Language(
        "structured-text", "Structured Text", "structured-text", "*.iecst *.scl", "iec61131 iecst",
        ignore_case=True, noise="var_input var_output var_in_out var_temp retain", multiline="",
    ),
    Language(
        "netlogo", "NetLogo", "netlogo", "*.nlogo *.nlogox *.nlogo3d *.nls", ignore_case=True, by_line=True,
        statements="extensions __includes", frame="<code><![CDATA[ ]]></code> @#$#@#$#@", multiline="",
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
    Language("rmarkdown", "Document with code", "rmarkdown", "*.rmd *.qmd", "quarto rmd", version=3, parts=True),
    Language("xml", "XML", "xml", "*.xml *.xsl *.xslt *.xsd *.svg *.wsdl *.rss *.fxml *.xaml", parts=True),
    Language("json", "JSON", "json", "*.json *.jsonc *.json5 *.geojson", parts=True),
    Language("yaml", "YAML", "yaml", "*.yaml *.yml", "yml", parts=True),
    Language(
        "css", "CSS", "css", "*.css", version=2, ignore_case=True, decorators="",
        kept_types="Name.Tag Name.Builtin Name.Decorator Keyword.Constant", kept_numbers=True, multiline="",
    ),
)  # fmt: skip
# The fields of a row, so that a package need not import this module, which imports it.
LANGUAGES += extensions.added(
    extensions.LANGUAGES, lambda fields: Language(**fields), Language.names, (*OTHERS, *LANGUAGES)
)
