import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Library fines by Leila Farahani. Usage: java Fines loans.csv [YYYY-MM-DD] */
public class Fines {

    private int badLines = 0;
    private final LocalDate today;
    private final Entry sum = new Entry("All together");
    private final Map<String, Entry> books = new TreeMap<>();
    private final Map<String, Entry> people = new TreeMap<>();

    /** Days on which the library is closed, besides every Sunday. */
    static final Set<LocalDate> HOLIDAYS = Set.of(
            LocalDate.of(2024, 3, 29),
            LocalDate.of(2024, 4, 1),
            LocalDate.of(2024, 5, 1));

    public static void main(String[] args) throws IOException {
        if (args.length < 1 || args.length > 2) {
            System.err.println("Usage: java Fines loans.csv [YYYY-MM-DD]");
            System.exit(2);
        }
        List<String> lines = readLines(args[0]);
        LocalDate reportDay = args.length == 2 ? LocalDate.parse(args[1]) : LocalDate.now();
        Fines program = new Fines(reportDay);
        lines.forEach(program::read);
        program.output();
    }

    Fines(LocalDate today) {
        this.today = today;
    }

    void output() {
        outputTop(people.values(), people.size());
        System.out.println(sum);
        System.out.println("=== top three ===");
        outputTop(books.values(), 3);
        if (badLines > 0) {
            System.out.println("Bad lines: " + badLines);
        }
    }

    static void outputTop(Collection<Entry> entries, int limit) {
        List<Entry> list = new ArrayList<>(entries);
        Collections.sort(list);
        for (Entry entry : list) {
            if (entry.cents == 0 || limit-- == 0) {
                break;
            }
            System.out.println(entry);
        }
    }

    void read(String line) {
        try {
            String[] part = line.split(",", 6);
            LocalDate back = today;
            if (part[4].length() > 0) {
                back = LocalDate.parse(part[4]);
            }
            LocalDate due = LocalDate.parse(part[3]);
            Kind kind = Kind.valueOf(part[2].toUpperCase());
            int fine = kind.price(days(due, back));
            Entry book = books.computeIfAbsent(part[1], Entry::new);
            Entry person = people.computeIfAbsent(part[0], Entry::new);
            if (person.young()) {
                fine = fine / 2;
            }
            sum.plus(fine);
            book.plus(fine);
            person.plus(fine);
        } catch (RuntimeException e) {
            badLines++;
        }
    }

    static long days(LocalDate due, LocalDate back) {
        LocalDate day = due;
        long result = ChronoUnit.DAYS.between(due, back);
        while (day.isBefore(back)) {
            day = day.plusDays(1);
            if (day.getDayOfWeek() == DayOfWeek.SUNDAY || HOLIDAYS.contains(day)) {
                result--;
            }
        }
        return result;
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

    static class Entry implements Comparable<Entry> {
        private int cents = 0;
        private final String label;

        @Override
        public String toString() {
            StringBuilder out = new StringBuilder(label);
            while (out.length() < 24) {
                out.append(' ');
            }
            return out.append(cents / 100).append('.')
                    .append(cents % 100 < 10 ? "0" : "").append(cents % 100).toString();
        }

        @Override
        public int compareTo(Entry that) {
            if (cents != that.cents) {
                return Integer.compare(that.cents, cents);
            }
            return label.compareTo(that.label);
        }

        void plus(int amount) {
            cents += amount;
        }

        boolean young() {
            return label.startsWith("J");
        }

        Entry(String label) {
            this.label = label;
        }
    }

    enum Kind {
        EQUIPMENT(250, 0, 6000), DVD(100, 1, 1500), BOOK(25, 3, 1000), MAGAZINE(10, 3, 400);

        private final int maximum;
        private final int free;
        private final int perDay;

        int price(long days) {
            if (days <= free) {
                return 0;
            }
            long total = perDay * days;
            return total > maximum ? maximum : (int) total;
        }

        Kind(int perDay, int free, int maximum) {
            this.maximum = maximum;
            this.free = free;
            this.perDay = perDay;
        }
    }
}
