import java.util.Scanner;

public class Bruch {
    int z;
    int n = 1;

    void reduce() {
        int small = Math.min(Math.abs(z), Math.abs(n));
        for (int t = small; t > 1; t--) {
            if (z % t == 0 && n % t == 0) {
                z = z / t;
                n = n / t;
            }
        }
        if (z == 0) n = 1;
        if (n < 0) {
            n *= -1;
            z *= -1;
        }
    }

    void plus(int z2, int n2) {
        z = z * n2 + z2 * n;
        n = n * n2;
        reduce();
    }

    void times(int z2, int n2) {
        z *= z2;
        n *= n2;
        reduce();
    }

    void print() {
        System.out.println("now: " + z + "/" + n + " (" + (double) z / n + ")");
    }

    public static void main(String[] args) {
        Scanner sc = new Scanner(System.in);
        Bruch b = new Bruch();
        b.print();
        String op;
        do {
            System.out.print("operation (+ - * : c q): ");
            op = sc.next();
            if (op.equals("c")) {
                b = new Bruch();
            } else if (!op.equals("q")) {
                System.out.print("numerator: ");
                int z = sc.nextInt();
                System.out.print("denominator: ");
                int n = sc.nextInt();
                if (n == 0 || op.equals(":") && z == 0) {
                    System.out.println("you must not divide by zero!");
                } else {
                    switch (op.charAt(0)) {
                        case '+': b.plus(z, n); break;
                        case '-': b.plus(-z, n); break;
                        case '*': b.times(z, n); break;
                        case ':': b.times(n, z); break;
                        default: System.out.println("?");
                    }
                }
            }
            b.print();
        } while (!op.equals("q"));
    }
}
