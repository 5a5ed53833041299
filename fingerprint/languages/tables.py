"""What each tuned language is called, how its files are told, and what of it is folded away.

A new language is one entry here and a golden file (CONTRIBUTING.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field

NOTHING: frozenset[str] = frozenset()
SEPARATORS = frozenset(";,")


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Language:
    """One row of the table.

    Comments and white space vanish, names fold to one kind and literals to one a sort in every language;
    the rest is here. Lexemes are given as written, in lower case where `fold_case`.

    lexer : Pygments alias
    files : patterns of file names, the usual one first
    aliases : other names a user may type, MOSS's among them
    family : languages that share kinds, so that a copy is found when it only changed its extension
    fold_case : keywords mean the same in either case
    punctuation : marks that only separate; they vanish
    noise : words that vanish: modifiers that a copier can add or remove freely
    statements : first words of statements that vanish whole, such as imports
    by_line : such a statement ends with its line, unless a bracket is open; else at `;`
    names : words that the lexer takes for keywords and that fold like identifiers, such as types
    keywords : when given, the only words that keep their lexeme; all others are names
    kept : Pygments token types under `Name` or `Literal` that keep their lexeme, such as `Name.Tag`
    same : spellings of one thing, each folded to the other
    """

    name: str
    title: str
    lexer: str
    files: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    family: str = ""
    version: int = 1
    fold_case: bool = False
    punctuation: frozenset[str] = SEPARATORS
    noise: frozenset[str] = NOTHING
    statements: frozenset[str] = NOTHING
    by_line: bool = False
    names: frozenset[str] = NOTHING
    keywords: frozenset[str] = NOTHING
    kept: tuple[str, ...] = ()
    same: dict[str, str] = field(default_factory=dict)

    @property
    def salt(self) -> str:
        return self.family or self.name


# Front-ends with a module of their own.
OTHERS = (
    Language(
        "text", "Plain text", "", ("*.txt", "*.md", "*.rst", "*.tex"), ("ascii", "prose", "plain", "spice")
    ),
    Language("notebook", "Jupyter notebook", "", ("*.ipynb",), ("jupyter", "ipynb")),
)

LANGUAGES = (
    Language(
        "python",
        "Python",
        "python",
        ("*.py", "*.pyw", "*.pyi"),
        ("py", "python3"),
        statements=words("import from @"),
        by_line=True,
        noise=words("global nonlocal"),
    ),
    Language(
        "java",
        "Java",
        "java",
        ("*.java",),
        statements=words("import package"),
        noise=words(
            "public private protected final static abstract synchronized volatile transient native strictfp"
        ),
        names=words("var"),
    ),
)
