class Parser:
    def __init__(self):
        self.names = {}

    def run(self, line):
        self.parts = self.split(line)
        self.at = 0
        number = self.sum()
        if self.parts[self.at] != "END":
            raise SyntaxError("did not expect " + self.parts[self.at])
        return number

    def split(self, line):
        parts = []
        p = 0
        while p < len(line):
            c = line[p]
            if c == " ":
                p += 1
            elif c.isdigit():
                q = p
                while p < len(line) and (line[p].isdigit() or line[p] == "."):
                    p += 1
                parts.append(line[q:p])
            elif c.isalpha():
                q = p
                while p < len(line) and line[p].isalpha():
                    p += 1
                parts.append(line[q:p])
            else:
                parts.append(c)
                p += 1
        parts.append("END")
        return parts

    def eat(self, what):
        if self.parts[self.at] == what:
            self.at += 1
            return True
        return False

    def sum(self):
        number = self.product()
        while True:
            if self.eat("+"):
                number += self.product()
            elif self.eat("-"):
                number -= self.product()
            else:
                return number

    def product(self):
        number = self.atom()
        while True:
            if self.eat("*"):
                number *= self.atom()
            elif self.eat("/"):
                below = self.atom()
                if below == 0:
                    raise ZeroDivisionError("cannot divide by nothing")
                number /= below
            else:
                return number

    def atom(self):
        if self.eat("-"):
            return -self.atom()
        if self.eat("("):
            number = self.sum()
            if not self.eat(")"):
                raise SyntaxError("bracket is not closed")
            return number
        word = self.parts[self.at]
        self.at += 1
        if word[0].isdigit():
            return float(word)
        if word not in self.names:
            raise NameError("who is " + word)
        return self.names[word]


p = Parser()
p.names["pi"] = 3.14159
p.names["answer"] = 42.0
for line in ["1 + 2 * 3", "(1 + 2) * -3", "2 * pi * 6371", "answer / (7 - 7)", "4 +"]:
    try:
        print(line, "=", p.run(line))
    except Exception as problem:
        print(line, "->", problem)
