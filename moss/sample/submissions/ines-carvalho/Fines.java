import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Library fines with streams. Usage: java Fines loans.csv [YYYY-MM-DD] */
public class Fines {

    /** Days on which the library is closed, besides every Sunday. */
    static final Set<LocalDate> HOLIDAYS = Set.of(
            LocalDate.of(2024, 3, 29),
            LocalDate.of(2024, 4, 1),
            LocalDate.of(2024, 5, 1));

    // index 0: rate, 1: grace, 2: maximum
    static final Map<String, long[]> TABLE = Map.of(
            "book", new long[] {25, 3, 1000},
            "magazine", new long[] {10, 3, 400},
            "dvd", new long[] {100, 1, 1500},
            "equipment", new long[] {250, 0, 6000});

    record Fine(String member, String title, long cents) { }

    /** The lines of the file without the header and empty lines. */
    static List<String> readLines(String path) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(path))) {
            if (!line.isBlank() && !line.startsWith("member,")) {
                lines.add(line.strip());
            }
        }
        return lines;
    }

    static long openDays(LocalDate due, LocalDate back) {
        if (back.isBefore(due)) {
            return 0;
        }
        return due.plusDays(1)
                .datesUntil(back.plusDays(1))
                .filter(day -> day.getDayOfWeek() != DayOfWeek.SUNDAY)
                .filter(day -> !HOLIDAYS.contains(day))
                .count();
    }

    static Optional<LocalDate> date(String text) {
        try {
            return Optional.of(LocalDate.parse(text));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    static long cents(String member, long[] price, long days) {
        long full = days > price[1] ? Math.min(price[0] * days, price[2]) : 0;
        return member.charAt(0) == 'J' ? full / 2 : full;
    }

    /** Empty when the line is not usable. */
    static Optional<Fine> toFine(String line, LocalDate reportDay) {
        String[] cells = line.split(",", -1);
        if (cells.length != 5 || !TABLE.containsKey(cells[2])) {
            return Optional.empty();
        }
        Optional<LocalDate> back = cells[4].isEmpty() ? Optional.of(reportDay) : date(cells[4]);
        return date(cells[3])
                .flatMap(due -> back.map(end -> openDays(due, end)))
                .map(days -> new Fine(cells[0], cells[1], cents(cells[0], TABLE.get(cells[2]), days)));
    }

    static Stream<Map.Entry<String, Long>> sums(List<Fine> fines, Function<Fine, String> key) {
        Comparator<Map.Entry<String, Long>> byValue = Map.Entry.comparingByValue(Comparator.reverseOrder());
        return fines.stream()
                .collect(Collectors.groupingBy(key, Collectors.summingLong(Fine::cents)))
                .entrySet()
                .stream()
                .filter(entry -> entry.getValue() > 0)
                .sorted(byValue.thenComparing(Map.Entry.comparingByKey()));
    }

    static String format(String label, long cents) {
        return String.format("%-25s%8.2f", label, cents / 100.0);
    }

    public static void main(String[] args) throws IOException {
        if (args.length < 1 || args.length > 2) {
            System.err.println("Usage: java Fines loans.csv [YYYY-MM-DD]");
            System.exit(2);
        }
        LocalDate reportDay = args.length == 2 ? LocalDate.parse(args[1]) : LocalDate.now();
        List<String> lines = readLines(args[0]);
        List<Fine> fines = lines.stream()
                .map(line -> toFine(line, reportDay))
                .flatMap(Optional::stream)
                .collect(Collectors.toList());
        sums(fines, Fine::member)
                .map(entry -> format(entry.getKey(), entry.getValue()))
                .forEach(System.out::println);
        System.out.println(format("total", fines.stream().mapToLong(Fine::cents).sum()));
        System.out.println();
        sums(fines, Fine::title)
                .limit(3)
                .map(entry -> format(entry.getKey(), entry.getValue()))
                .forEach(System.out::println);
        int skipped = lines.size() - fines.size();
        if (skipped != 0) {
            System.out.println("skipped lines: " + skipped);
        }
    }
}
