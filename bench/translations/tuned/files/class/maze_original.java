import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

public class MazeSolver {
    static final char WALL = '#';
    static final char PATH = '.';
    static final int[][] DIRECTIONS = {{-1, 0}, {0, 1}, {1, 0}, {0, -1}};

    private final char[][] grid;
    private final int height;
    private final int width;
    private int[][] distance;

    MazeSolver(String[] lines) {
        height = lines.length;
        width = lines[0].length();
        grid = new char[height][];
        for (int row = 0; row < height; row++) {
            grid[row] = lines[row].toCharArray();
        }
    }

    int[] locate(char wanted) {
        for (int row = 0; row < height; row++) {
            for (int col = 0; col < width; col++) {
                if (grid[row][col] == wanted) {
                    return new int[] {row, col};
                }
            }
        }
        throw new IllegalStateException("The maze has no " + wanted);
    }

    boolean isFree(int row, int col) {
        return row >= 0 && row < height && col >= 0 && col < width && grid[row][col] != WALL;
    }

    /** Breadth first search from the start. */
    int solve() {
        distance = new int[height][width];
        for (int[] line : distance) {
            Arrays.fill(line, -1);
        }
        int[] start = locate('S');
        int[] goal = locate('G');
        Deque<int[]> queue = new ArrayDeque<>();
        queue.add(start);
        distance[start[0]][start[1]] = 0;
        while (!queue.isEmpty()) {
            int[] cell = queue.poll();
            if (cell[0] == goal[0] && cell[1] == goal[1]) {
                markPath(goal);
                return distance[cell[0]][cell[1]];
            }
            for (int[] step : DIRECTIONS) {
                int row = cell[0] + step[0];
                int col = cell[1] + step[1];
                if (isFree(row, col) && distance[row][col] < 0) {
                    distance[row][col] = distance[cell[0]][cell[1]] + 1;
                    queue.add(new int[] {row, col});
                }
            }
        }
        return -1;
    }

    private void markPath(int[] goal) {
        int row = goal[0];
        int col = goal[1];
        while (distance[row][col] > 1) {
            for (int[] step : DIRECTIONS) {
                int r = row + step[0];
                int c = col + step[1];
                if (isFree(r, c) && distance[r][c] == distance[row][col] - 1) {
                    row = r;
                    col = c;
                    break;
                }
            }
            grid[row][col] = PATH;
        }
    }

    public static void main(String[] args) {
        String[] lines = {"#########", "#S  #   #", "# # # # #", "# #   #G#", "#########"};
        MazeSolver solver = new MazeSolver(lines);
        int steps = solver.solve();
        if (steps < 0) {
            System.out.println("No way out");
        } else {
            System.out.println("Shortest way: " + steps + " steps");
            for (char[] line : solver.grid) {
                System.out.println(new String(line));
            }
        }
    }
}
