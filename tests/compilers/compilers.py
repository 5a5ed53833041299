"""Compilers and interpreters that say whether a program is one, by their own syntax.

Names that a program uses need not exist: only complaints about the syntax count.
"""

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

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
