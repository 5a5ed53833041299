/** Arithmetic with univariate integer polynomials. */
public final class IntPoly {
    private final int[] terms;

    private IntPoly(int... values) {
        int size = values.length;
        for (; size > 1 && values[size - 1] == 0; --size) {
            // trailing zeros are cut
        }
        terms = new int[size];
        System.arraycopy(values, 0, terms, 0, size);
    }

    private int at(int power) {
        return power < terms.length ? terms[power] : 0;
    }

    IntPoly plus(IntPoly that) {
        int size = terms.length > that.terms.length ? terms.length : that.terms.length;
        int[] total = new int[size];
        int power = 0;
        while (power < size) {
            total[power] = at(power) + that.at(power);
            power += 1;
        }
        return new IntPoly(total);
    }

    IntPoly derivative() {
        if (terms.length == 1) {
            return new IntPoly(0);
        }
        int[] lowered = new int[terms.length - 1];
        for (int power = 0; power < lowered.length; ++power) {
            lowered[power] = terms[power + 1] * (power + 1);
        }
        return new IntPoly(lowered);
    }

    IntPoly times(IntPoly that) {
        int[] total = new int[terms.length + that.terms.length - 1];
        for (int right = 0; right < that.terms.length; ++right) {
            int factor = that.terms[right];
            for (int left = 0; left < terms.length; ++left) {
                total[left + right] = total[left + right] + factor * terms[left];
            }
        }
        return new IntPoly(total);
    }

    long valueAt(int point) {
        long value = 0;
        int power = terms.length;
        while (power-- > 0) {
            value = terms[power] + value * point;
        }
        return value;
    }

    private static String monomial(int size, int power) {
        String factor = size == 1 && power != 0 ? "" : String.valueOf(size);
        if (power == 0) {
            return factor;
        }
        return power == 1 ? factor + "x" : factor + "x^" + power;
    }

    @Override
    public String toString() {
        String shown = "";
        for (int power = terms.length - 1; power >= 0; --power) {
            int term = terms[power];
            if (term != 0) {
                if (shown.isEmpty()) {
                    shown = term < 0 ? "-" : "";
                } else {
                    shown += term < 0 ? " - " : " + ";
                }
                shown += monomial(term < 0 ? -term : term, power);
            }
        }
        return shown.isEmpty() ? "0" : shown;
    }

    public static void main(String[] arguments) {
        IntPoly first = new IntPoly(4, 0, -2, 5);
        IntPoly second = new IntPoly(1, -1);
        System.out.printf("f: %s%ng: %s%n", first, second);
        System.out.println("sum: " + first.plus(second));
        System.out.println("product: " + first.times(second));
        System.out.println("derivative of f: " + first.derivative());
        System.out.println("f at 3: " + first.valueAt(3));
    }
}
