import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/** Garage simulation: one table of tickets, floors are only numbers. */
public class Garage {
    private enum Kind {
        BIKE(1, 80), CAR(2, 150), VAN(3, 240);

        final int slots;
        final int centsPerHour;

        Kind(int slots, int centsPerHour) {
            this.slots = slots;
            this.centsPerHour = centsPerHour;
        }

        int price(int minutes) {
            int startedHours = (minutes + 59) / 60;
            return Math.min(1500, startedHours * centsPerHour);
        }
    }

    private record Ticket(Kind kind, int floor, int since) {}

    private final int[] unused;
    private final Map<String, Ticket> tickets = new HashMap<>();
    private int earnedCents;

    private Garage(int[] slotsOfFloors) {
        unused = slotsOfFloors.clone();
    }

    private String checkIn(String sign, Kind kind, int minute) {
        return IntStream.range(0, unused.length)
            .filter(floor -> unused[floor] >= kind.slots)
            .boxed()
            .findFirst()
            .map(floor -> {
                unused[floor] -= kind.slots;
                tickets.put(sign, new Ticket(kind, floor, minute));
                return "floor " + floor + " for " + sign;
            })
            .orElse("garage is full, sorry " + sign);
    }

    private String checkOut(String sign, int minute) {
        Ticket ticket = tickets.remove(sign);
        if (ticket == null) {
            return "unknown sign " + sign;
        }
        unused[ticket.floor()] += ticket.kind().slots;
        int cents = ticket.kind().price(minute - ticket.since());
        earnedCents += cents;
        return String.format("%s owes %d.%02d", sign, cents / 100, cents % 100);
    }

    public static void main(String[] arguments) {
        Garage garage = new Garage(new int[] {4, 3});
        String[] script = {
            "in AB-12 CAR 10", "in XY-99 VAN 25", "in MO-7 BIKE 40", "in CD-34 CAR 60",
            "out XY-99 700", "in CD-34 CAR 705", "out AB-12 130", "out ZZ-00 131",
        };
        for (String step : script) {
            String[] field = step.split(" ");
            System.out.println(field[0].equals("in")
                ? garage.checkIn(field[1], Kind.valueOf(field[2]), Integer.parseInt(field[3]))
                : garage.checkOut(field[1], Integer.parseInt(field[2])));
        }
        System.out.println("earned " + garage.earnedCents / 100.0);
    }
}
