import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Library fines.
 *
 * Usage: java Fines loans.csv [YYYY-MM-DD]
 *
 * @author Ngozi Adeyemi
 */
public class Fines {

    /** Days on which the library is closed, besides every Sunday. */
    static final Set<LocalDate> HOLIDAYS = Set.of(
            LocalDate.of(2024, 3, 29),
            LocalDate.of(2024, 4, 1),
            LocalDate.of(2024, 5, 1));

    /** Prices of one category in cents. */
    record Price(int perDay, int graceDays, int maximum) {

        int of(int days) {
            return days <= graceDays ? 0 : Math.min(days * perDay, maximum);
        }
    }

    /** One valid line of the input. */
    record Loan(String member, String title, Price price, LocalDate due, LocalDate back) {

        int chargeableDays() {
            int result = 0;
            for (LocalDate day = due.plusDays(1); !day.isAfter(back); day = day.plusDays(1)) {
                if (day.getDayOfWeek() != DayOfWeek.SUNDAY && !HOLIDAYS.contains(day)) {
                    result++;
                }
            }
            return result;
        }

        int fine() {
            int full = price.of(chargeableDays());
            return member.startsWith("J") ? full / 2 : full;
        }
    }

    static final Map<String, Price> PRICES = Map.of(
            "book", new Price(25, 3, 1000),
            "magazine", new Price(10, 3, 400),
            "dvd", new Price(100, 1, 1500),
            "equipment", new Price(250, 0, 6000));

    /** Parses one line, or throws IllegalArgumentException. */
    static Loan parse(String line, LocalDate reportDay) {
        // -1 keeps the empty last field
        String[] parts = line.split(",", -1);
        if (parts.length != 5) {
            throw new IllegalArgumentException("not five fields: " + line);
        }
        Price price = PRICES.get(parts[2]);
        if (price == null) {
            throw new IllegalArgumentException("unknown category: " + line);
        }
        try {
            LocalDate due = LocalDate.parse(parts[3]);
            LocalDate back = parts[4].isEmpty() ? reportDay : LocalDate.parse(parts[4]);
            return new Loan(parts[0], parts[1], price, due, back);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("bad date: " + line, e);
        }
    }

    /** Entries with a positive value, the largest first. */
    static List<Map.Entry<String, Integer>> ranked(Map<String, Integer> sums) {
        List<Map.Entry<String, Integer>> entries = new ArrayList<>(sums.entrySet());
        entries.removeIf(entry -> entry.getValue() == 0);
        entries.sort((a, b) -> {
            int byAmount = b.getValue().compareTo(a.getValue());
            return byAmount != 0 ? byAmount : a.getKey().compareTo(b.getKey());
        });
        return entries;
    }

    static String euro(int cents) {
        return String.format("%4d.%02d", cents / 100, cents % 100);
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

    public static void main(String[] args) throws IOException {
        if (args.length < 1 || args.length > 2) {
            System.err.println("Usage: java Fines loans.csv [YYYY-MM-DD]");
            System.exit(2);
        }
        LocalDate reportDay = args.length == 2 ? LocalDate.parse(args[1]) : LocalDate.now();
        List<String> lines = readLines(args[0]);

        Map<String, Integer> members = new HashMap<>();
        Map<String, Integer> titles = new HashMap<>();
        int total = 0;
        int skipped = 0;
        for (String line : lines) {
            try {
                Loan loan = parse(line, reportDay);
                int fine = loan.fine();
                members.merge(loan.member(), fine, Integer::sum);
                titles.merge(loan.title(), fine, Integer::sum);
                total += fine;
            } catch (IllegalArgumentException e) {
                skipped++;
            }
        }

        // report
        for (Map.Entry<String, Integer> entry : ranked(members)) {
            System.out.println(entry.getKey() + "  " + euro(entry.getValue()));
        }
        System.out.println("Total " + euro(total));
        System.out.println("Worst titles:");
        List<Map.Entry<String, Integer>> worst = ranked(titles);
        for (int i = 0; i < 3 && i < worst.size(); i++) {
            System.out.println((i + 1) + ". " + worst.get(i).getKey() + euro(worst.get(i).getValue()));
        }
        if (skipped > 0) {
            System.out.println(skipped + " lines skipped");
        }
    }
}
