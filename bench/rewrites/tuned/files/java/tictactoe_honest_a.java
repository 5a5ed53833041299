import java.util.Scanner;

public class Game {
    static int[] field = new int[9];
    static String signs = ".XO";

    static int winner() {
        int[][] triples = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}};
        for (int[] t : triples) {
            if (field[t[0]] != 0 && field[t[0]] == field[t[1]] && field[t[1]] == field[t[2]]) {
                return field[t[0]];
            }
        }
        for (int f : field) {
            if (f == 0) return 0;
        }
        return 3;
    }

    // negamax: best result for `player`, who moves next
    static int value(int player) {
        int w = winner();
        if (w == 3) return 0;
        if (w != 0) return w == player ? 1 : -1;
        int best = -2;
        for (int i = 0; i < 9; i++) {
            if (field[i] == 0) {
                field[i] = player;
                best = Math.max(best, -value(3 - player));
                field[i] = 0;
            }
        }
        return best;
    }

    static int bestMove() {
        int move = -1, best = -2;
        for (int i = 0; i < 9; i++) {
            if (field[i] != 0) continue;
            field[i] = 2;
            int v = -value(1);
            field[i] = 0;
            if (v > best) {
                best = v;
                move = i;
            }
        }
        return move;
    }

    static void show() {
        for (int i = 0; i < 9; i++) {
            System.out.print(signs.charAt(field[i]) + (i % 3 == 2 ? "\n" : ""));
        }
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        show();
        while (winner() == 0) {
            System.out.println("field 0-8?");
            int i = in.nextInt();
            if (i < 0 || i > 8 || field[i] != 0) continue;
            field[i] = 1;
            if (winner() == 0) field[bestMove()] = 2;
            show();
        }
        System.out.println(new String[] {"", "you won", "you lost", "draw"}[winner()]);
    }
}
