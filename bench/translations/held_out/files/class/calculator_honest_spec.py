"""Calculator of sheet 11, with the errors of the sheet."""
import re


class Calculator:
    LEVELS = [{"+": lambda a, b: a + b, "-": lambda a, b: a - b}, {"*": lambda a, b: a * b, "/": None}]

    def __init__(self, **variables):
        self.variables = variables

    def tokenize(self, text):
        return re.findall(r"\d+\.?\d*|[a-z]+|\S", text) + ["END"]

    def evaluate(self, text):
        value, rest = self.level(0, self.tokenize(text))
        if rest[0] != "END":
            raise RuntimeError("Unexpected " + rest[0])
        return value

    def level(self, depth, tokens):
        if depth == len(self.LEVELS):
            return self.factor(tokens)
        left, tokens = self.level(depth + 1, tokens)
        while tokens[0] in self.LEVELS[depth]:
            symbol, tokens = tokens[0], tokens[1:]
            right, tokens = self.level(depth + 1, tokens)
            left = self.apply(symbol, self.LEVELS[depth][symbol], left, right)
        return left, tokens

    @staticmethod
    def apply(symbol, function, left, right):
        if symbol != "/":
            return function(left, right)
        try:
            return left / right
        except ZeroDivisionError:
            raise RuntimeError("Division by zero") from None

    def factor(self, tokens):
        head, *rest = tokens
        if head == "-":
            value, rest = self.factor(rest)
            return -value, rest
        if head == "(":
            value, rest = self.level(0, rest)
            if rest.pop(0) != ")":
                raise RuntimeError("Closing parenthesis expected")
            return value, rest
        if head[0].isdigit():
            return float(head), rest
        if head in self.variables:
            return self.variables[head], rest
        raise RuntimeError("Unknown variable " + head)


def main():
    calculator = Calculator(pi=3.14159, answer=42.0)
    for text in ("1 + 2 * 3", "(1 + 2) * -3", "2 * pi * 6371", "answer / (7 - 7)", "4 +"):
        try:
            result = calculator.evaluate(text)
        except RuntimeError as error:
            result = error
        print(text, "=", result)


main()
