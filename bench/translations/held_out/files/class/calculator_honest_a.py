"""Calculator: shunting-yard to reverse Polish notation, then a stack."""
import operator
import re
import sys

OPERATORS = {
    "+": (1, operator.add),
    "-": (1, operator.sub),
    "*": (2, operator.mul),
    "/": (2, operator.truediv),
    "^": (3, operator.pow),
}
LEXEME = re.compile(r"\s*(\d+(?:\.\d*)?|[-+*/^()])")


def lex(text):
    offset = 0
    while offset < len(text.rstrip()):
        match = LEXEME.match(text, offset)
        if not match:
            raise SyntaxError(f"bad character at column {offset + 1}")
        yield match.group(1)
        offset = match.end()


def to_postfix(lexemes):
    output, stack = [], []
    for lexeme in lexemes:
        if lexeme in OPERATORS:
            precedence = OPERATORS[lexeme][0]
            while stack and stack[-1] != "(" and OPERATORS[stack[-1]][0] >= precedence:
                output.append(stack.pop())
            stack.append(lexeme)
        elif lexeme == "(":
            stack.append(lexeme)
        elif lexeme == ")":
            while stack[-1] != "(":
                output.append(stack.pop())
            stack.pop()
        else:
            output.append(float(lexeme))
    return output + stack[::-1]


def calculate(postfix):
    stack = []
    for entry in postfix:
        if isinstance(entry, float):
            stack.append(entry)
        else:
            right, left = stack.pop(), stack.pop()
            stack.append(OPERATORS[entry][1](left, right))
    (result,) = stack
    return result


def main():
    for line in sys.stdin:
        if line.strip() == "quit":
            break
        try:
            print(calculate(to_postfix(lex(line))))
        except (SyntaxError, IndexError, ValueError, ZeroDivisionError) as error:
            print("error:", error, file=sys.stderr)


main()
