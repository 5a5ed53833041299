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

/** Library fines, Soren Madsen. Usage: java Fines loans.csv [YYYY-MM-DD] */
public class Fines {

    /** Days on which the library is closed, besides every Sunday. */
    static final Set<LocalDate> HOLIDAYS = Set.of(
            LocalDate.of(2024, 3, 29),
            LocalDate.of(2024, 4, 1),
            LocalDate.of(2024, 5, 1));

    enum Category {
        BOOK(25, 3, 1000), MAGAZINE(10, 3, 400), DVD(100, 1, 1500), EQUIPMENT(250, 0, 6000);

        private final int rate;
        private final int grace;
        private final int top;

        Category(int rate, int grace, int top) {
            this.rate = rate;
            this.grace = grace;
            this.top = top;
        }

        int charge(long days) {
            if (days <= grace) {
                return 0;
            }
            long sum = rate * days;
            return sum > top ? top : (int) sum;
        }
    }

    /** Somebody or something that fines are added to. */
    static class Account implements Comparable<Account> {
        private final String name;
        private int balance = 0;

        Account(String name) {
            this.name = name;
        }

        boolean isJunior() {
            return name.startsWith("J");
        }

        void add(int cents) {
            balance += cents;
        }

        @Override
        public int compareTo(Account other) {
            if (balance != other.balance) {
                return Integer.compare(other.balance, balance);
            }
            return name.compareTo(other.name);
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder(name);
            while (text.length() < 24) {
                text.append(' ');
            }
            return text.append(balance / 100).append('.')
                    .append(balance % 100 < 10 ? "0" : "").append(balance % 100).toString();
        }
    }

    private final Map<String, Account> members = new TreeMap<>();
    private final Map<String, Account> titles = new TreeMap<>();
    private final Account everything = new Account("Total");
    private final LocalDate reportDay;
    private int unusable = 0;

    Fines(LocalDate reportDay) {
        this.reportDay = reportDay;
    }

    /** All days between, minus the ones on which nobody could bring anything back. */
    static long lateDays(LocalDate due, LocalDate end) {
        long days = ChronoUnit.DAYS.between(due, end);
        LocalDate walker = due;
        while (walker.isBefore(end)) {
            walker = walker.plusDays(1);
            if (HOLIDAYS.contains(walker) || walker.getDayOfWeek() == DayOfWeek.SUNDAY) {
                days--;
            }
        }
        return days;
    }

    void add(String line) {
        try {
            String[] column = line.split(",", 6);
            Category category = Category.valueOf(column[2].toUpperCase());
            LocalDate due = LocalDate.parse(column[3]);
            LocalDate end = reportDay;
            if (column[4].length() > 0) {
                end = LocalDate.parse(column[4]);
            }
            Account member = members.computeIfAbsent(column[0], Account::new);
            Account title = titles.computeIfAbsent(column[1], Account::new);
            int cents = category.charge(lateDays(due, end));
            if (member.isJunior()) {
                cents = cents / 2;
            }
            member.add(cents);
            title.add(cents);
            everything.add(cents);
        } catch (RuntimeException e) {
            // wrong category, wrong date or too few columns
            unusable++;
        }
    }

    static void printBest(Collection<Account> accounts, int howMany) {
        List<Account> sorted = new ArrayList<>(accounts);
        Collections.sort(sorted);
        for (Account account : sorted) {
            if (howMany-- == 0 || account.balance == 0) {
                break;
            }
            System.out.println(account);
        }
    }

    void print() {
        printBest(members.values(), members.size());
        System.out.println(everything);
        System.out.println("--- worst titles ---");
        printBest(titles.values(), 3);
        if (unusable > 0) {
            System.out.println("Unusable lines: " + unusable);
        }
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
        Fines fines = new Fines(reportDay);
        lines.forEach(fines::add);
        fines.print();
    }
}
