import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Scanner;

/** Works out arithmetic expressions by way of reverse Polish notation. */
public class ExpressionSolver {
    private static final Map<String, Integer> BINDING = Map.of("+", 1, "-", 1, "*", 2, "/", 2);

    private static double compute(List<String> reversed) {
        Deque<Double> values = new ArrayDeque<>();
        for (int k = 0; k < reversed.size(); k++) {
            String symbol = reversed.get(k);
            if (BINDING.containsKey(symbol)) {
                double b = values.pop();
                double a = values.pop();
                if (symbol.equals("+")) {
                    values.push(a + b);
                } else if (symbol.equals("-")) {
                    values.push(a - b);
                } else if (symbol.equals("*")) {
                    values.push(a * b);
                } else {
                    values.push(a / b);
                }
            } else {
                values.push(Double.valueOf(symbol));
            }
        }
        return values.pop();
    }

    private static List<String> scan(String line) {
        List<String> symbols = new ArrayList<>();
        StringBuilder digits = new StringBuilder();
        for (char sign : line.toCharArray()) {
            boolean partOfNumber = Character.isDigit(sign) || sign == '.' && digits.length() > 0;
            if (partOfNumber) {
                digits.append(sign);
                continue;
            }
            if (digits.length() > 0) {
                symbols.add(digits.toString());
                digits.setLength(0);
            }
            if (!Character.isSpaceChar(sign)) {
                symbols.add(String.valueOf(sign));
            }
        }
        if (digits.length() > 0) {
            symbols.add(digits.toString());
        }
        return symbols;
    }

    private static List<String> reorder(List<String> symbols) {
        Deque<String> pending = new ArrayDeque<>();
        List<String> reversed = new ArrayList<>();
        for (String symbol : symbols) {
            switch (symbol) {
                case "(":
                    pending.push(symbol);
                    break;
                case ")":
                    for (String top = pending.pop(); !top.equals("("); top = pending.pop()) {
                        reversed.add(top);
                    }
                    break;
                case "+": case "-": case "*": case "/":
                    while (pending.size() > 0 && BINDING.get(symbol) <= BINDING.getOrDefault(pending.peek(), 0)) {
                        reversed.add(pending.pop());
                    }
                    pending.push(symbol);
                    break;
                default:
                    reversed.add(symbol);
            }
        }
        reversed.addAll(pending);
        return reversed;
    }

    public static void main(String[] arguments) {
        try (Scanner lines = new Scanner(System.in)) {
            while (lines.hasNextLine()) {
                List<String> reversed = reorder(scan(lines.nextLine()));
                System.out.printf("%s%n  is %s%n", reversed, compute(reversed));
            }
        }
    }
}
