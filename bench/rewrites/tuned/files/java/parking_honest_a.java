import java.util.PriorityQueue;
import java.util.TreeMap;

public class ParkingLot {
    static class Spot implements Comparable<Spot> {
        final int number;
        final char type;

        Spot(int number, char type) {
            this.number = number;
            this.type = type;
        }

        public int compareTo(Spot o) {
            return number - o.number;
        }
    }

    private final PriorityQueue<Spot> small = new PriorityQueue<>();
    private final PriorityQueue<Spot> big = new PriorityQueue<>();
    private final TreeMap<String, Spot> parked = new TreeMap<>();
    private final TreeMap<String, Long> since = new TreeMap<>();

    ParkingLot(int nSmall, int nBig) {
        for (int i = 0; i < nSmall; i++) small.add(new Spot(i, 's'));
        for (int i = 0; i < nBig; i++) big.add(new Spot(nSmall + i, 'b'));
    }

    int arrive(String plate, boolean isTruck, long minute) {
        if (parked.containsKey(plate)) throw new IllegalStateException(plate + " is inside");
        Spot spot = isTruck || small.isEmpty() ? big.poll() : small.poll();
        if (spot == null) return -1;
        parked.put(plate, spot);
        since.put(plate, minute);
        return spot.number;
    }

    double depart(String plate, long minute) {
        Spot spot = parked.remove(plate);
        if (spot == null) throw new IllegalStateException("who is " + plate + "?");
        (spot.type == 's' ? small : big).add(spot);
        long minutes = minute - since.remove(plate);
        double price = spot.type == 's' ? 2 : 3.5;
        for (long m = 60; m < minutes; m += 60) price += 1;
        return Math.min(price, 20);
    }

    public static void main(String[] args) {
        ParkingLot lot = new ParkingLot(2, 1);
        System.out.println(lot.arrive("A", false, 0));
        System.out.println(lot.arrive("B", true, 5));
        System.out.println(lot.arrive("C", true, 6));
        System.out.println(lot.depart("B", 200));
        System.out.println(lot.arrive("C", true, 210));
        System.out.println(lot.parked.keySet());
        try {
            lot.depart("X", 300);
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
    }
}
