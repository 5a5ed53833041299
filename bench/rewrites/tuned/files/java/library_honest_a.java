import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.*;

public class BookLending {
    enum Status { FREE, LENT, LOST }

    record Loan(String isbn, String person, LocalDate since) {
        long daysLate(LocalDate now) {
            return Math.max(0, ChronoUnit.DAYS.between(since.plusWeeks(2), now));
        }
    }

    private final Map<String, String> titles = new TreeMap<>();
    private final Deque<Loan> open = new ArrayDeque<>();
    private final List<Loan> history = new ArrayList<>();

    BookLending() {
        titles.put("111", "Java for beginners");
        titles.put("222", "Algorithms");
        titles.put("333", "Clean code");
    }

    Optional<Loan> loanOf(String isbn) {
        return open.stream().filter(l -> l.isbn().equals(isbn)).findFirst();
    }

    boolean borrow(String isbn, String person, LocalDate date) {
        if (!titles.containsKey(isbn) || loanOf(isbn).isPresent()) {
            return false;
        }
        int books = 0;
        for (Loan l : open) if (l.person().equals(person)) books++;
        if (books == 3) return false;
        return open.add(new Loan(isbn, person, date));
    }

    double bringBack(String isbn, LocalDate date) {
        Loan loan = loanOf(isbn).orElseThrow(() -> new NoSuchElementException(isbn));
        open.remove(loan);
        history.add(loan);
        return loan.daysLate(date) * 0.25;
    }

    @Override
    public String toString() {
        StringBuilder s = new StringBuilder();
        titles.forEach((isbn, title) -> s.append(isbn).append(' ').append(title).append(": ")
            .append(loanOf(isbn).map(Loan::person).orElse("free")).append('\n'));
        return s.toString();
    }

    public static void main(String[] args) {
        BookLending lending = new BookLending();
        LocalDate start = LocalDate.of(2024, 3, 1);
        System.out.println(lending.borrow("111", "Ann", start));
        System.out.println(lending.borrow("111", "Bob", start.plusDays(1)));
        System.out.println(lending.borrow("333", "Bob", start.plusDays(2)));
        System.out.print(lending);
        System.out.println("to pay: " + lending.bringBack("111", start.plusDays(20)));
        System.out.print(lending);
    }
}
