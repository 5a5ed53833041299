import re

DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
VALID = re.compile(r"M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})")


def is_valid(s):
    return bool(s) and VALID.fullmatch(s) is not None


def roman_to_int(s):
    total = 0
    previous = 0
    for letter in reversed(s):
        current = DIGITS[letter]
        if current < previous:
            total -= current
        else:
            total += current
            previous = current
    return total


def place(digit, one, five, ten):
    return ["", one, one * 2, one * 3, one + five, five, five + one, five + one * 2, five + one * 3, one + ten][digit]


def int_to_roman(n):
    return "M" * (n // 1000) + place(n // 100 % 10, "C", "D", "M") + place(n // 10 % 10, "X", "L", "C") + place(n % 10, "I", "V", "X")


def read_numeral(prompt):
    while True:
        s = input(prompt).strip().upper()
        if is_valid(s):
            return roman_to_int(s)
        print("That is no valid numeral, try again.")


def read_number():
    while True:
        s = input("Which number? ")
        if s.isdigit() and 1 <= int(s) <= 3999:
            return int(s)
        print("Between 1 and 3999, please.")


ACTIONS = {
    "r": lambda: print(int_to_roman(read_number())),
    "n": lambda: print(read_numeral("Numeral? ")),
    "a": lambda: print_sum(read_numeral("Numeral? "), read_numeral("And? ")),
}


def print_sum(a, b):
    print(int_to_roman(a + b) if a + b < 4000 else "too big")


while (key := input("[r]oman, [n]umber, [a]dd, [q]uit: ")) != "q":
    ACTIONS.get(key, lambda: print("?"))()
