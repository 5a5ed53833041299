"""Matrices for exercise 6; the functions have the names of the sheet."""
N = 4
EPSILON = 1e-9


def multiply(a, b):
    transposed = list(zip(*b))
    return [[sum(x * y for x, y in zip(row, column)) for column in transposed] for row in a]


def trace(m):
    return sum(row[i] for i, row in enumerate(m))


def determinant(m):
    """Bareiss algorithm without pivoting on the largest element."""
    m = [row[:] for row in m]
    sign, previous = 1, 1
    for k in range(len(m) - 1):
        if abs(m[k][k]) < EPSILON:
            swap = next((r for r in range(k + 1, len(m)) if abs(m[r][k]) >= EPSILON), None)
            if swap is None:
                return 0
            m[k], m[swap], sign = m[swap], m[k], -sign
        for i in range(k + 1, len(m)):
            for j in range(k + 1, len(m)):
                m[i][j] = (m[i][j] * m[k][k] - m[i][k] * m[k][j]) / previous
        previous = m[k][k]
    return sign * m[-1][-1]


def print_matrix(m):
    width = max(len(f"{cell:.3f}") for row in m for cell in row)
    print("\n".join(" ".join(f"{cell:{width}.3f}" for cell in row) for row in m))


def main():
    a = [[2, 0, 1, 3], [1, 4, -2, 0], [0, 5, 7, 1], [6, 1, 1, 2]]
    b = [[1, 2, 0, 0], [0, 1, 3, 0], [0, 0, 1, 4], [5, 0, 0, 1]]
    c = multiply(a, b)
    print("Product")
    print_matrix(c)
    print(f"Trace {trace(c):.3f}")
    print(f"Determinant {determinant(c):.3f}")


if __name__ == "__main__":
    main()
