"""One row of the table of languages."""

from __future__ import annotations

from dataclasses import dataclass, field


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
    ignore_case : words mean the same in upper and lower case
    by_line : a statement ends with its line unless a bracket is open; otherwise it ends at `;`
    punctuation : punctuation of calls and lists, which is dropped; with `by_line`, `;` is dropped
        too. Punctuation of blocks, statements and indexing is compared.
    noise : keywords that are dropped since they are not compared
    statements : first words of statements that are dropped whole, such as imports
    decorators : lexemes or Pygments token types that are dropped with the arguments in parentheses after them
    type_words : words that the lexer returns as keywords and that are used like types
    keywords : words that keep their lexeme though the lexer returns them as names
    soft_words : words that the lexer returns as keywords though they may name a variable; they count as names
    only_keywords : no words but `keywords` keep their lexeme, even if the lexer returns them as keywords
    kept_types : Pygments token types of names that keep their lexeme, such as `Name.Tag`
    kept_numbers : numbers keep their lexeme, as they are what people chose
    parts : what people wrote is read in parts, each in its language; the rest is the frame, without tokens
    multiline : how the literals begin that may cross lines, prefixes of letters apart, or their Pygments
        token types; any other literal ends with its line. None when every literal may cross lines.
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
    decorators: str = "Name.Decorator"
    type_words: str = ""
    keywords: str = ""
    soft_words: str = ""
    only_keywords: bool = False
    kept_types: str = ""
    kept_numbers: bool = False
    parts: bool = False
    multiline: str | None = None
    preprocessor: bool = False
    synonyms: dict[str, str] = field(default_factory=dict)

    @property
    def salt(self) -> str:
        """Family of the language's kind ids (see `kind_id`)."""
        return self.family or self.name
