import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.util.ArrayList;
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

    static Map<String, Integer> fines = new HashMap<>();
    static Map<String, Integer> titles = new HashMap<>();

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

    /** Number of days that cost something (see lecture 6). */
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

    static int rate(String category) {
        if (category.equals("book")) {
            return 25;
        } else if (category.equals("magazine")) {
            return 10;
        } else if (category.equals("dvd")) {
            return 100;
        } else {
            return 250;
        }
    }

    static int grace(String category) {
        if (category.equals("dvd")) {
            return 1;
        } else if (category.equals("equipment")) {
            return 0;
        } else {
            return 3;
        }
    }

    static int cap(String category) {
        if (category.equals("book")) {
            return 1000;
        } else if (category.equals("magazine")) {
            return 400;
        } else if (category.equals("dvd")) {
            return 1500;
        } else {
            return 6000;
        }
    }

    /** Adds one loan to both maps. False if the line is wrong. */
    static boolean handle(String line, LocalDate reportDay) {
        String[] parts = line.split(",", -1);
        if (parts.length != 5 || !List.of("book", "magazine", "dvd", "equipment").contains(parts[2])) {
            return false;
        }
        LocalDate due;
        LocalDate returned;
        try {
            due = LocalDate.parse(parts[3]);
            returned = parts[4].isEmpty() ? reportDay : LocalDate.parse(parts[4]);
        } catch (Exception e) {
            return false;
        }
        int days = chargeableDays(due, returned);
        int fine = 0;
        if (days > grace(parts[2])) {
            // juniors pay half per day
            int perDay = parts[0].startsWith("J") ? rate(parts[2]) / 2 : rate(parts[2]);
            fine = Math.min(days * perDay, cap(parts[2]));
        }
        fines.put(parts[0], fines.getOrDefault(parts[0], 0) + fine);
        titles.put(parts[1], titles.getOrDefault(parts[1], 0) + fine);
        return true;
    }

    /** Removes the largest entry from the map and returns it as text. */
    static String takeLargest(Map<String, Integer> map) {
        String largest = null;
        for (String key : map.keySet()) {
            if (largest == null || map.get(key) > map.get(largest)) {
                largest = key;
            }
        }
        int cents = map.remove(largest);
        return largest + ": " + cents / 100 + "." + cents % 100 / 10 + cents % 10;
    }

    public static void main(String[] args) throws IOException {
        if (args.length < 1 || args.length > 2) {
            System.err.println("Usage: java Fines loans.csv [YYYY-MM-DD]");
            System.exit(2);
        }
        LocalDate reportDay = args.length == 2 ? LocalDate.parse(args[1]) : LocalDate.now();
        List<String> lines = readLines(args[0]);
        int skipped = 0;
        for (String line : lines) {
            if (!handle(line, reportDay)) {
                skipped++;
            }
        }
        int total = 0;
        for (int fine : fines.values()) {
            total += fine;
        }
        fines.values().removeIf(fine -> fine == 0);
        while (!fines.isEmpty()) {
            System.out.println(takeLargest(fines));
        }
        System.out.println("Total: " + total / 100.0);
        for (int i = 1; i <= 3 && !titles.isEmpty(); i++) {
            System.out.println(i + ". " + takeLargest(titles));
        }
        if (skipped > 0) {
            System.out.println("Skipped: " + skipped);
        }
    }
}
