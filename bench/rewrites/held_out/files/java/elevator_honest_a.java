import java.util.*;

public class Lift {
    private int position = 0;
    private final TreeSet<Integer> up = new TreeSet<>();
    private final TreeSet<Integer> down = new TreeSet<>(Comparator.reverseOrder());
    private final Map<Integer, List<Integer>> people = new HashMap<>();
    private int steps;

    void request(int at, int goal) {
        people.computeIfAbsent(at, k -> new ArrayList<>()).add(goal);
        stop(at);
    }

    private void stop(int at) {
        if (at >= position) {
            up.add(at);
        } else {
            down.add(at);
        }
    }

    private void arrive(int at) {
        steps += Math.abs(position - at);
        position = at;
        List<Integer> goals = people.remove(at);
        System.out.print("stop at " + at);
        if (goals != null) {
            System.out.print(", " + goals.size() + " get in");
            for (int goal : goals) {
                stop(goal);
            }
        }
        System.out.println();
    }

    void run() {
        while (!up.isEmpty() || !down.isEmpty()) {
            while (!up.isEmpty()) {
                arrive(up.pollFirst());
            }
            while (!down.isEmpty()) {
                arrive(down.pollFirst());
            }
        }
    }

    public static void main(String[] args) {
        Lift lift = new Lift();
        Random random = new Random(7);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 4; i++) {
                int at = random.nextInt(8), goal = random.nextInt(8);
                if (at != goal) {
                    System.out.println(at + " -> " + goal);
                    lift.request(at, goal);
                }
            }
            lift.run();
        }
        System.out.println(lift.steps + " floors in all");
    }
}
