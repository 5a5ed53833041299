import java.math.BigInteger;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.regex.*;

record Frac(BigInteger z, BigInteger n) implements Comparable<Frac> {
    Frac {
        if (n.signum() == 0) throw new IllegalArgumentException("n = 0");
        BigInteger g = z.gcd(n).multiply(BigInteger.valueOf(n.signum()));
        z = z.divide(g);
        n = n.divide(g);
    }

    static Frac of(String z, String n) {
        return new Frac(new BigInteger(z), n == null ? BigInteger.ONE : new BigInteger(n));
    }

    Frac plus(Frac o) { return new Frac(z.multiply(o.n).add(o.z.multiply(n)), n.multiply(o.n)); }

    Frac negate() { return new Frac(z.negate(), n); }

    Frac mul(Frac o) { return new Frac(z.multiply(o.z), n.multiply(o.n)); }

    Frac inv() { return new Frac(n, z); }

    @Override
    public int compareTo(Frac o) { return z.multiply(o.n).compareTo(o.z.multiply(n)); }

    @Override
    public String toString() { return n.equals(BigInteger.ONE) ? z.toString() : z + "/" + n; }
}

public class FracMain {
    static final Pattern INPUT = Pattern.compile("\\s*(-?\\d+)(?:/(\\d+))?\\s*([-+*:<])\\s*(-?\\d+)(?:/(\\d+))?\\s*");
    static final Map<String, BinaryOperator<Frac>> OPERATIONS = Map.of(
        "+", Frac::plus, "*", Frac::mul, "-", (a, b) -> a.plus(b.negate()), ":", (a, b) -> a.mul(b.inv()));

    public static void main(String[] args) {
        for (String line : args) {
            Matcher m = INPUT.matcher(line);
            if (!m.matches()) {
                System.err.println("I do not understand " + line);
                continue;
            }
            Frac a = Frac.of(m.group(1), m.group(2)), b = Frac.of(m.group(4), m.group(5));
            if (m.group(3).equals("<")) {
                System.out.println(a.compareTo(b) < 0);
            } else {
                System.out.println(OPERATIONS.get(m.group(3)).apply(a, b));
            }
        }
    }
}
