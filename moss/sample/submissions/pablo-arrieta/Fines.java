import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Library fines - starter file. Usage: java Fines loans.csv [YYYY-MM-DD] */
public class Fines {

    /** Days on which the library is closed, besides every Sunday. */
    static final Set<LocalDate> HOLIDAYS = Set.of(
            LocalDate.of(2024, 3, 29),
            LocalDate.of(2024, 4, 1),
            LocalDate.of(2024, 5, 1));

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

    // the loop of lecture 6
    static int chargeableDays(LocalDate due, LocalDate returned) {
        int days = 0;
        LocalDate current = due.plusDays(1);
        while (!current.isAfter(returned)) {
            if (current.getDayOfWeek() != DayOfWeek.SUNDAY && !HOLIDAYS.contains(current)) {
                days++;
            }
            current = current.plusDays(1);
        }
        return days;
    }

    /** A member or a title together with its sum. */
    static class Sum {
        String name;
        int cents;
        int loans;

        Sum(String name) {
            this.name = name;
        }

        int getCents() {
            return cents;
        }

        String getName() {
            return name;
        }
    }

    static class Sums {
        Map<String, Sum> map = new HashMap<>();

        void add(String name, int cents) {
            if (!map.containsKey(name)) {
                map.put(name, new Sum(name));
            }
            Sum sum = map.get(name);
            sum.cents += cents;
            sum.loans++;
        }

        List<Sum> sorted() {
            List<Sum> list = new ArrayList<>(map.values());
            list.sort(Comparator.comparingInt(Sum::getCents).reversed().thenComparing(Sum::getName));
            return list;
        }

        int total() {
            int total = 0;
            for (Sum sum : map.values()) {
                total += sum.cents;
            }
            return total;
        }
    }

    static int fineOf(String category, int days) throws IOException {
        int[] rule;
        switch (category) {
            case "book": rule = new int[] {25, 3, 1000}; break;
            case "magazine": rule = new int[] {10, 3, 400}; break;
            case "dvd": rule = new int[] {100, 1, 1500}; break;
            case "equipment": rule = new int[] {250, 0, 6000}; break;
            default: throw new IOException("category");
        }
        if (days <= rule[1])
            return 0;
        return Math.min(rule[0] * days, rule[2]);
    }

    public static void main(String[] args) throws IOException {
        if (args.length < 1 || args.length > 2) {
            System.err.println("Usage: java Fines loans.csv [YYYY-MM-DD]");
            System.exit(2);
        }
        LocalDate reportDay = args.length == 2 ? LocalDate.parse(args[1]) : LocalDate.now();
        List<String> lines = readLines(args[0]);
        Sums members = new Sums(), titles = new Sums();
        int skipped = 0;
        for (String line : lines) {
            String[] w = line.split(",", -1);
            try {
                LocalDate returned = w[4].equals("") ? reportDay : LocalDate.parse(w[4]);
                int fine = fineOf(w[2], chargeableDays(LocalDate.parse(w[3]), returned));
                if (w[0].startsWith("J"))
                    fine /= 2;
                members.add(w[0], fine);
                titles.add(w[1], fine);
            } catch (DateTimeParseException | ArrayIndexOutOfBoundsException | IOException problem) {
                skipped++;
            }
        }
        for (Sum s : members.sorted())
            if (s.cents > 0)
                System.out.printf("%8s %9.2f   (%d loans)%n", s.name, s.cents / 100f, s.loans);
        System.out.printf("%8s %9.2f%n%n", "TOTAL", members.total() / 100f);
        int place = 0;
        for (Sum s : titles.sorted()) {
            if (++place > 3)
                break;
            System.out.printf("%d %s %.2f%n", place, s.name, s.cents / 100f);
        }
        if (skipped != 0)
            System.out.println("skipped " + skipped);
    }
}
