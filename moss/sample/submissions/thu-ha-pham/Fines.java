import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Scanner;
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

    record Debt(String who, BigDecimal amount) { }

    static BigDecimal price(String category, int days) {
        return switch (category) {
            case "book" -> limited(days, 3, "0.25", "10");
            case "magazine" -> limited(days, 3, "0.10", "4");
            case "dvd" -> limited(days, 1, "1", "15");
            case "equipment" -> limited(days, 0, "2.50", "60");
            default -> throw new IllegalStateException(category);
        };
    }

    static BigDecimal limited(int days, int free, String rate, String most) {
        if (days <= free) {
            return BigDecimal.ZERO;
        }
        return new BigDecimal(rate).multiply(BigDecimal.valueOf(days)).min(new BigDecimal(most));
    }

    static boolean open(LocalDate day) {
        return switch (day.getDayOfWeek()) {
            case SUNDAY -> false;
            default -> !HOLIDAYS.contains(day);
        };
    }

    // recursion instead of a loop
    static int openDays(LocalDate from, LocalDate to) {
        if (!from.isBefore(to)) {
            return 0;
        }
        LocalDate next = from.plusDays(1);
        return (open(next) ? 1 : 0) + openDays(next, to);
    }

    static PriorityQueue<Debt> queueOf(Map<String, BigDecimal> sums) {
        PriorityQueue<Debt> queue = new PriorityQueue<>((x, y) -> {
            int order = y.amount().compareTo(x.amount());
            return order == 0 ? x.who().compareTo(y.who()) : order;
        });
        sums.forEach((who, amount) -> {
            if (amount.signum() > 0) {
                queue.add(new Debt(who, amount));
            }
        });
        return queue;
    }

    static void show(PriorityQueue<Debt> queue, int most) {
        for (int shown = 0; shown < most && !queue.isEmpty(); shown++) {
            Debt debt = queue.poll();
            System.out.println(debt.who() + "\t" + debt.amount().setScale(2));
        }
    }

    public static void main(String[] args) throws IOException {
        if (args.length < 1 || args.length > 2) {
            System.err.println("Usage: java Fines loans.csv [YYYY-MM-DD]");
            System.exit(2);
        }
        LocalDate reportDay = args.length == 2 ? LocalDate.parse(args[1]) : LocalDate.now();
        List<String> lines = readLines(args[0]);
        Map<String, BigDecimal> byMember = new LinkedHashMap<>();
        Map<String, BigDecimal> byTitle = new LinkedHashMap<>();
        List<String> rejected = new ArrayList<>();

        for (String line : lines) {
            Scanner scanner = new Scanner(line).useDelimiter(",");
            try {
                String member = scanner.next();
                String title = scanner.next();
                String category = scanner.next();
                LocalDate due = LocalDate.parse(scanner.next());
                // a line without the last comma is accepted here, too
                LocalDate back = scanner.hasNext() ? LocalDate.parse(scanner.next()) : reportDay;
                BigDecimal amount = price(category, openDays(due, back));
                if (member.matches("J.*")) {
                    amount = amount.divide(BigDecimal.valueOf(2), 2, RoundingMode.DOWN);
                }
                byMember.put(member, byMember.getOrDefault(member, BigDecimal.ZERO).add(amount));
                byTitle.put(title, byTitle.getOrDefault(title, BigDecimal.ZERO).add(amount));
            } catch (IllegalStateException | DateTimeParseException | java.util.NoSuchElementException e) {
                rejected.add(line);
            }
        }

        BigDecimal total = byMember.values().stream().reduce(BigDecimal.ZERO, BigDecimal::add);
        show(queueOf(byMember), Integer.MAX_VALUE);
        System.out.println("sum\t" + total.setScale(2));
        System.out.println("worst three:");
        show(queueOf(byTitle), 3);
        if (!rejected.isEmpty()) {
            System.out.println("rejected: " + rejected.size());
        }
    }
}
