import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Library fines - Noor van Dijk. Usage: java Fines loans.csv [YYYY-MM-DD] */
public class Fines {

    /** Days on which the library is closed, besides every Sunday. */
    static final Set<LocalDate> HOLIDAYS = Set.of(
            LocalDate.of(2024, 3, 29),
            LocalDate.of(2024, 4, 1),
            LocalDate.of(2024, 5, 1));

    private static final Pattern ROW =
            Pattern.compile("([JM]\\d+),([^,]+),(book|magazine|dvd|equipment),([-0-9]+),([-0-9]*)");

    private static final FinePolicy POLICY = FinePolicy
            .closedOn(d -> d.getDayOfWeek() == DayOfWeek.SUNDAY || HOLIDAYS.contains(d))
            .with(FinePolicy.Kind.BOOK, 25, 3, 1000)
            .with(FinePolicy.Kind.MAGAZINE, 10, 3, 400)
            .with(FinePolicy.Kind.DVD, 100, 1, 1500)
            .with(FinePolicy.Kind.EQUIPMENT, 250, 0, 6000);

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

    /** Turns key -> amount around: amount -> keys, largest amount first. */
    static NavigableMap<Integer, Set<String>> invert(Map<String, Integer> amounts) {
        NavigableMap<Integer, Set<String>> result = new TreeMap<>();
        for (String key : amounts.keySet()) {
            result.computeIfAbsent(amounts.get(key), unused -> new TreeSet<>()).add(key);
        }
        return result.descendingMap();
    }

    static String line(String name, int cents) {
        return String.format(Locale.ROOT, "%s %s %.2f", name, ".".repeat(30 - name.length()), cents * 0.01);
    }

    public static void main(String[] args) throws IOException {
        if (args.length < 1 || args.length > 2) {
            System.err.println("Usage: java Fines loans.csv [YYYY-MM-DD]");
            System.exit(2);
        }
        LocalDate reportDay = args.length == 2 ? LocalDate.parse(args[1]) : LocalDate.now();
        List<String> lines = readLines(args[0]);
        Map<String, Integer> owed = new TreeMap<>();
        Map<String, Integer> caused = new TreeMap<>();
        int usable = 0;
        for (String text : lines) {
            Matcher row = ROW.matcher(text);
            if (!row.matches()) {
                continue;
            }
            int cents;
            try {
                LocalDate back = row.group(5).isEmpty() ? reportDay : LocalDate.parse(row.group(5));
                FinePolicy.Kind kind = FinePolicy.Kind.valueOf(row.group(3).toUpperCase(Locale.ROOT));
                cents = POLICY.fine(kind, LocalDate.parse(row.group(4)), back, row.group(1).startsWith("J"));
            } catch (java.time.format.DateTimeParseException e) {
                continue;
            }
            usable++;
            owed.merge(row.group(1), cents, Math::addExact);
            caused.merge(row.group(2), cents, Math::addExact);
        }

        int total = 0;
        for (Map.Entry<Integer, Set<String>> group : invert(owed).entrySet()) {
            for (String member : group.getValue()) {
                total += group.getKey();
                if (group.getKey() != 0) {
                    System.out.println(line(member, group.getKey()));
                }
            }
        }
        System.out.println(line("TOTAL", total));
        List<String> worst = new ArrayList<>();
        invert(caused).forEach((cents, titles) -> titles.forEach(t -> worst.add(line(t, cents))));
        worst.stream().limit(3).forEach(System.out::println);
        if (usable < lines.size()) {
            System.out.println("(" + (lines.size() - usable) + " lines skipped)");
        }
    }
}
