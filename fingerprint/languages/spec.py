"""One row of the table of languages."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Language:
    """What a language is called, how its files are told, and what of it is folded away.

    Comments and white space vanish, names fold to one kind and literals to one a sort in every language;
    the rest is here. Lists are words separated by spaces; lexemes stand as written, in lower case where
    `fold_case`.

    lexer : Pygments alias
    files : patterns of file names, the usual one first
    aliases : other names a user may type, MOSS's among them
    family : languages that share kinds, so that a copy is found when only its extension changed
    version : rises when the row changes the tokens of any text
    fold_case : words mean the same in either case
    by_line : a statement ends with its line unless a bracket is open; else at `;`
    punctuation : marks that calls and lists are written with; they vanish, and so does `;` in a language
        that is read `by_line`; what blocks, statements and indexing are written with stays
    noise : keywords that vanish since they are no part of what is compared
    statements : first words of statements that vanish whole, such as imports
    decorators : lexemes or Pygments types that vanish with the arguments in parentheses behind them
    names : words that the lexer takes for keywords and that stand where a type stands
    keywords : words that keep their lexeme though the lexer takes them for names
    only_keywords : no other words keep theirs, though the lexer takes them for keywords
    kept : Pygments types of names that keep their lexeme, such as `Name.Tag`
    markup : text between marks folds to one token a run
    same : spellings of one thing, each folded to the other
    """

    name: str
    title: str
    lexer: str
    files: str = ""
    aliases: str = ""
    family: str = ""
    version: int = 1
    fold_case: bool = False
    by_line: bool = False
    punctuation: str = "( ) , . : :: ->"
    noise: str = ""
    statements: str = ""
    decorators: str = "Name.Decorator"
    names: str = ""
    keywords: str = ""
    only_keywords: bool = False
    kept: str = ""
    markup: bool = False
    same: dict[str, str] = field(default_factory=dict)

    @property
    def salt(self) -> str:
        return self.family or self.name
