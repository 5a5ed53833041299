import sys


class Sudoku:
    def __init__(self, lines):
        self.cells = []
        for line in lines:
            self.cells.append([c for c in line.strip()])

    def ok(self):
        for r in range(9):
            for c in range(9):
                if self.cells[r][c] != "." and not self.allowed(r, c, self.cells[r][c]):
                    print("digit", self.cells[r][c], "at row", r + 1, "column", c + 1, "is twice")
                    return False
        return True

    def allowed(self, r, c, d):
        for k in range(9):
            if k != c and self.cells[r][k] == d:
                return False
            if k != r and self.cells[k][c] == d:
                return False
            rr = 3 * (r // 3) + k // 3
            cc = 3 * (c // 3) + k % 3
            if (rr, cc) != (r, c) and self.cells[rr][cc] == d:
                return False
        return True

    def hints(self):
        result = []
        for r in range(9):
            for c in range(9):
                if self.cells[r][c] == ".":
                    fits = ""
                    for d in "123456789":
                        if self.allowed(r, c, d):
                            fits += d
                    if len(fits) == 1:
                        result.append((r + 1, c + 1, fits))
        return result

    def __str__(self):
        s = ""
        for row in self.cells:
            s += " ".join(row) + "\n"
        return s


lines = [line for line in sys.stdin if line.strip() != ""]
if len(lines) != 9 or any(len(line.strip()) != 9 for line in lines):
    sys.exit("wrong size")
sudoku = Sudoku(lines)
print(sudoku)
if sudoku.ok():
    for r, c, d in sudoku.hints():
        print(f"row {r} column {c}: {d}")
