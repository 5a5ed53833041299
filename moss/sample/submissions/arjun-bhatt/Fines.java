import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.*;
import java.util.function.Function;
import java.util.stream.*;

/** Library fines - starter file. Usage: java Fines loans.csv [YYYY-MM-DD] */
public class Fines
{
    /** Days on which the library is closed, besides every Sunday. */
    static final Set<LocalDate> HOLIDAYS = Set.of(
            LocalDate.of(2024, 3, 29),
            LocalDate.of(2024, 4, 1),
            LocalDate.of(2024, 5, 1));

    /** What the tariff sheet says: cents a day, free days, most that is charged. */
    static final Map<String, long[]> TARIFFS = Map.of("book", new long[] {25, 3, 1000}, "magazine",
            new long[] {10, 3, 400}, "dvd", new long[] {100, 1, 1500}, "equipment", new long[] {250, 0, 6000});

    /** A single debt. */
    record Penalty(String reader, String work, long amount)
    {
    }

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

    /** Delay without Sundays and holidays. */
    static long delay(LocalDate promised, LocalDate delivered)
    {
        if (delivered.isBefore(promised))
        {
            return 0;
        }
        return promised.plusDays(1).datesUntil(delivered.plusDays(1))
            .filter(d -> d.getDayOfWeek() != DayOfWeek.SUNDAY)
            .filter(d -> !HOLIDAYS.contains(d)).count();
    }

    static Optional<LocalDate> readDay(String s)
    {
        try
        {
            return Optional.of(LocalDate.parse(s));
        }
        catch (DateTimeParseException problem)
        {
            // e.g. the 31st of April
            return Optional.empty();
        }
    }

    static long toPay(String reader, long[] tariff, long delay)
    {
        long sum = delay > tariff[1] ? Math.min(tariff[0] * delay, tariff[2]) : 0;
        // kids
        return reader.charAt(0) == 'J' ? sum / 2 : sum;
    }

    static Optional<Penalty> check(String row, LocalDate today)
    {
        String[] p = row.split(",", -1);
        if (p.length != 5 || !TARIFFS.containsKey(p[2]))
        {
            return Optional.empty();
        }
        Optional<LocalDate> delivered = p[4].isEmpty() ? Optional.of(today) : readDay(p[4]);
        return readDay(p[3]).flatMap(promised -> delivered.map(x -> delay(promised, x)))
            .map(n -> new Penalty(p[0], p[1], toPay(p[0], TARIFFS.get(p[2]), n)));
    }

    /** Adds up the penalties and brings them in the right order. */
    static Stream<Map.Entry<String, Long>> addUp(List<Penalty> penalties, Function<Penalty, String> what)
    {
        Comparator<Map.Entry<String, Long>> order = Map.Entry.comparingByValue(Comparator.reverseOrder());
        return penalties.stream().collect(Collectors.groupingBy(what, Collectors.summingLong(Penalty::amount)))
            .entrySet().stream().filter(pair -> pair.getValue() > 0)
            .sorted(order.thenComparing(Map.Entry.comparingByKey()));
    }

    static String pretty(String name, long amount)
    {
        return String.format("* %-18s | %9.2f", name, amount / 100.0);
    }

    public static void main(String[] args) throws IOException {
        if (args.length < 1 || args.length > 2) {
            System.err.println("Usage: java Fines loans.csv [YYYY-MM-DD]");
            System.exit(2);
        }
        LocalDate reportDay = args.length == 2 ? LocalDate.parse(args[1]) : LocalDate.now();
        List<String> lines = readLines(args[0]);

        List<Penalty> penalties = lines.stream().map(row -> check(row, reportDay))
            .flatMap(Optional::stream).collect(Collectors.toList());

        // part 1: readers
        addUp(penalties, Penalty::reader).map(pair -> pretty(pair.getKey(), pair.getValue()))
            .forEach(System.out::println);
        System.out.println(pretty("SUM OF ALL", penalties.stream().mapToLong(Penalty::amount).sum()));
        System.out.println();

        // part 2: works
        addUp(penalties, Penalty::work).limit(3).map(pair -> pretty(pair.getKey(), pair.getValue()))
            .forEach(System.out::println);

        int rejected = lines.size() - penalties.size();
        if (rejected != 0)
        {
            System.out.println("I could not read this many lines: " + rejected);
        }
    }
}
