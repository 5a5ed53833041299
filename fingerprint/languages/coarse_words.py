"""Tables of the lexemes of each language that become symbols of the coarse stream."""

from __future__ import annotations

# The languages that `bench/translations` measures, and TypeScript, which is lexed like JavaScript.
COARSE_LANGUAGES = frozenset({"c", "cpp", "csharp", "go", "java", "javascript", "python", "typescript"})
# Languages without braces around blocks, with type arguments in `<>`, and with `*` and `&` in types.
COLON_BLOCKS = frozenset({"python"})
TYPE_ARGUMENTS = frozenset({"cpp", "csharp", "java", "typescript"})
POINTERS = frozenset({"c", "cpp", "go"})


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
FOR = frozenset({"for", "foreach"})
DEFINERS = frozenset({"def", "function", "func"})
# Between the parameters of a function and its body.
AFTER_PARAMETERS = frozenset({"{", "throws", "const", "override", "noexcept", ":", "=>"})
# Words before a name with parentheses that make it a call and no definition.
BEFORE_CALLS = frozenset({"new", "return", ".", "->", "=", "else", "await", "throw", "case", "not"})
SELF = frozenset({"self", "cls", "this"})

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
# Printing methods with names that are usual for others too, and the name before their dot.
PRINTERS = frozenset({("console", "log"), ("console", "error"), ("console", "write"), ("console", "table")})
PRINTED = frozenset({"cout", "cerr"})
# Attributes that are written without a call in some languages.
LENGTHS = frozenset({"length", "size", "count"})
NULLS = frozenset({"none", "nil", "null", "nullptr", "undefined"})

# Numbers of every program, by value.
STOP_NUMBERS = frozenset({"0.0", "1.0", "2.0", "10.0", "100.0"})
