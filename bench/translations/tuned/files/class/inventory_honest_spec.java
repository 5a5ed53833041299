import java.util.*;
import java.util.stream.*;

/** Exercise 4: inventory with the methods of the exercise sheet. */
public class StockKeeper {
    private static final int REORDER_LEVEL = 15;

    private final SortedMap<String, int[]> quantities = new TreeMap<>();
    private final Map<String, Double> prices = new HashMap<>();
    private final Map<String, String> titles = new HashMap<>();
    private final Queue<String> backorders = new LinkedList<>();

    public void receive(String sku, String title, int quantity, double price) {
        titles.put(sku, title);
        prices.put(sku, price);
        quantities.computeIfAbsent(sku, s -> new int[1])[0] += quantity;
    }

    public int ship(String sku, int quantity) {
        int[] left = quantities.get(sku);
        if (left == null) {
            System.out.println("No such article: " + sku);
            return 0;
        }
        int missing = quantity - left[0];
        if (missing > 0) {
            backorders.offer(sku + " " + missing);
            int all = left[0];
            left[0] = 0;
            return all;
        }
        left[0] = -missing;
        return quantity;
    }

    public List<String> lowStock() {
        return quantities.entrySet().stream().filter(e -> e.getValue()[0] < REORDER_LEVEL)
            .map(Map.Entry::getKey).collect(Collectors.toList());
    }

    public double totalValue() {
        return quantities.keySet().stream().mapToDouble(sku -> quantities.get(sku)[0] * prices.get(sku)).sum();
    }

    public long discountCategory(String prefix, int percent) {
        Predicate2 eligible = sku -> sku.startsWith(prefix) && quantities.get(sku)[0] > 45;
        List<String> chosen = prices.keySet().stream().filter(eligible::test).collect(Collectors.toList());
        chosen.forEach(sku -> prices.merge(sku, 1 - percent / 100.0, (old, factor) -> old * factor));
        return chosen.size();
    }

    interface Predicate2 {
        boolean test(String sku);
    }

    public static void main(String[] args) {
        StockKeeper stock = new StockKeeper();
        stock.receive("T-100", "Hammer", 40, 12.99);
        stock.receive("T-205", "Pliers", 8, 7.49);
        stock.receive("G-310", "Hose", 120, 19.95);
        System.out.println("Shipped " + stock.ship("T-100", 55) + " " + stock.ship("T-205", 11));
        System.out.println("Discounted " + stock.discountCategory("G", 15));
        System.out.println("Low stock: " + String.join(", ", stock.lowStock()));
        System.out.println("Backorders: " + stock.backorders);
        System.out.println("Stock value: " + stock.totalValue());
    }
}
