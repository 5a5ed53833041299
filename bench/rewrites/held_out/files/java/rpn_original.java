import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;

/** Calculator: infix to postfix, then evaluation with a stack. */
public class Calculator {
    static class Stack {
        private String[] items = new String[100];
        private int size = 0;

        void push(String item) {
            if (size == items.length) {
                throw new RuntimeException("Stack is full");
            }
            items[size++] = item;
        }

        String pop() {
            if (size == 0) {
                throw new RuntimeException("Stack is empty");
            }
            return items[--size];
        }

        String peek() {
            return items[size - 1];
        }

        boolean isEmpty() {
            return size == 0;
        }
    }

    static int priority(String operator) {
        if (operator.equals("+") || operator.equals("-")) {
            return 1;
        }
        if (operator.equals("*") || operator.equals("/")) {
            return 2;
        }
        return 0;
    }

    static List<String> split(String text) {
        List<String> tokens = new ArrayList<>();
        int i = 0;
        while (i < text.length()) {
            char c = text.charAt(i);
            if (Character.isDigit(c)) {
                String number = "";
                while (i < text.length() && (Character.isDigit(text.charAt(i)) || text.charAt(i) == '.')) {
                    number += text.charAt(i);
                    i++;
                }
                tokens.add(number);
            } else {
                if (c != ' ') {
                    tokens.add("" + c);
                }
                i++;
            }
        }
        return tokens;
    }

    static List<String> toPostfix(List<String> tokens) {
        List<String> output = new ArrayList<>();
        Stack stack = new Stack();
        for (String token : tokens) {
            if (Character.isDigit(token.charAt(0))) {
                output.add(token);
            } else if (token.equals("(")) {
                stack.push(token);
            } else if (token.equals(")")) {
                while (!stack.peek().equals("(")) {
                    output.add(stack.pop());
                }
                stack.pop();
            } else {
                while (!stack.isEmpty() && priority(stack.peek()) >= priority(token)) {
                    output.add(stack.pop());
                }
                stack.push(token);
            }
        }
        while (!stack.isEmpty()) {
            output.add(stack.pop());
        }
        return output;
    }

    static double evaluate(List<String> postfix) {
        Stack stack = new Stack();
        for (String token : postfix) {
            if (priority(token) == 0) {
                stack.push(token);
                continue;
            }
            double right = Double.parseDouble(stack.pop());
            double left = Double.parseDouble(stack.pop());
            double result = 0;
            switch (token.charAt(0)) {
                case '+': result = left + right; break;
                case '-': result = left - right; break;
                case '*': result = left * right; break;
                case '/': result = left / right; break;
            }
            stack.push("" + result);
        }
        return Double.parseDouble(stack.pop());
    }

    public static void main(String[] args) {
        Scanner scanner = new Scanner(System.in);
        while (scanner.hasNextLine()) {
            List<String> postfix = toPostfix(split(scanner.nextLine()));
            System.out.println("Postfix: " + String.join(" ", postfix));
            System.out.println("Value: " + evaluate(postfix));
        }
    }
}
