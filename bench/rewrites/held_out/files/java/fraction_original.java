/** Fractions with exact arithmetic, and a small calculator. */
import java.util.Scanner;

public class Fraction {
    private long numerator;
    private long denominator;

    public Fraction(long numerator, long denominator) {
        if (denominator == 0) {
            throw new ArithmeticException("Denominator is zero");
        }
        if (denominator < 0) {
            numerator = -numerator;
            denominator = -denominator;
        }
        long divisor = gcd(Math.abs(numerator), denominator);
        this.numerator = numerator / divisor;
        this.denominator = denominator / divisor;
    }

    private static long gcd(long a, long b) {
        while (b != 0) {
            long rest = a % b;
            a = b;
            b = rest;
        }
        return a;
    }

    public static Fraction parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            return new Fraction(Long.parseLong(text), 1);
        }
        long top = Long.parseLong(text.substring(0, slash));
        long bottom = Long.parseLong(text.substring(slash + 1));
        return new Fraction(top, bottom);
    }

    public Fraction add(Fraction other) {
        long top = numerator * other.denominator + other.numerator * denominator;
        return new Fraction(top, denominator * other.denominator);
    }

    public Fraction subtract(Fraction other) {
        long top = numerator * other.denominator - other.numerator * denominator;
        return new Fraction(top, denominator * other.denominator);
    }

    public Fraction multiply(Fraction other) {
        return new Fraction(numerator * other.numerator, denominator * other.denominator);
    }

    public Fraction divide(Fraction other) {
        if (other.numerator == 0) {
            throw new ArithmeticException("Division by zero");
        }
        return new Fraction(numerator * other.denominator, denominator * other.numerator);
    }

    public String toString() {
        if (denominator == 1) {
            return "" + numerator;
        }
        if (Math.abs(numerator) > denominator) {
            long whole = numerator / denominator;
            long rest = Math.abs(numerator % denominator);
            return whole + " " + rest + "/" + denominator;
        }
        return numerator + "/" + denominator;
    }

    public static void main(String[] args) {
        Scanner scanner = new Scanner(System.in);
        System.out.println("Enter for example: 1/2 + 3/4");
        while (scanner.hasNext()) {
            Fraction left = parse(scanner.next());
            String operator = scanner.next();
            Fraction right = parse(scanner.next());
            try {
                Fraction result = null;
                if (operator.equals("+")) {
                    result = left.add(right);
                } else if (operator.equals("-")) {
                    result = left.subtract(right);
                } else if (operator.equals("*")) {
                    result = left.multiply(right);
                } else if (operator.equals(":")) {
                    result = left.divide(right);
                }
                System.out.println(result == null ? "Unknown operator" : "= " + result);
            } catch (ArithmeticException e) {
                System.out.println("Error: " + e.getMessage());
            }
        }
    }
}
