from collections import Counter
from itertools import product
from pathlib import Path
from sys import argv

ROWS = [[(r, c) for c in range(9)] for r in range(9)]
COLS = [[(r, c) for r in range(9)] for c in range(9)]
BOXES = [[(3 * br + r, 3 * bc + c) for r, c in product(range(3), repeat=2)] for br, bc in product(range(3), repeat=2)]
UNITS = {"row": ROWS, "column": COLS, "box": BOXES}


def parse(text):
    chars = [c for c in text if c in "123456789."]
    assert len(chars) == 81, "a sudoku has 81 fields"
    return {divmod(i, 9): c for i, c in enumerate(chars)}


def problems(fields):
    for kind, units in UNITS.items():
        for i, unit in enumerate(units, 1):
            counts = Counter(fields[f] for f in unit if fields[f] != ".")
            for digit, n in counts.items():
                if n > 1:
                    yield f"{digit} is {n} times in {kind} {i}"


def possible(fields, field):
    neighbours = {f for units in UNITS.values() for unit in units if field in unit for f in unit}
    return set("123456789") - {fields[f] for f in neighbours}


def display(fields):
    for r in range(9):
        line = "".join(fields[r, c] for c in range(9))
        print(line[:3], line[3:6], line[6:])
        if r in (2, 5):
            print()


def main():
    fields = parse(Path(argv[1]).read_text())
    display(fields)
    wrong = list(problems(fields))
    if wrong:
        print(*wrong, sep="\n")
        return
    for field, value in fields.items():
        if value == ".":
            options = possible(fields, field)
            if len(options) == 1:
                print(field, "->", options.pop())


main()
