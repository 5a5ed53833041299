import java.util.*;

class Item {
    String sku;
    String title;
    int quantity;
    double price;

    Item(String sku, String title, int quantity, double price) {
        this.sku = sku;
        this.title = title;
        this.quantity = quantity;
        this.price = price;
    }

    double value() {
        return quantity * price;
    }
}

class Backorder {
    final String sku;
    final int quantity;

    Backorder(String sku, int quantity) {
        this.sku = sku;
        this.quantity = quantity;
    }

    @Override
    public String toString() {
        return "(" + sku + ", " + quantity + ")";
    }
}

public class Inventory {
    static final int REORDER_LEVEL = 15;
    private final Map<String, Item> items = new LinkedHashMap<>();
    private final List<Backorder> backorders = new ArrayList<>();

    void receive(String sku, String title, int quantity, double price) {
        if (items.containsKey(sku)) {
            Item item = items.get(sku);
            item.quantity += quantity;
            item.price = price;
        } else {
            items.put(sku, new Item(sku, title, quantity, price));
        }
    }

    int ship(String sku, int quantity) {
        if (!items.containsKey(sku)) {
            System.out.println("No such article: " + sku);
            return 0;
        }
        Item item = items.get(sku);
        int shipped = Math.min(quantity, item.quantity);
        item.quantity -= shipped;
        if (shipped < quantity) {
            backorders.add(new Backorder(sku, quantity - shipped));
        }
        return shipped;
    }

    List<String> lowStock() {
        List<String> result = new ArrayList<>();
        for (Item item : items.values()) {
            if (item.quantity < REORDER_LEVEL) {
                result.add(item.sku);
            }
        }
        Collections.sort(result);
        return result;
    }

    double totalValue() {
        double total = 0.0;
        for (Item item : items.values()) {
            total += item.value();
        }
        return total;
    }

    int discountCategory(String prefix, int percent) {
        int changed = 0;
        for (Item item : items.values()) {
            if (item.sku.startsWith(prefix) && item.quantity > 3 * REORDER_LEVEL) {
                item.price = Math.round(item.price * (100 - percent)) / 100.0;
                changed++;
            }
        }
        return changed;
    }

    public static void main(String[] args) {
        Inventory stock = new Inventory();
        stock.receive("T-100", "Hammer", 40, 12.99);
        stock.receive("T-205", "Pliers", 8, 7.49);
        stock.receive("G-310", "Hose", 120, 19.95);
        stock.receive("T-100", "Hammer", 20, 13.49);
        System.out.println("Shipped " + stock.ship("T-100", 55));
        System.out.println("Shipped " + stock.ship("T-205", 11));
        System.out.println("Shipped " + stock.ship("X-999", 1));
        System.out.println("Discounted " + stock.discountCategory("G", 15));
        System.out.println("Low stock: " + stock.lowStock());
        System.out.println("Backorders: " + stock.backorders);
        System.out.printf("Stock value: %.2f%n", stock.totalValue());
    }
}
