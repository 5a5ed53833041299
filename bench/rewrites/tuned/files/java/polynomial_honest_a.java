import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

public class Poly {
    // exponent -> coefficient, highest first
    private final TreeMap<Integer, Integer> map = new TreeMap<>(java.util.Comparator.reverseOrder());

    Poly term(int coefficient, int exponent) {
        map.merge(exponent, coefficient, Integer::sum);
        map.values().removeIf(v -> v == 0);
        return this;
    }

    static Poly sum(Poly a, Poly b) {
        Poly r = new Poly();
        a.map.forEach((e, c) -> r.term(c, e));
        b.map.forEach((e, c) -> r.term(c, e));
        return r;
    }

    static Poly product(Poly a, Poly b) {
        Poly r = new Poly();
        for (Map.Entry<Integer, Integer> s : a.map.entrySet())
            for (Map.Entry<Integer, Integer> t : b.map.entrySet())
                r.term(s.getValue() * t.getValue(), s.getKey() + t.getKey());
        return r;
    }

    Poly derivative() {
        Poly r = new Poly();
        map.forEach((e, c) -> {
            if (e > 0) r.term(c * e, e - 1);
        });
        return r;
    }

    double at(double x) {
        return map.entrySet().stream().mapToDouble(e -> e.getValue() * Math.pow(x, e.getKey())).sum();
    }

    @Override
    public String toString() {
        if (map.isEmpty()) return "0";
        return map.entrySet().stream()
            .map(e -> String.format("%+dx^%d", e.getValue(), e.getKey()))
            .collect(Collectors.joining(" "));
    }

    public static void main(String[] args) {
        Poly p = new Poly().term(3, 2).term(-1, 0);
        Poly q = new Poly().term(1, 5).term(2, 1).term(7, 0);
        System.out.println(sum(p, q));
        System.out.println(product(p, q));
        System.out.println(q.derivative());
        System.out.println(p.at(1.5));
    }
}
