import java.util.*;

class Pupil {
    final String id;
    final double[] points;
    final int missed;
    double result;

    Pupil(String id, double[] points, int missed) {
        this.id = id;
        this.points = points;
        this.missed = missed;
    }
}

public class Course {
    private static final double MINIMUM = 50.0;
    private final List<Pupil> pupils = new ArrayList<>();
    private final double[] factors;

    Course(double... factors) {
        this.factors = factors;
    }

    static String letter(double result) {
        if (result >= 85) return "A";
        if (result >= 72) return "B";
        if (result >= 60) return "C";
        if (result >= MINIMUM) return "D";
        return "F";
    }

    void enter(String id, int missed, double... points) {
        pupils.add(new Pupil(id, points, missed));
    }

    double mean(Pupil p) {
        double top = 0.0;
        double bottom = 0.0;
        for (int i = 0; i < p.points.length; i++) {
            top += p.points[i] * factors[i];
            bottom += factors[i];
        }
        if (bottom == 0) {
            return 0;
        }
        double m = top / bottom;
        if (p.missed > 5) {
            m -= 2.5 * (p.missed - 5);
        }
        if (m > 95.0) {
            m += 1.5;
        }
        return m;
    }

    List<String> below() {
        List<String> ids = new ArrayList<>();
        for (Pupil p : pupils) {
            if (p.result < MINIMUM) {
                ids.add(p.id);
            }
        }
        return ids;
    }

    Map<String, Integer> distribution() {
        Map<String, Integer> table = new TreeMap<>();
        for (Pupil p : pupils) {
            String l = letter(p.result);
            table.put(l, table.getOrDefault(l, 0) + 1);
        }
        return table;
    }

    void finish() {
        for (Pupil p : pupils) {
            p.result = mean(p);
        }
        pupils.sort((a, b) -> Double.compare(b.result, a.result));
    }

    public static void main(String[] args) {
        Course course = new Course(0.2, 0.3, 0.5);
        course.enter("Amelie", 0, 92, 97, 99);
        course.enter("Boris", 7, 45, 61, 38);
        course.enter("Chen", 2, 70, 66, 81);
        course.enter("Dana", 6, 55, 48, 59);
        course.finish();
        int n = 1;
        for (Pupil p : course.pupils) {
            System.out.printf("%d) %s: %.1f = %s%n", n++, p.id, p.result, letter(p.result));
        }
        System.out.println("Below the line: " + course.below());
        System.out.println("Distribution: " + course.distribution());
    }
}
