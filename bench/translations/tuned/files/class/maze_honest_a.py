"""Recursive maze search (depth first, with backtracking)."""
import sys

sys.setrecursionlimit(5000)


def read_maze(path):
    with open(path) as file:
        return [list(line.rstrip("\n")) for line in file]


def find(maze, letter):
    for y, line in enumerate(maze):
        if letter in line:
            return line.index(letter), y
    return None


def walk(maze, x, y, visited):
    """Return the list of fields to the exit or None."""
    if not (0 <= y < len(maze) and 0 <= x < len(maze[y])):
        return None
    if maze[y][x] == "X" or (x, y) in visited:
        return None
    visited.add((x, y))
    if maze[y][x] == "E":
        return [(x, y)]
    for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        rest = walk(maze, x + dx, y + dy, visited)
        if rest is not None:
            return [(x, y)] + rest
    return None


def render(maze, way):
    fields = set(way or [])
    for y, line in enumerate(maze):
        print("".join("o" if (x, y) in fields and ch == " " else ch for x, ch in enumerate(line)))


def main():
    if len(sys.argv) < 2:
        sys.exit("Please give a file with a maze")
    maze = read_maze(sys.argv[1])
    entrance = find(maze, "A")
    if entrance is None:
        sys.exit("There is no entrance A")
    way = walk(maze, *entrance, set())
    if way is None:
        print("This maze cannot be solved.")
    else:
        render(maze, way)
        print(len(way) - 1, "moves")


if __name__ == "__main__":
    main()
