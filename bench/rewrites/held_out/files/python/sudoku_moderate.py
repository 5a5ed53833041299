"""Validate a number puzzle of nine by nine cells and hint at forced cells."""

import sys

N = 9
BLOCK = 3
RULER = "+-------+-------+-------+"


def block_of(board, r, c):
    r0, c0 = r - r % BLOCK, c - c % BLOCK
    return [board[i][j] for i in range(r0, r0 + BLOCK) for j in range(c0, c0 + BLOCK)]


def file_of(board, c):
    cells = []
    for line in board:
        cells.append(line[c])
    return cells


def repeats(cells):
    filled = [cell for cell in cells if cell]
    return len(filled) > len(set(filled))


def load_board(name):
    board = []
    for text in open(name).read().splitlines():
        text = text.strip()
        if text:
            cells = [0 if sign == "." else int(sign) for sign in text if sign == "." or sign.isdigit()]
            if len(cells) != N:
                raise ValueError(f"a line has {len(cells)} cells")
            board.append(cells)
    if len(board) != N:
        raise ValueError(f"there are {len(board)} lines")
    return board


def draw(board):
    for r, line in enumerate(board):
        if not r % BLOCK:
            print(RULER)
        groups = []
        for c in range(0, N, BLOCK):
            groups.append(" ".join(str(cell) if cell else "." for cell in line[c:c + BLOCK]))
        print("| " + " | ".join(groups) + " |")
    print(RULER)


def choices(board, r, c):
    if board[r][c]:
        return []
    taken = set(block_of(board, r, c) + file_of(board, c) + board[r])
    return [n for n in range(1, 10) if n not in taken]


def conflicts(board):
    places = []
    for k in range(N):
        if repeats(block_of(board, k // BLOCK * BLOCK, k % BLOCK * BLOCK)):
            places.append(f"block {k + 1}")
        if repeats(file_of(board, k)):
            places.append(f"file {k + 1}")
        if repeats(board[k]):
            places.append(f"line {k + 1}")
    return places


def main():
    board = load_board(sys.argv[1])
    draw(board)
    places = conflicts(board)
    if places:
        print("Conflicts:", ", ".join(places))
        return
    for r in range(N):
        for c in range(N):
            left = choices(board, r, c)
            if len(left) == 1:
                print(f"Only {left[0]} fits at {c + 1}/{r + 1}")


main()
