"""Check and display a sudoku, list the possible digits of a field."""

import sys

SIZE = 9
BOX = 3


def read_grid(path):
    grid = []
    with open(path) as file:
        for line in file:
            line = line.strip()
            if not line:
                continue
            row = []
            for char in line:
                if char == ".":
                    row.append(0)
                elif char.isdigit():
                    row.append(int(char))
            if len(row) != SIZE:
                raise ValueError("row with %d fields" % len(row))
            grid.append(row)
    if len(grid) != SIZE:
        raise ValueError("%d rows" % len(grid))
    return grid


def has_duplicates(values):
    seen = []
    for value in values:
        if value == 0:
            continue
        if value in seen:
            return True
        seen.append(value)
    return False


def column(grid, x):
    return [grid[y][x] for y in range(SIZE)]


def box(grid, x, y):
    left = x // BOX * BOX
    top = y // BOX * BOX
    values = []
    for row in range(top, top + BOX):
        for col in range(left, left + BOX):
            values.append(grid[row][col])
    return values


def find_errors(grid):
    errors = []
    for i in range(SIZE):
        if has_duplicates(grid[i]):
            errors.append("row %d" % (i + 1))
        if has_duplicates(column(grid, i)):
            errors.append("column %d" % (i + 1))
        if has_duplicates(box(grid, i % BOX * BOX, i // BOX * BOX)):
            errors.append("box %d" % (i + 1))
    return errors


def candidates(grid, x, y):
    if grid[y][x] != 0:
        return []
    used = set(grid[y]) | set(column(grid, x)) | set(box(grid, x, y))
    return [digit for digit in range(1, 10) if digit not in used]


def show(grid):
    for y in range(SIZE):
        if y % BOX == 0:
            print("+-------+-------+-------+")
        text = ""
        for x in range(SIZE):
            if x % BOX == 0:
                text += "| "
            text += (str(grid[y][x]) if grid[y][x] else ".") + " "
        print(text + "|")
    print("+-------+-------+-------+")


grid = read_grid(sys.argv[1])
show(grid)
errors = find_errors(grid)
if errors:
    print("Errors in:", ", ".join(errors))
else:
    for y in range(SIZE):
        for x in range(SIZE):
            options = candidates(grid, x, y)
            if len(options) == 1:
                print("Field", x + 1, y + 1, "must be", options[0])
