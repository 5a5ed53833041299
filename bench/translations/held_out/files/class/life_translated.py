ROWS = 12
COLUMNS = 20
GENERATIONS = 25

world = []


def clear_world():
    global world
    world = [[0] * COLUMNS for _ in range(ROWS)]


def place_pattern(pattern, top, left):
    r = top
    c = left
    for ch in pattern:
        if ch == "/":
            r += 1
            c = left
        else:
            if ch == "O":
                world[r][c] = 1
            c += 1


def count_neighbours(row, column):
    count = 0
    for dr in range(-1, 2):
        for dc in range(-1, 2):
            if dr != 0 or dc != 0:
                count += world[(row + dr) % ROWS][(column + dc) % COLUMNS]
    return count


def step():
    global world
    changes = 0
    next_world = [[0] * COLUMNS for _ in range(ROWS)]
    for r in range(ROWS):
        for c in range(COLUMNS):
            neighbours = count_neighbours(r, c)
            if world[r][c]:
                next_world[r][c] = 1 if neighbours in (2, 3) else 0
            else:
                next_world[r][c] = 1 if neighbours == 3 else 0
            if next_world[r][c] != world[r][c]:
                changes += 1
    world = next_world
    return changes


def population():
    alive = 0
    for r in range(ROWS):
        for c in range(COLUMNS):
            alive += world[r][c]
    return alive


clear_world()
place_pattern(".O./..O/OOO", 1, 1)
place_pattern("OOO", 7, 12)
for generation in range(1, GENERATIONS + 1):
    changes = step()
    print(f"Generation {generation}: {population()} alive, {changes} changes")
    if changes == 0:
        print("Stable")
        break
