import java.util.Scanner;

public class ElevatorSimulator {
    static boolean[] pressed;
    static int[][] queue;
    static int current = 1;

    static void waitSecond() {
        try {
            Thread.sleep(300);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void draw() {
        for (int f = pressed.length - 1; f >= 1; f--) {
            int people = 0;
            for (int target = 1; target < pressed.length; target++) people += queue[f][target];
            System.out.println((f < 10 ? " " : "") + f + (f == current ? " [#] " : "     ") + "o".repeat(people));
        }
        System.out.println();
    }

    static int nearest() {
        int best = 0;
        for (int f = 1; f < pressed.length; f++) {
            if (pressed[f] && (best == 0 || Math.abs(f - current) < Math.abs(best - current))) {
                best = f;
            }
        }
        return best;
    }

    static void goTo(int f) {
        while (current != f) {
            if (current < f) current++;
            else current--;
            draw();
            waitSecond();
        }
        pressed[f] = false;
        for (int t = 1; t < pressed.length; t++) {
            if (queue[f][t] > 0) {
                pressed[t] = true;
                queue[f][t] = 0;
            }
        }
    }

    public static void main(String[] args) {
        Scanner s = new Scanner(System.in);
        System.out.print("How many floors? ");
        int n = s.nextInt();
        pressed = new boolean[n + 1];
        queue = new int[n + 1][n + 1];
        System.out.println("Pairs of floors (from to), 0 ends:");
        int from = s.nextInt();
        while (from > 0) {
            int to = s.nextInt();
            if (from <= n && to <= n && to > 0) {
                queue[from][to]++;
                pressed[from] = true;
            }
            from = s.nextInt();
        }
        int travelled = 0;
        for (int f = nearest(); f != 0; f = nearest()) {
            travelled += Math.abs(f - current);
            goTo(f);
        }
        System.out.println("The lift went " + travelled + " floors.");
    }
}
