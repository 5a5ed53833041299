import java.util.*;

public class Analyser {
    private static final String SOUNDS = "aeiou";
    private static final List<String> IGNORED = Arrays.asList("the", "and", "of", "to", "in", "that", "was");

    private static int marks(String input) {
        int m = 0;
        for (int i = 0; i < input.length(); i++) {
            char c = input.charAt(i);
            if (c == '.' || c == '!' || c == '?') {
                m++;
            }
        }
        return Math.max(m, 1);
    }

    private static String letters(String token) {
        StringBuilder sb = new StringBuilder();
        for (char c : token.toLowerCase().toCharArray()) {
            if (Character.isLetter(c)) {
                sb.append(c);
            }
        }
        return sb.toString();
    }

    private static int groups(String token) {
        int n = 0;
        boolean last = false;
        for (char c : token.toCharArray()) {
            boolean now = SOUNDS.indexOf(c) >= 0;
            if (now && !last) {
                n++;
            }
            last = now;
        }
        if (token.endsWith("e") && n > 1) {
            n--;
        }
        return n;
    }

    private static Map<String, Integer> frequencies(String input) {
        Map<String, Integer> table = new TreeMap<>();
        for (String part : input.split("\\s+")) {
            String token = letters(part);
            if (token.isEmpty() || IGNORED.contains(token)) {
                continue;
            }
            if (table.containsKey(token)) {
                table.put(token, table.get(token) + 1);
            } else {
                table.put(token, 1);
            }
        }
        return table;
    }

    private static double flesch(String input) {
        String[] tokens = input.split("\\s+");
        int all = 0;
        for (String token : tokens) {
            all += groups(letters(token));
        }
        return 206.835 - 1.015 * tokens.length / marks(input) - 84.6 * all / tokens.length;
    }

    private static String biggest(Map<String, Integer> table) {
        String big = "";
        for (String token : table.keySet()) {
            if (token.length() > big.length()) {
                big = token;
            }
        }
        return big;
    }

    public static void main(String[] args) {
        String input = "It was the best of times, it was the worst of times. What a piece of work is a man! Is it so?";
        Map<String, Integer> table = frequencies(input);
        System.out.println("Vocabulary: " + table.size());
        System.out.println("Ends: " + marks(input));
        System.out.println("Biggest: " + biggest(table));
        System.out.printf("Score: %.1f%n", flesch(input));
        List<Map.Entry<String, Integer>> rows = new ArrayList<>(table.entrySet());
        rows.sort((a, b) -> b.getValue() - a.getValue());
        for (Map.Entry<String, Integer> row : rows.subList(0, Math.min(5, rows.size()))) {
            System.out.printf("%15s %s%n", row.getKey(), "*".repeat(row.getValue()));
        }
    }
}
