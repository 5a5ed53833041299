import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Cabin control, with the state of each rider in the rider. */
public class CabinControl {
    private static final int SEATS = 4;

    private enum Stage { PLANNED, CALLING, RIDING, ARRIVED }

    private static final class Rider {
        final int appears;
        final int source;
        final int target;
        Stage stage = Stage.PLANNED;
        int duration;

        Rider(int appears, int source, int target) {
            this.appears = appears;
            this.source = source;
            this.target = target;
        }

        /** The level that the cabin has to visit because of this rider, or -1. */
        int wish() {
            return stage == Stage.CALLING ? source : stage == Stage.RIDING ? target : -1;
        }
    }

    private final List<Rider> riders;
    private int level;
    private boolean upwards = true;
    private int travelled;

    private CabinControl(Rider... riders) {
        this.riders = Arrays.asList(riders);
    }

    private Stream<Rider> in(Stage stage) {
        return riders.stream().filter(rider -> rider.stage == stage);
    }

    private boolean someoneWants(boolean above) {
        return riders.stream().mapToInt(Rider::wish).anyMatch(wish -> wish >= 0 && (above ? wish > level : wish < level));
    }

    private void openDoors(int second) {
        in(Stage.PLANNED).filter(r -> r.appears == second).forEach(r -> r.stage = Stage.CALLING);
        in(Stage.RIDING).filter(r -> r.target == level).collect(Collectors.toList()).forEach(r -> {
            r.stage = Stage.ARRIVED;
            r.duration = second - r.appears;
            System.out.printf("[%d] out at %d%n", second, level);
        });
        long seats = SEATS - in(Stage.RIDING).count();
        in(Stage.CALLING).filter(r -> r.source == level).limit(seats).collect(Collectors.toList()).forEach(r -> {
            r.stage = Stage.RIDING;
            System.out.printf("[%d] in at %d%n", second, level);
        });
    }

    private void drive() {
        if (!someoneWants(upwards) && !someoneWants(upwards ^= true)) {
            return;
        }
        level += upwards ? 1 : -1;
        travelled++;
    }

    private void run() {
        for (int second = 0; in(Stage.ARRIVED).count() < riders.size(); second++) {
            openDoors(second);
            drive();
        }
        double mean = riders.stream().mapToInt(r -> r.duration).average().orElse(0);
        System.out.println("mean duration " + mean + ", levels travelled " + travelled);
    }

    public static void main(String[] arguments) {
        new CabinControl(new Rider(0, 0, 5), new Rider(1, 3, 0), new Rider(2, 7, 2), new Rider(2, 7, 9), new Rider(9, 4, 6)).run();
    }
}
