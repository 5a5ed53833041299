import java.util.Arrays;

/** Polynomials with integer coefficients. */
public class Polynomial {
    private int[] coefficients;

    public Polynomial(int[] coefficients) {
        int length = coefficients.length;
        while (length > 1 && coefficients[length - 1] == 0) {
            length--;
        }
        this.coefficients = Arrays.copyOf(coefficients, length);
    }

    public int degree() {
        return coefficients.length - 1;
    }

    public int evaluate(int x) {
        int result = 0;
        for (int i = coefficients.length - 1; i >= 0; i--) {
            result = result * x + coefficients[i];
        }
        return result;
    }

    public Polynomial add(Polynomial other) {
        int length = Math.max(coefficients.length, other.coefficients.length);
        int[] sum = new int[length];
        for (int i = 0; i < length; i++) {
            if (i < coefficients.length) {
                sum[i] += coefficients[i];
            }
            if (i < other.coefficients.length) {
                sum[i] += other.coefficients[i];
            }
        }
        return new Polynomial(sum);
    }

    public Polynomial multiply(Polynomial other) {
        int[] product = new int[degree() + other.degree() + 1];
        for (int i = 0; i < coefficients.length; i++) {
            for (int j = 0; j < other.coefficients.length; j++) {
                product[i + j] += coefficients[i] * other.coefficients[j];
            }
        }
        return new Polynomial(product);
    }

    public Polynomial derive() {
        if (degree() == 0) {
            return new Polynomial(new int[] {0});
        }
        int[] result = new int[degree()];
        for (int i = 1; i < coefficients.length; i++) {
            result[i - 1] = i * coefficients[i];
        }
        return new Polynomial(result);
    }

    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int i = degree(); i >= 0; i--) {
            int c = coefficients[i];
            if (c == 0) {
                continue;
            }
            if (text.length() > 0) {
                text.append(c > 0 ? " + " : " - ");
            } else if (c < 0) {
                text.append("-");
            }
            int absolute = Math.abs(c);
            if (absolute != 1 || i == 0) {
                text.append(absolute);
            }
            if (i > 0) {
                text.append("x");
            }
            if (i > 1) {
                text.append("^").append(i);
            }
        }
        return text.length() == 0 ? "0" : text.toString();
    }

    public static void main(String[] args) {
        Polynomial p = new Polynomial(new int[] {1, -3, 0, 2});
        Polynomial q = new Polynomial(new int[] {-1, 1});
        System.out.println("p = " + p);
        System.out.println("q = " + q);
        System.out.println("p + q = " + p.add(q));
        System.out.println("p * q = " + p.multiply(q));
        System.out.println("p' = " + p.derive());
        System.out.println("p(2) = " + p.evaluate(2));
    }
}
