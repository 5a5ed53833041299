from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Matrix:
    rows: tuple[tuple[Fraction, ...], ...]

    @classmethod
    def parse(cls, text: str) -> Matrix:
        return cls(tuple(tuple(Fraction(cell) for cell in line.split()) for line in text.strip().splitlines()))

    def __matmul__(self, other: Matrix) -> Matrix:
        columns = list(zip(*other.rows))
        return Matrix(tuple(tuple(sum(x * y for x, y in zip(row, column)) for column in columns) for row in self.rows))

    def minor(self, i: int, j: int) -> Matrix:
        return Matrix(tuple(row[:j] + row[j + 1 :] for n, row in enumerate(self.rows) if n != i))

    def det(self) -> Fraction:
        if len(self.rows) == 1:
            return self.rows[0][0]
        result = Fraction(0)
        for j, cell in enumerate(self.rows[0]):
            result += (-1) ** j * cell * self.minor(0, j).det()
        return result

    def transposed(self) -> Matrix:
        return Matrix(tuple(zip(*self.rows)))

    def inverse(self) -> Matrix:
        d = self.det()
        if not d:
            raise ZeroDivisionError("singular matrix")
        n = len(self.rows)
        cofactors = tuple(tuple((-1) ** (i + j) * self.minor(i, j).det() / d for j in range(n)) for i in range(n))
        return Matrix(cofactors).transposed()

    def __str__(self) -> str:
        return "\n".join("  ".join(str(cell).rjust(6) for cell in row) for row in self.rows)


if __name__ == "__main__":
    m = Matrix.parse("1 2 3\n0 1 4\n5 6 0")
    print(m @ m.inverse())
    print(m.det())
    print(m.transposed())
