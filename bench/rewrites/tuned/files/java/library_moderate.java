import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Scanner;

/** Keeps track of which reader holds which item of the collection. */
public class LoanDesk {
    private static final double DAILY_CHARGE = 0.25;
    private static final int PERIOD = 14;
    private static final int LIMIT = 3;

    private static final class Item {
        private final String name;
        private final String writer;
        private String holder;
        private int deadline;

        Item(String name, String writer) {
            this.name = name;
            this.writer = writer;
        }

        String describe() {
            if (holder != null) {
                return name + ", " + writer + " - held by " + holder;
            }
            return name + ", " + writer + " - on the shelf";
        }
    }

    private final Map<String, Item> collection = new LinkedHashMap<>();
    private int currentDay = 1;

    private void register(String name, String writer) {
        collection.put(name.toLowerCase(), new Item(name, writer));
    }

    private void handIn(String name) {
        Item item = collection.get(name.toLowerCase());
        if (item != null && item.holder != null) {
            int overdue = currentDay - item.deadline;
            if (overdue > 0) {
                System.out.printf("%s has to pay %.2f%n", item.holder, DAILY_CHARGE * overdue);
            }
            item.holder = null;
        } else {
            System.out.println("Nobody holds this item");
        }
    }

    private void handOut(String name, String reader) {
        Item item = collection.get(name.toLowerCase());
        if (item == null) {
            System.out.println("Not in the collection");
            return;
        }
        if (item.holder != null) {
            System.out.println("Held by " + item.holder + " at the moment");
            return;
        }
        long held = collection.values().stream().filter(other -> reader.equals(other.holder)).count();
        if (held >= LIMIT) {
            System.out.println("Limit reached by " + reader);
            return;
        }
        item.deadline = currentDay + PERIOD;
        item.holder = reader;
        System.out.println("Bring it back by day " + item.deadline);
    }

    private void execute(String[] parts) {
        switch (parts[0]) {
            case "list":
                collection.values().forEach(item -> System.out.println(item.describe()));
                break;
            case "day":
                currentDay = currentDay + Integer.parseInt(parts[1]);
                break;
            case "return":
                handIn(parts[1]);
                break;
            case "lend":
                handOut(parts[1], parts[2]);
                break;
            default:
                break;
        }
    }

    public static void main(String[] arguments) {
        LoanDesk desk = new LoanDesk();
        desk.register("Emma", "Austen");
        desk.register("Ulysses", "Joyce");
        desk.register("Dracula", "Stoker");
        try (Scanner input = new Scanner(System.in)) {
            while (input.hasNextLine()) {
                desk.execute(input.nextLine().split(" "));
            }
        }
    }
}
