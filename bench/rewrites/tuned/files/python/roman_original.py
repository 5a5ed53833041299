"""Roman numerals: convert both ways, check, and add."""

SYMBOLS = [
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
    (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
]


def to_roman(number):
    if number <= 0 or number >= 4000:
        raise ValueError("number must be between 1 and 3999")
    text = ""
    for value, symbol in SYMBOLS:
        while number >= value:
            text += symbol
            number -= value
    return text


def from_roman(text):
    text = text.upper()
    index = 0
    number = 0
    for value, symbol in SYMBOLS:
        while text[index:index + len(symbol)] == symbol:
            number += value
            index += len(symbol)
    if index != len(text) or number == 0:
        raise ValueError("not a roman numeral: " + text)
    if to_roman(number) != text:
        raise ValueError("not in standard form: " + text)
    return number


def add(first, second):
    total = from_roman(first) + from_roman(second)
    if total >= 4000:
        return None
    return to_roman(total)


def menu():
    print("1. number to roman")
    print("2. roman to number")
    print("3. add two roman numerals")
    print("0. quit")
    return input("Choice: ")


def main():
    choice = menu()
    while choice != "0":
        try:
            if choice == "1":
                number = int(input("Number: "))
                print("Result:", to_roman(number))
            elif choice == "2":
                text = input("Roman: ")
                print("Result:", from_roman(text))
            elif choice == "3":
                first = input("First: ")
                second = input("Second: ")
                total = add(first, second)
                if total is None:
                    print("The sum is too large")
                else:
                    print("Result:", total)
            else:
                print("Unknown choice")
        except ValueError as error:
            print("Error:", error)
        choice = menu()


main()
