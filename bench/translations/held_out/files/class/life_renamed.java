public class Cells {
    private static final int H = 12;
    private static final int W = 20;
    private int[][] board = new int[H][W];

    private int living() {
        int n = 0;
        for (int y = 0; y < H; y++) {
            for (int x = 0; x < W; x++) {
                n += board[y][x];
            }
        }
        return n;
    }

    private int around(int y, int x) {
        int n = 0;
        for (int i = -1; i <= 1; i++) {
            for (int j = -1; j <= 1; j++) {
                if (i != 0 || j != 0) {
                    n += board[(y + i + H) % H][(x + j + W) % W];
                }
            }
        }
        return n;
    }

    private void stamp(String shape, int y0, int x0) {
        int y = y0;
        int x = x0;
        for (char ch : shape.toCharArray()) {
            if (ch == '/') {
                y++;
                x = x0;
            } else {
                if (ch == 'O') {
                    board[y][x] = 1;
                }
                x++;
            }
        }
    }

    private int advance() {
        int flips = 0;
        int[][] fresh = new int[H][W];
        for (int y = 0; y < H; y++) {
            for (int x = 0; x < W; x++) {
                int n = around(y, x);
                if (board[y][x] == 1) {
                    fresh[y][x] = n == 2 || n == 3 ? 1 : 0;
                } else {
                    fresh[y][x] = n == 3 ? 1 : 0;
                }
                if (fresh[y][x] != board[y][x]) {
                    flips++;
                }
            }
        }
        board = fresh;
        return flips;
    }

    public static void main(String[] args) {
        Cells cells = new Cells();
        cells.stamp(".O./..O/OOO", 1, 1);
        cells.stamp("OOO", 7, 12);
        for (int t = 1; t <= 25; t++) {
            int flips = cells.advance();
            System.out.println("t=" + t + " living=" + cells.living() + " flips=" + flips);
            if (flips == 0) {
                System.out.println("Nothing moves any more");
                break;
            }
        }
    }
}
