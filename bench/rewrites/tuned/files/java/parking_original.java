import java.util.ArrayList;
import java.util.List;

/** A car park with levels, kinds of vehicles and fees. */
public class CarPark {
    abstract static class Vehicle {
        protected String plate;
        protected int arrival;

        Vehicle(String plate, int arrival) {
            this.plate = plate;
            this.arrival = arrival;
        }

        abstract int size();

        abstract double rate();
    }

    static class Motorbike extends Vehicle {
        Motorbike(String plate, int arrival) {
            super(plate, arrival);
        }

        int size() {
            return 1;
        }

        double rate() {
            return 0.8;
        }
    }

    static class Car extends Vehicle {
        Car(String plate, int arrival) {
            super(plate, arrival);
        }

        int size() {
            return 2;
        }

        double rate() {
            return 1.5;
        }
    }

    static class Van extends Vehicle {
        Van(String plate, int arrival) {
            super(plate, arrival);
        }

        int size() {
            return 3;
        }

        double rate() {
            return 2.4;
        }
    }

    static class Level {
        int capacity;
        List<Vehicle> vehicles = new ArrayList<>();

        Level(int capacity) {
            this.capacity = capacity;
        }

        int free() {
            int used = 0;
            for (Vehicle v : vehicles) {
                used += v.size();
            }
            return capacity - used;
        }
    }

    private List<Level> levels = new ArrayList<>();
    private double income = 0;

    CarPark(int... capacities) {
        for (int capacity : capacities) {
            levels.add(new Level(capacity));
        }
    }

    boolean enter(Vehicle vehicle) {
        for (int i = 0; i < levels.size(); i++) {
            if (levels.get(i).free() >= vehicle.size()) {
                levels.get(i).vehicles.add(vehicle);
                System.out.println(vehicle.plate + " parks on level " + i);
                return true;
            }
        }
        System.out.println("No space for " + vehicle.plate);
        return false;
    }

    double leave(String plate, int time) {
        for (Level level : levels) {
            for (Vehicle v : level.vehicles) {
                if (v.plate.equals(plate)) {
                    level.vehicles.remove(v);
                    int hours = (time - v.arrival + 59) / 60;
                    double fee = hours * v.rate();
                    if (fee > 15) {
                        fee = 15;
                    }
                    income += fee;
                    System.out.printf("%s pays %.2f%n", plate, fee);
                    return fee;
                }
            }
        }
        System.out.println(plate + " is not here");
        return 0;
    }

    public static void main(String[] args) {
        CarPark park = new CarPark(4, 3);
        park.enter(new Car("AB-12", 10));
        park.enter(new Van("XY-99", 25));
        park.enter(new Motorbike("MO-7", 40));
        park.enter(new Car("CD-34", 60));
        park.leave("XY-99", 700);
        park.enter(new Car("CD-34", 705));
        park.leave("AB-12", 130);
        park.leave("ZZ-00", 131);
        System.out.printf("Income: %.2f%n", park.income);
    }
}
