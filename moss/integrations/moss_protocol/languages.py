"""The languages of MOSS clients, and the front-ends that read them."""

from __future__ import annotations

# Clients send these words; most are the names of our front-ends, too.
LANGUAGES = {
    "c": "c",
    "cc": "cpp",
    "java": "java",
    "ml": "ocaml",
    "pascal": "pascal",
    "ada": "ada",
    "lisp": "common-lisp",
    "scheme": "scheme",
    "haskell": "haskell",
    "fortran": "fortran",
    "ascii": "text",
    "vhdl": "vhdl",
    "perl": "perl",
    "matlab": "matlab",
    "python": "python",
    "mips": "mips",
    "prolog": "prolog",
    "spice": "text",
    "vb": "vb",
    "csharp": "csharp",
    "modula2": "modula2",
    "a8086": "x86",
    "javascript": "javascript",
    "plsql": "plsql",
    "verilog": "verilog",
}


def front_end_name(word: str) -> str | None:
    """Return the name of the front-end for the word of a client, or None where the language is not known."""
    return LANGUAGES.get(word)
