import java.util.*;

public class Shunting {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        System.out.println("Write an expression with spaces, like ( 1 + 2 ) * 3");
        String line = in.nextLine();
        LinkedList<Double> numbers = new LinkedList<>();
        LinkedList<Character> ops = new LinkedList<>();
        String polish = "";
        for (String t : line.trim().split("\\s+")) {
            char c = t.charAt(0);
            if (t.length() == 1 && "+-*/()".contains(t)) {
                if (c == '(') {
                    ops.addLast(c);
                } else {
                    while (!ops.isEmpty() && ops.getLast() != '(' && (c == ')' || !higher(c, ops.getLast()))) {
                        polish += " " + ops.getLast();
                        apply(numbers, ops.removeLast());
                    }
                    if (c == ')') ops.removeLast();
                    else ops.addLast(c);
                }
            } else {
                polish += " " + t;
                numbers.addLast(Double.parseDouble(t));
            }
        }
        while (!ops.isEmpty()) {
            polish += " " + ops.getLast();
            apply(numbers, ops.removeLast());
        }
        System.out.println(polish.trim());
        System.out.println(numbers.getLast());
    }

    static boolean higher(char a, char b) {
        return (a == '*' || a == '/') && (b == '+' || b == '-');
    }

    static void apply(LinkedList<Double> numbers, char op) {
        double y = numbers.removeLast();
        double x = numbers.removeLast();
        if (op == '+') numbers.addLast(x + y);
        if (op == '-') numbers.addLast(x - y);
        if (op == '*') numbers.addLast(x * y);
        if (op == '/') {
            if (y == 0) {
                System.out.println("division by 0");
                System.exit(1);
            }
            numbers.addLast(x / y);
        }
    }
}
