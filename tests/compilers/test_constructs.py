"""The language's own compiler takes the constructs of `conformance/`, and refuses what never ends."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.fingerprint.languages.construct_tables import SECTIONS, TABLES, statement_of, table
from tests.support.processes import completed

SECONDS = 60


class Compiler(NamedTuple):
    """The compiler of one language, as a command that checks a program.

    `command` gets the path of the file, which has this `suffix`. `begin` and `end` stand around the program,
    and `inside` around a construct that is no declaration. `complaint` is what messages have where the syntax
    is wrong; if it is empty, any failure counts.
    """

    command: tuple[str, ...]
    suffix: str
    begin: str = ""
    end: str = ""
    inside: tuple[str, str] = ("", "")
    complaint: str = ""

    def complaints(self, before: str, construct: str, after: str, folder: Path) -> str:
        """Return what is said against a program with a construct, as it is or `inside`; empty if nothing."""
        for begin, end in {("", ""), self.inside}:
            said = self._complaints(f"{before}{begin}{construct}{end}{after}", folder)
            if not said:
                break
        return said

    def _complaints(self, program: str, folder: Path) -> str:
        path = folder / f"Program{self.suffix}"
        path.write_text(self.begin + program + self.end, encoding="utf-8")
        process = completed([*self.command, str(path)], cwd=folder, timeout=SECONDS, stdin=subprocess.DEVNULL)
        said = process.stdout + process.stderr
        if not self.complaint:
            return said.strip() or f"exit status {process.returncode}" if process.returncode else ""
        return "\n".join(line for line in said.splitlines() if re.search(self.complaint, line))


_RACKET = """
(parameterize ([read-accept-reader #t])
  (call-with-input-file (vector-ref (current-command-line-arguments) 0)
    (lambda (in) (let loop () (unless (eof-object? (read in)) (loop))))))
"""
_LISP = """
(with-open-file (in (second sb-ext:*posix-argv*))
  (handler-bind ((sb-int:simple-reader-package-error
                  (lambda (e) (declare (ignore e)) (invoke-restart 'continue))))
    (loop until (eq in (read in nil in)))))
"""
_TCL = Path(__file__).parent / "complete.tcl"
_GCC = (
    r"error: (?:expected|stray|unterminated|missing|empty|unknown type name|extra)"
    r"|unterminated|missing terminating .* \[?error"
)
_GFORTRAN = r"Syntax error|Unclassifiable|Unterminated|Invalid character|Unexpected"
_JAVA = r"error: .*(?:expected|illegal|unclosed|not a statement|reached end|premature|empty char)"
_LISP_COMMAND = ("sbcl", "--noinform", "--non-interactive", "--eval", _LISP, "--end-toplevel-options")

COMPILERS = {
    "bash": Compiler(("bash", "-n"), ".sh"),
    "c": Compiler(("gcc", "-fsyntax-only", "-w"), ".c", inside=("void f(void) {\n", "}\n"), complaint=_GCC),
    "common-lisp": Compiler(_LISP_COMMAND, ".lisp"),
    "cpp": Compiler(
        ("g++", "-std=c++20", "-fsyntax-only", "-w"), ".cpp", inside=("void f() {\n", "}\n"), complaint=_GCC
    ),
    "fortran": Compiler(
        ("gfortran", "-fsyntax-only"),
        ".f90",
        inside=("subroutine f\n", "end subroutine\n"),
        complaint=_GFORTRAN,
    ),
    "fortran-fixed": Compiler(
        ("gfortran", "-fsyntax-only"),
        ".f",
        inside=("      SUBROUTINE F\n", "      END\n"),
        complaint=_GFORTRAN,
    ),
    "go": Compiler(("gofmt", "-e"), ".go", "package p\n", inside=("func f() {\n", "}\n")),
    "haskell": Compiler(
        ("ghc", "-fno-code", "-v0", "-XQuasiQuotes", "-XMagicHash", "-XTemplateHaskell"),
        ".hs",
        complaint=r"parse error|lexical error|unterminated",
    ),
    "java": Compiler(
        ("javac", "-proc:none"),
        ".java",
        "class Program {\n",
        "}\n",
        inside=("void f() {\n", "}\n"),
        complaint=_JAVA,
    ),
    "javascript": Compiler(("node", "--check"), ".js", inside=("switch (0) {\n", "}\n")),
    "ocaml": Compiler(("ocamlc", "-stop-after", "parsing"), ".ml", complaint="Error"),
    "pascal": Compiler(
        ("fpc", "-s", "-l-", "-Rintel"),
        ".pas",
        inside=("procedure f;\nbegin\n", "end;\n"),
        complaint=r"Syntax error|Illegal char|exceeds line|Unexpected end",
    ),
    "perl": Compiler(("perl", "-c"), ".pl", complaint=r"syntax error|Can't find|Unmatched|Unterminated|not terminated"),
    "php": Compiler(("php", "-l"), ".php"),
    "prolog": Compiler(("swipl", "-g", "halt", "-t", "halt", "-l"), ".pl", complaint=r"Syntax error|End of file in"),
    "python": Compiler(("python3", "-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())"), ".py"),
    "ruby": Compiler(("ruby", "-c"), ".rb", inside=("case levels\n", "end\n")),
    "scheme": Compiler(("racket", "-e", _RACKET), ".rkt"),
    "tcl": Compiler(("tclsh", str(_TCL)), ".tcl"),
}


pytestmark = pytest.mark.long

# Expressions of constructs that the compiler judges otherwise, and why.
NEWER, MACRO = "a newer version of the language has it", "only its use is an error"
OTHERWISE = {
    "javascript": {r"</|/>": "JSX is compiled first", r"#!": "only at the beginning of a file"},
    "haskell": {
        r'^"""': NEWER,
        r"\[a\|b": "the extension of another construct reads it as a quotation",
        r"^import": "imports come first",
    },
    "pascal": {r"^'''\n": NEWER},
    "c": {r"#define PLACE \"never": MACRO},
    "cpp": {r"#define PLACE \"never": MACRO},
    "tcl": {r"set place \"never": "a quote in the next function ends it"},
}


def is_judged_otherwise(language: str, construct: str) -> bool:
    return any(re.search(expression, construct) for expression in OTHERWISE.get(language, ()))


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("language", COMPILERS)
def test_the_compiler_agrees_that_a_construct_is_one(language: str, section: str, tmp_path: Path) -> None:
    compiler, of = COMPILERS[language], table(TABLES / f"{language}.txt")
    if not shutil.which(compiler.command[0]):
        pytest.skip(f"{compiler.command[0]} is not installed")
    assert not compiler.complaints(of.head + of.first, "", of.second, tmp_path)
    wrong = {}
    for construct in of.constructs[section]:
        statement = statement_of(of, section, construct)
        said = compiler.complaints(of.head + of.first, statement, of.second, tmp_path)
        if bool(said) != (section == "unclosed") and not is_judged_otherwise(language, construct):
            wrong[construct] = said or "it is taken"
    assert wrong == {}
