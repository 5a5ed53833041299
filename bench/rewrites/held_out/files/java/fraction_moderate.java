import java.util.Scanner;

/** Calculates with rational numbers typed at the console. */
public class RationalConsole {
    static final class Rational {
        final long above;
        final long below;

        Rational(long above, long below) {
            if (below == 0) {
                throw new ArithmeticException("no value: zero below the bar");
            }
            long sign = below > 0 ? 1 : -1;
            long common = greatest(above < 0 ? -above : above, sign * below);
            this.above = sign * above / common;
            this.below = sign * below / common;
        }

        static long greatest(long p, long q) {
            return q == 0 ? p : greatest(q, p % q);
        }

        Rational inverse() {
            if (above == 0) {
                throw new ArithmeticException("zero has no inverse");
            }
            return new Rational(below, above);
        }

        Rational times(Rational that) {
            return new Rational(above * that.above, below * that.below);
        }

        Rational minus(Rational that) {
            return plus(new Rational(-that.above, that.below));
        }

        Rational plus(Rational that) {
            return new Rational(that.above * below + above * that.below, that.below * below);
        }

        @Override
        public String toString() {
            boolean isWhole = below == 1;
            boolean isMixed = !isWhole && below < Math.abs(above);
            if (isMixed) {
                return above / below + " " + Math.abs(above % below) + "/" + below;
            }
            return isWhole ? Long.toString(above) : above + "/" + below;
        }
    }

    private static Rational read(String word) {
        String[] pieces = word.split("/");
        long above = Long.parseLong(pieces[0]);
        return pieces.length == 1 ? new Rational(above, 1) : new Rational(above, Long.parseLong(pieces[1]));
    }

    private static String answer(Rational first, String sign, Rational second) {
        try {
            switch (sign) {
                case ":":
                    return "result " + first.times(second.inverse());
                case "*":
                    return "result " + first.times(second);
                case "-":
                    return "result " + first.minus(second);
                case "+":
                    return "result " + first.plus(second);
                default:
                    return "cannot do " + sign;
            }
        } catch (ArithmeticException problem) {
            return "impossible: " + problem.getMessage();
        }
    }

    public static void main(String[] arguments) {
        System.out.println("Two rationals with a sign between them, please");
        Scanner words = new Scanner(System.in);
        for (; words.hasNext(); ) {
            Rational first = read(words.next());
            String sign = words.next();
            System.out.println(answer(first, sign, read(words.next())));
        }
    }
}
