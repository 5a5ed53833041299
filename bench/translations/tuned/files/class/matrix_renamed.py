SIZE = 4
TINY = 1e-9


def diagonal_sum(grid):
    s = 0
    for d in range(SIZE):
        s += grid[d][d]
    return s


def product(left, right):
    out = [[0] * SIZE for _ in range(SIZE)]
    for r in range(SIZE):
        for c in range(SIZE):
            s = 0
            for x in range(SIZE):
                s += left[r][x] * right[x][c]
            out[r][c] = s
    return out


def show(grid):
    for r in range(SIZE):
        for c in range(SIZE):
            print("%8.3f" % grid[r][c], end=" ")
        print()


def largest(grid, col):
    top = col
    for r in range(col + 1, SIZE):
        if abs(grid[r][col]) > abs(grid[top][col]):
            top = r
    return top


def det(grid):
    value = 1
    for col in range(SIZE):
        p = largest(grid, col)
        if -TINY < grid[p][col] < TINY:
            return 0
        if p != col:
            grid[p], grid[col] = grid[col], grid[p]
            value = -value
        value *= grid[col][col]
        for r in range(col + 1, SIZE):
            quotient = grid[r][col] / grid[col][col]
            for c in range(col, SIZE):
                grid[r][c] -= quotient * grid[col][c]
    return value


first = [[2, 0, 1, 3], [1, 4, -2, 0], [0, 5, 7, 1], [6, 1, 1, 2]]
second = [[1, 2, 0, 0], [0, 1, 3, 0], [0, 0, 1, 4], [5, 0, 0, 1]]
third = product(first, second)
print("Result:")
show(third)
print("Diagonal: %.3f" % diagonal_sum(third))
print("Det: %.3f" % det(third))
