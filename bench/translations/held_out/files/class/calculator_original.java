import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class Calculator {
    private List<String> tokens;
    private int position;
    private final Map<String, Double> variables = new HashMap<>();

    private List<String> tokenize(String input) {
        List<String> result = new ArrayList<>();
        int i = 0;
        while (i < input.length()) {
            char ch = input.charAt(i);
            if (ch == ' ') {
                i++;
            } else if (Character.isDigit(ch)) {
                int begin = i;
                while (i < input.length() && (Character.isDigit(input.charAt(i)) || input.charAt(i) == '.')) {
                    i++;
                }
                result.add(input.substring(begin, i));
            } else if (Character.isLetter(ch)) {
                int begin = i;
                while (i < input.length() && Character.isLetter(input.charAt(i))) {
                    i++;
                }
                result.add(input.substring(begin, i));
            } else {
                result.add(String.valueOf(ch));
                i++;
            }
        }
        result.add("END");
        return result;
    }

    private String peek() {
        return tokens.get(position);
    }

    private boolean accept(String token) {
        if (peek().equals(token)) {
            position++;
            return true;
        }
        return false;
    }

    // expression = term { ("+" | "-") term }
    private double expression() {
        double value = term();
        while (true) {
            if (accept("+")) {
                value += term();
            } else if (accept("-")) {
                value -= term();
            } else {
                return value;
            }
        }
    }

    private double term() {
        double value = factor();
        while (true) {
            if (accept("*")) {
                value *= factor();
            } else if (accept("/")) {
                double divisor = factor();
                if (divisor == 0) {
                    throw new ArithmeticException("Division by zero");
                }
                value /= divisor;
            } else {
                return value;
            }
        }
    }

    private double factor() {
        if (accept("-")) {
            return -factor();
        }
        if (accept("(")) {
            double value = expression();
            if (!accept(")")) {
                throw new RuntimeException("Closing parenthesis expected");
            }
            return value;
        }
        String token = peek();
        position++;
        if (Character.isDigit(token.charAt(0))) {
            return Double.parseDouble(token);
        }
        if (!variables.containsKey(token)) {
            throw new RuntimeException("Unknown variable " + token);
        }
        return variables.get(token);
    }

    double evaluate(String input) {
        tokens = tokenize(input);
        position = 0;
        double value = expression();
        if (!peek().equals("END")) {
            throw new RuntimeException("Unexpected " + peek());
        }
        return value;
    }

    public static void main(String[] args) {
        Calculator calculator = new Calculator();
        calculator.variables.put("pi", 3.14159);
        calculator.variables.put("answer", 42.0);
        String[] inputs = {"1 + 2 * 3", "(1 + 2) * -3", "2 * pi * 6371", "answer / (7 - 7)", "4 +"};
        for (String input : inputs) {
            try {
                System.out.println(input + " = " + calculator.evaluate(input));
            } catch (RuntimeException e) {
                System.out.println(input + ": " + e.getMessage());
            }
        }
    }
}
