import java.util.Scanner;

public class Parkhaus {
    static final int FLOORS = 3, PLACES = 5;
    static String[][] plates = new String[FLOORS][PLACES];
    static int[][] times = new int[FLOORS][PLACES];
    static int money;

    static boolean park(String plate, int time) {
        for (int f = 0; f < FLOORS; f++)
            for (int p = 0; p < PLACES; p++)
                if (plates[f][p] == null) {
                    plates[f][p] = plate;
                    times[f][p] = time;
                    System.out.println("Go to floor " + (f + 1) + " place " + (p + 1));
                    return true;
                }
        return false;
    }

    static void unpark(String plate, int time) {
        boolean here = false;
        for (int f = 0; f < FLOORS; f++) {
            for (int p = 0; p < PLACES; p++) {
                if (plate.equals(plates[f][p])) {
                    here = true;
                    plates[f][p] = null;
                    int t = time - times[f][p];
                    int price;
                    if (t <= 30) {
                        price = 0;
                    } else if (t <= 60) {
                        price = 2;
                    } else if (t <= 180) {
                        price = 5;
                    } else {
                        price = 12;
                    }
                    money = money + price;
                    System.out.println("Price: " + price + " euro");
                }
            }
        }
        if (!here) System.out.println("We do not have this car.");
    }

    static void print() {
        for (String[] floor : plates) {
            for (String p : floor) System.out.print("[" + (p == null ? "     " : p) + "]");
            System.out.println();
        }
    }

    public static void main(String[] args) {
        Scanner s = new Scanner(System.in);
        int time = 0;
        while (true) {
            String command = s.next();
            if (command.equals("end")) break;
            time += s.nextInt();
            if (command.equals("+")) {
                if (!park(s.next(), time)) System.out.println("Full!");
            } else if (command.equals("-")) {
                unpark(s.next(), time);
            }
            print();
        }
        System.out.println("Money: " + money);
    }
}
