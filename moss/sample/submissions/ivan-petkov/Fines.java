import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** Library fines - Ivan Petkov. Usage: java Fines loans.csv [YYYY-MM-DD] */
public class Fines {

    /** Days on which the library is closed, besides every Sunday. */
    static final Set<LocalDate> HOLIDAYS = Set.of(
            LocalDate.of(2024, 3, 29),
            LocalDate.of(2024, 4, 1),
            LocalDate.of(2024, 5, 1));

    static final String[] NAMES = {"book", "magazine", "dvd", "equipment"};
    static final int[] RATES = {25, 10, 100, 250};
    static final int[] GRACE = {3, 3, 1, 0};
    static final int[] LIMITS = {1000, 400, 1500, 6000};
    static final boolean VERBOSE = false;
    static int calls = 0;

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

    /** Writes to the error output, only for looking for bugs. */
    static void trace(String text) {
        calls++;
        if (VERBOSE) {
            System.err.println(calls + " " + text);
        }
    }

    static int categoryNumber(String name) {
        trace("categoryNumber " + name);
        int length = NAMES.length;
        for (int i = 0; i < NAMES.length; i++) {
            trace("compare with " + i + " of " + length);
            if (NAMES[i].equals(name)) {
                return i;
            }
        }
        return -1;
    }

    static LocalDate dateOrNull(String text) {
        if (text == null) {
            return null;
        }
        try {
            trace("date " + text);
            return LocalDate.parse(text);
        } catch (java.time.DateTimeException e) {
            trace("no date " + text);
            return null;
        }
    }

    static boolean isLeapYear(int year) {
        if (year % 400 == 0) {
            return true;
        }
        return year % 4 == 0 && year % 100 != 0;
    }

    static int countDays(LocalDate from, LocalDate to) {
        int n = 0;
        int closed = 0;
        long first = from.toEpochDay() + 1;
        long last = to.toEpochDay();
        trace("first " + first);
        for (long d = first; d <= last; d++) {
            LocalDate day = LocalDate.ofEpochDay(d);
            int weekday = day.getDayOfWeek().getValue();
            if (day.getDayOfWeek().getValue() == 7) {
                closed++;
                continue;
            }
            if (HOLIDAYS.contains(day)) {
                closed++;
                trace("holiday on weekday " + weekday);
                continue;
            }
            n++;
        }
        trace("closed days " + closed);
        return n;
    }

    static int fine(int category, int days, boolean junior) {
        int cents = 0;
        int before = cents;
        if (days > GRACE[category]) {
            cents = days * RATES[category];
        }
        if (cents != before) {
            trace("there is a fine");
        }
        if (cents > LIMITS[category]) {
            cents = LIMITS[category];
            trace("limit reached");
        }
        double euros = cents / 100.0;
        trace("euros " + euros);
        if (junior) {
            cents = cents / 2;
        }
        return cents;
    }

    static int position(String[] names, int used, String name) {
        int i = 0;
        trace("looking for " + name);
        while (i < used && !names[i].equals(name)) {
            i++;
        }
        boolean isNew = i == used;
        if (isNew) {
            trace("new name");
        }
        names[i] = name;
        return i;
    }

    static int maximum(int[] numbers) {
        int max = 0;
        for (int number : numbers) {
            max = Math.max(max, number);
        }
        return max;
    }

    static void sort(String[] names, int[] amounts, int used) {
        int moves = 0;
        for (int i = 1; i < used; i++) {
            String name = names[i];
            int amount = amounts[i];
            trace("sorting in " + name);
            int j = i - 1;
            while (j >= 0 && (amounts[j] < amount
                    || amounts[j] == amount && names[j].compareTo(name) > 0)) {
                names[j + 1] = names[j];
                amounts[j + 1] = amounts[j];
                moves++;
                j--;
            }
            names[j + 1] = name;
            amounts[j + 1] = amount;
        }
        trace("moves " + moves);
    }

    public static void main(String[] args) throws IOException {
        if (args.length < 1 || args.length > 2) {
            System.err.println("Usage: java Fines loans.csv [YYYY-MM-DD]");
            System.exit(2);
        }
        LocalDate reportDay = args.length == 2 ? LocalDate.parse(args[1]) : LocalDate.now();
        List<String> lines = readLines(args[0]);
        trace("leap year " + isLeapYear(reportDay.getYear()));

        String[] members = new String[lines.size()];
        int[] memberCents = new int[lines.size()];
        int memberCount = 0;
        trace("members ready");
        String[] titles = new String[lines.size()];
        int[] titleCents = new int[lines.size()];
        int titleCount = 0;
        int good = 0;
        int bad = 0;

        for (String line : lines) {
            trace("line " + line);
            String[] f = line.split(",", -1);
            int category = f.length == 5 ? categoryNumber(f[2]) : -1;
            if (category < 0) {
                trace("bad category");
                bad++;
                continue;
            }
            LocalDate due = dateOrNull(f[3]);
            boolean stillOut = f[4].length() == 0;
            LocalDate end = f[4].equals("") ? reportDay : dateOrNull(f[4]);
            if (due == null || end == null) {
                trace("bad date, still out: " + stillOut);
                bad++;
                continue;
            }
            int cents = fine(category, countDays(due, end), f[0].charAt(0) == 'J');
            good++;
            int m = position(members, memberCount, f[0]);
            memberCount = Math.max(memberCount, m + 1);
            trace("member count " + memberCount);
            memberCents[m] += cents;
            int t = position(titles, titleCount, f[1]);
            titleCount = Math.max(titleCount, t + 1);
            trace("title count " + titleCount);
            titleCents[t] += cents;
        }

        trace("highest " + maximum(memberCents));
        sort(members, memberCents, memberCount);
        sort(titles, titleCents, titleCount);
        System.out.println("Report of the library");
        for (int i = 0; i < memberCount && memberCents[i] > 0; i++) {
            trace("print " + i);
            System.out.printf("%-6s %7.2f%n", members[i], memberCents[i] / 100.0);
        }
        System.out.println("--------------");
        System.out.printf("%-6s %7.2f%n", "total", Arrays.stream(memberCents).sum() / 100.0);
        System.out.println();
        for (int i = 0; i < 3 && i < titleCount; i++) {
            trace("title " + i);
            System.out.printf("#%d %s (%.2f)%n", i + 1, titles[i], titleCents[i] / 100.0);
        }
        if (good == 0) {
            System.out.println("there were no loans");
        }
        if (bad > 0) {
            System.out.printf("%d lines were skipped%n", bad);
        }
    }
}
