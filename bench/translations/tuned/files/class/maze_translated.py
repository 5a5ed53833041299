from collections import deque

WALL = "#"
PATH = "."
DIRECTIONS = [(-1, 0), (0, 1), (1, 0), (0, -1)]


class MazeSolver:
    def __init__(self, lines):
        self.height = len(lines)
        self.width = len(lines[0])
        self.grid = [list(line) for line in lines]
        self.distance = None

    def locate(self, wanted):
        for row in range(self.height):
            for col in range(self.width):
                if self.grid[row][col] == wanted:
                    return row, col
        raise ValueError("The maze has no " + wanted)

    def is_free(self, row, col):
        return 0 <= row < self.height and 0 <= col < self.width and self.grid[row][col] != WALL

    def solve(self):
        self.distance = [[-1] * self.width for _ in range(self.height)]
        start = self.locate("S")
        goal = self.locate("G")
        queue = deque()
        queue.append(start)
        self.distance[start[0]][start[1]] = 0
        while queue:
            cell = queue.popleft()
            if cell == goal:
                self.mark_path(goal)
                return self.distance[cell[0]][cell[1]]
            for step in DIRECTIONS:
                row = cell[0] + step[0]
                col = cell[1] + step[1]
                if self.is_free(row, col) and self.distance[row][col] < 0:
                    self.distance[row][col] = self.distance[cell[0]][cell[1]] + 1
                    queue.append((row, col))
        return -1

    def mark_path(self, goal):
        row, col = goal
        while self.distance[row][col] > 1:
            for step in DIRECTIONS:
                r = row + step[0]
                c = col + step[1]
                if self.is_free(r, c) and self.distance[r][c] == self.distance[row][col] - 1:
                    row = r
                    col = c
                    break
            self.grid[row][col] = PATH


lines = ["#########", "#S  #   #", "# # # # #", "# #   #G#", "#########"]
solver = MazeSolver(lines)
steps = solver.solve()
if steps < 0:
    print("No way out")
else:
    print(f"Shortest way: {steps} steps")
    for line in solver.grid:
        print("".join(line))
