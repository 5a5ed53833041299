import java.util.Scanner;

abstract class Frame {
    Frame following;

    abstract int first();

    abstract int firstTwo();

    abstract int score();
}

class Strike extends Frame {
    int first() { return 10; }

    int firstTwo() { return 10 + following.first(); }

    int score() { return 10 + following.firstTwo(); }
}

class Normal extends Frame {
    private final int one, two;

    Normal(int one, int two) {
        this.one = one;
        this.two = two;
    }

    int first() { return one; }

    int firstTwo() { return one + two; }

    int score() {
        int sum = one + two;
        return sum == 10 ? sum + following.first() : sum;
    }
}

class Last extends Frame {
    private final int[] balls;

    Last(int... balls) { this.balls = balls; }

    int first() { return balls[0]; }

    int firstTwo() { return balls[0] + balls[1]; }

    int score() {
        int sum = 0;
        for (int ball : balls) sum += ball;
        return sum;
    }
}

public class Kegeln {
    static Frame read(Scanner in, int number) {
        int ball = in.nextInt();
        if (number == 10) {
            int next = in.nextInt();
            return ball + next < 10 ? new Last(ball, next) : new Last(ball, next, in.nextInt());
        }
        Frame frame = ball == 10 ? new Strike() : new Normal(ball, in.nextInt());
        frame.following = read(in, number + 1);
        return frame;
    }

    public static void main(String[] args) {
        System.out.println("Enter all balls of the game:");
        int total = 0, number = 1;
        for (Frame f = read(new Scanner(System.in), 1); f != null; f = f.following) {
            total += f.score();
            System.out.println("Frame " + number++ + ": " + total);
        }
    }
}
