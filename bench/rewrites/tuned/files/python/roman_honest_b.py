class Roman:
    letters = "IVXLCDM"
    worth = [1, 5, 10, 50, 100, 500, 1000]

    def __init__(self, value):
        if isinstance(value, str):
            self.number = Roman.parse(value)
        else:
            self.number = value
        if self.number < 1 or self.number > 3999:
            raise ValueError("range")

    @classmethod
    def parse(cls, text):
        values = []
        for c in text:
            i = cls.letters.find(c)
            if i == -1:
                raise ValueError("letter " + c)
            values.append(cls.worth[i])
        result = 0
        for i in range(len(values)):
            if i + 1 < len(values) and values[i] < values[i + 1]:
                result = result - values[i]
            else:
                result = result + values[i]
        if str(cls(result)) != text:
            raise ValueError("form")
        return result

    def __str__(self):
        result = ""
        rest = self.number
        level = 0
        while rest > 0:
            d = rest % 10
            one = self.letters[level]
            if d == 9:
                part = one + self.letters[level + 2]
            elif d >= 5:
                part = self.letters[level + 1] + one * (d - 5)
            elif d == 4:
                part = one + self.letters[level + 1]
            else:
                part = one * d
            result = part + result
            rest //= 10
            level += 2
        return result

    def __add__(self, other):
        return Roman(self.number + other.number)


def program():
    line = input("Enter e.g. 12, XII or XII + IV (empty: end): ").strip()
    while line:
        words = line.split("+")
        try:
            if line.isdigit():
                print(Roman(int(line)))
            elif len(words) == 2:
                print(Roman(words[0].strip()) + Roman(words[1].strip()))
            else:
                print(Roman(line).number)
        except ValueError as e:
            print("invalid", e)
        line = input("Next: ").strip()


if __name__ == "__main__":
    program()
