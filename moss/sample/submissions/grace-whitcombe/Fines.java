import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** Library fines - Grace Whitcombe. Usage: java Fines loans.csv [YYYY-MM-DD] */
public class Fines {

    /** Days on which the library is closed, besides every Sunday. */
    static final Set<LocalDate> HOLIDAYS = Set.of(
            LocalDate.of(2024, 3, 29),
            LocalDate.of(2024, 4, 1),
            LocalDate.of(2024, 5, 1));

    // parallel arrays, the position in NAMES is the number of the category
    static final String[] NAMES = {"book", "magazine", "dvd", "equipment"};
    static final int[] RATES = {25, 10, 100, 250};
    static final int[] GRACE = {3, 3, 1, 0};
    static final int[] LIMITS = {1000, 400, 1500, 6000};

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

    static int categoryNumber(String name) {
        for (int i = 0; i < NAMES.length; i++) {
            if (NAMES[i].equals(name)) {
                return i;
            }
        }
        return -1;
    }

    // null means: this is not a date
    static LocalDate dateOrNull(String text) {
        try {
            return LocalDate.parse(text);
        } catch (java.time.DateTimeException e) {
            return null;
        }
    }

    static int countDays(LocalDate from, LocalDate to) {
        int n = 0;
        long first = from.toEpochDay() + 1;
        long last = to.toEpochDay();
        for (long d = first; d <= last; d++) {
            LocalDate day = LocalDate.ofEpochDay(d);
            if (day.getDayOfWeek().getValue() == 7) {
                continue;
            }
            if (HOLIDAYS.contains(day)) {
                continue;
            }
            n++;
        }
        return n;
    }

    static int fine(int category, int days, boolean junior) {
        int cents = 0;
        if (days > GRACE[category]) {
            cents = days * RATES[category];
        }
        if (cents > LIMITS[category]) {
            cents = LIMITS[category];
        }
        if (junior) {
            cents = cents / 2;
        }
        return cents;
    }

    // position of the name, it is put at the end if it is new
    static int position(String[] names, int used, String name) {
        int i = 0;
        while (i < used && !names[i].equals(name)) {
            i++;
        }
        names[i] = name;
        return i;
    }

    // insertion sort, large amounts first, then by name
    static void sort(String[] names, int[] amounts, int used) {
        for (int i = 1; i < used; i++) {
            String name = names[i];
            int amount = amounts[i];
            int j = i - 1;
            while (j >= 0 && (amounts[j] < amount
                    || amounts[j] == amount && names[j].compareTo(name) > 0)) {
                names[j + 1] = names[j];
                amounts[j + 1] = amounts[j];
                j--;
            }
            names[j + 1] = name;
            amounts[j + 1] = amount;
        }
    }

    public static void main(String[] args) throws IOException {
        if (args.length < 1 || args.length > 2) {
            System.err.println("Usage: java Fines loans.csv [YYYY-MM-DD]");
            System.exit(2);
        }
        LocalDate reportDay = args.length == 2 ? LocalDate.parse(args[1]) : LocalDate.now();
        List<String> lines = readLines(args[0]);

        String[] members = new String[lines.size()];
        int[] memberCents = new int[lines.size()];
        int memberCount = 0;
        String[] titles = new String[lines.size()];
        int[] titleCents = new int[lines.size()];
        int titleCount = 0;
        int bad = 0;

        for (String line : lines) {
            String[] f = line.split(",", -1);
            int category = f.length == 5 ? categoryNumber(f[2]) : -1;
            if (category < 0) {
                bad++;
                continue;
            }
            LocalDate due = dateOrNull(f[3]);
            LocalDate end = f[4].equals("") ? reportDay : dateOrNull(f[4]);
            if (due == null || end == null) {
                bad++;
                continue;
            }
            int cents = fine(category, countDays(due, end), f[0].charAt(0) == 'J');
            int m = position(members, memberCount, f[0]);
            memberCount = Math.max(memberCount, m + 1);
            memberCents[m] += cents;
            int t = position(titles, titleCount, f[1]);
            titleCount = Math.max(titleCount, t + 1);
            titleCents[t] += cents;
        }

        sort(members, memberCents, memberCount);
        sort(titles, titleCents, titleCount);
        for (int i = 0; i < memberCount && memberCents[i] > 0; i++) {
            System.out.printf("%-6s %7.2f%n", members[i], memberCents[i] / 100.0);
        }
        System.out.printf("%-6s %7.2f%n", "total", Arrays.stream(memberCents).sum() / 100.0);
        for (int i = 0; i < 3 && i < titleCount; i++) {
            System.out.printf("#%d %s (%.2f)%n", i + 1, titles[i], titleCents[i] / 100.0);
        }
        if (bad > 0) {
            System.out.printf("%d lines were skipped%n", bad);
        }
    }
}
