import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.DoubleSummaryStatistics;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.DoubleStream;

/** Reads "name;exam;homework;homework..." and prints the grades of a class. */
public class GradeReport {
    enum Grade {
        EXCELLENT(90), GOOD(75), SATISFACTORY(60), SUFFICIENT(50), FAILED(0);

        final int from;

        Grade(int from) {
            this.from = from;
        }

        static Grade of(double percent) {
            for (Grade grade : values()) {
                if (percent >= grade.from) {
                    return grade;
                }
            }
            return FAILED;
        }
    }

    private final Map<Grade, Integer> counts = new EnumMap<>(Grade.class);
    private final DoubleSummaryStatistics summary = new DoubleSummaryStatistics();

    void process(String line) {
        String[] cells = line.split(";");
        double exam = Double.parseDouble(cells[1]);
        double[] homework = new double[cells.length - 2];
        for (int i = 2; i < cells.length; i++) {
            homework[i - 2] = cells[i].isEmpty() ? 0 : Double.parseDouble(cells[i]);
        }
        double percent = 0.6 * exam + 0.4 * DoubleStream.of(homework).average().orElse(0);
        Grade grade = Grade.of(percent);
        counts.merge(grade, 1, Integer::sum);
        summary.accept(percent);
        System.out.printf("%-20s %6.2f %s%n", cells[0], percent, grade);
    }

    void finish() {
        System.out.println("best " + summary.getMax() + ", worst " + summary.getMin());
        System.out.println("mean " + summary.getAverage());
        counts.forEach((grade, count) -> System.out.println(grade + " " + "#".repeat(count)));
    }

    public static void main(String[] args) throws IOException {
        GradeReport report = new GradeReport();
        Files.readAllLines(Path.of(args[0])).stream().skip(1).forEach(report::process);
        report.finish();
    }
}
