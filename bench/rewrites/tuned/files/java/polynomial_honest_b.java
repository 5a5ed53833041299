import java.util.ArrayList;
import java.util.Scanner;

public class PolynomialCalculator {
    static ArrayList<Integer> read(Scanner sc) {
        System.out.print("degree: ");
        int d = sc.nextInt();
        ArrayList<Integer> list = new ArrayList<>();
        for (int i = 0; i <= d; i++) {
            System.out.print("a" + i + ": ");
            list.add(sc.nextInt());
        }
        return list;
    }

    static ArrayList<Integer> plus(ArrayList<Integer> a, ArrayList<Integer> b) {
        if (a.size() < b.size()) {
            return plus(b, a);
        }
        ArrayList<Integer> c = new ArrayList<>(a);
        for (int i = 0; i < b.size(); i++) {
            c.set(i, c.get(i) + b.get(i));
        }
        return c;
    }

    static ArrayList<Integer> shifted(ArrayList<Integer> a, int by, int factor) {
        ArrayList<Integer> c = new ArrayList<>();
        for (int i = 0; i < by; i++) c.add(0);
        for (int x : a) c.add(x * factor);
        return c;
    }

    static ArrayList<Integer> mul(ArrayList<Integer> a, ArrayList<Integer> b) {
        ArrayList<Integer> c = new ArrayList<>();
        for (int i = 0; i < b.size(); i++) {
            c = plus(c, shifted(a, i, b.get(i)));
        }
        return c;
    }

    static int eval(ArrayList<Integer> a, int x) {
        int power = 1;
        int value = 0;
        for (int k : a) {
            value += k * power;
            power *= x;
        }
        return value;
    }

    static void print(ArrayList<Integer> a) {
        String s = "" + a.get(0);
        for (int i = 1; i < a.size(); i++) {
            if (a.get(i) != 0) {
                s = a.get(i) + "*x^" + i + " + " + s;
            }
        }
        System.out.println(s);
    }

    public static void main(String[] args) {
        Scanner sc = new Scanner(System.in);
        ArrayList<Integer> a = read(sc);
        ArrayList<Integer> b = read(sc);
        print(plus(a, b));
        print(mul(a, b));
        ArrayList<Integer> derived = new ArrayList<>();
        for (int i = 1; i < a.size(); i++) derived.add(i * a.get(i));
        if (derived.isEmpty()) derived.add(0);
        print(derived);
        System.out.println(eval(a, sc.nextInt()));
    }
}
