import java.util.ArrayList;
import java.util.List;

/** Simulation of a lift that serves calls from floors. */
public class Elevator {
    static final int FLOORS = 10;
    static final int CAPACITY = 4;

    static class Passenger {
        int from;
        int to;
        int start;

        Passenger(int from, int to, int start) {
            this.from = from;
            this.to = to;
            this.start = start;
        }
    }

    private int floor = 0;
    private int direction = 1;
    private int moved = 0;
    private List<Passenger> inside = new ArrayList<>();
    private List<List<Passenger>> waiting = new ArrayList<>();
    private List<Integer> times = new ArrayList<>();

    Elevator() {
        for (int i = 0; i < FLOORS; i++) {
            waiting.add(new ArrayList<>());
        }
    }

    void call(int from, int to, int time) {
        waiting.get(from).add(new Passenger(from, to, time));
    }

    void unload(int time) {
        for (int i = inside.size() - 1; i >= 0; i--) {
            Passenger p = inside.get(i);
            if (p.to == floor) {
                times.add(time - p.start);
                inside.remove(i);
                System.out.println(time + ": passenger leaves on floor " + floor);
            }
        }
    }

    void load(int time) {
        List<Passenger> queue = waiting.get(floor);
        while (!queue.isEmpty() && inside.size() < CAPACITY) {
            inside.add(queue.remove(0));
            System.out.println(time + ": passenger enters on floor " + floor);
        }
    }

    boolean isNeeded(int direction) {
        int next = floor + direction;
        while (next >= 0 && next < FLOORS) {
            if (!waiting.get(next).isEmpty()) {
                return true;
            }
            for (Passenger p : inside) {
                if (p.to == next) {
                    return true;
                }
            }
            next += direction;
        }
        return false;
    }

    boolean move() {
        if (!isNeeded(direction)) {
            direction = -direction;
            if (!isNeeded(direction)) {
                return false;
            }
        }
        floor += direction;
        moved++;
        return true;
    }

    public static void main(String[] args) {
        Elevator elevator = new Elevator();
        int[][] calls = {{0, 0, 5}, {1, 3, 0}, {2, 7, 2}, {2, 7, 9}, {9, 4, 6}};
        int time = 0;
        boolean busy = true;
        while (busy || time < 10) {
            for (int[] call : calls) {
                if (call[0] == time) {
                    elevator.call(call[1], call[2], time);
                }
            }
            elevator.unload(time);
            elevator.load(time);
            busy = elevator.move();
            time++;
        }
        int sum = 0;
        for (int t : elevator.times) {
            sum += t;
        }
        System.out.println("Average time: " + (double) sum / elevator.times.size());
        System.out.println("Floors moved: " + elevator.moved);
    }
}
