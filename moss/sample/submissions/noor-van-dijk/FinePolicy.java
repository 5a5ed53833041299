import java.time.LocalDate;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;

/** Decides what a late loan costs. Knows nothing about files and printing. */
final class FinePolicy {

    enum Kind { BOOK, MAGAZINE, DVD, EQUIPMENT }

    private final Predicate<LocalDate> closed;
    private final Map<Kind, IntUnaryOperator> prices = new EnumMap<>(Kind.class);

    private FinePolicy(Predicate<LocalDate> closed) {
        this.closed = closed;
    }

    static FinePolicy closedOn(Predicate<LocalDate> closed) {
        return new FinePolicy(closed);
    }

    /** Builder style, so that the table in the assignment can be read off. */
    FinePolicy with(Kind kind, int centsPerDay, int graceDays, int ceiling) {
        prices.put(kind, n -> n > graceDays ? Math.min(ceiling, n * centsPerDay) : 0);
        return this;
    }

    int fine(Kind kind, LocalDate due, LocalDate back, boolean half) {
        int charged = 0;
        for (LocalDate d = back; d.isAfter(due); d = d.minusDays(1)) {
            charged += closed.test(d) ? 0 : 1;
        }
        int amount = prices.get(kind).applyAsInt(charged);
        return half ? amount >> 1 : amount;
    }
}
