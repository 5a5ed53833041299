"""Interactive converter for the numeral system of ancient Rome."""

VALUES = (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1)
LETTERS = ("M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I")


def decode(numeral):
    numeral = numeral.upper()
    position, amount = 0, 0
    for step, letters in zip(VALUES, LETTERS):
        while numeral.startswith(letters, position):
            position = position + len(letters)
            amount = amount + step
    if not amount or position < len(numeral):
        raise ValueError(f"{numeral} cannot be read as a numeral")
    if numeral != encode(amount):
        raise ValueError(f"{numeral} is not canonical")
    return amount


def encode(amount):
    if not 0 < amount < 4000:
        raise ValueError("only 1 to 3999 can be written")
    pieces = []
    for step, letters in zip(VALUES, LETTERS):
        times, amount = divmod(amount, step)
        pieces.append(letters * times)
    return "".join(pieces)


def ask():
    for line in ("1) encode an integer", "2) decode a numeral", "3) sum of two numerals", "0) leave"):
        print(line)
    return input("> ")


def handle(option):
    if option == "1":
        print("=", encode(int(input("Integer: "))))
    elif option == "2":
        print("=", decode(input("Numeral: ")))
    elif option == "3":
        left, right = input("Left: "), input("Right: ")
        both = decode(left) + decode(right)
        print("=", encode(both) if both < 4000 else "out of range")
    else:
        print("No such option")


def start():
    while True:
        option = ask()
        if option == "0":
            break
        try:
            handle(option)
        except ValueError as problem:
            print("Problem:", problem)


start()
