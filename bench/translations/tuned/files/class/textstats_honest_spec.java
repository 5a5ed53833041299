import java.util.*;
import java.util.function.Function;
import java.util.stream.*;

class ReadingEase {
    private final List<String> words;
    private final long sentences;

    ReadingEase(String text) {
        words = Stream.of(text.split("[^A-Za-z]+")).map(String::toLowerCase).filter(w -> !w.isEmpty()).toList();
        sentences = Math.max(1, text.chars().filter(c -> ".!?".indexOf(c) >= 0).count());
    }

    static int syllables(String word) {
        String[] groups = word.replaceAll("e$", "").split("[^aeiou]+");
        int count = 0;
        for (String group : groups) {
            count += group.isEmpty() ? 0 : 1;
        }
        return count == 0 ? 1 : count;
    }

    double readingEase() {
        double perSentence = (double) words.size() / sentences;
        double perWord = words.stream().mapToInt(ReadingEase::syllables).average().orElse(0);
        return 206.835 - 1.015 * perSentence - 84.6 * perWord;
    }

    Map<String, Long> countWords(Set<String> stopwords) {
        return words.stream().filter(w -> !stopwords.contains(w))
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    }

    Optional<String> longestWord() {
        return words.stream().max(Comparator.comparingInt(String::length));
    }

    public static void main(String[] args) {
        var text = "It was the best of times, it was the worst of times. What a piece of work is a man! Is it so?";
        var statistics = new ReadingEase(text);
        var counts = statistics.countWords(Set.of("the", "and", "of", "to", "in", "that", "was"));
        System.out.println("Different words: " + counts.size());
        System.out.println("Sentences: " + statistics.sentences);
        System.out.println("Longest word: " + statistics.longestWord().orElse("-"));
        System.out.printf("Reading ease: %.1f%n", statistics.readingEase());
        counts.entrySet().stream().sorted(Map.Entry.<String, Long>comparingByValue().reversed()).limit(5)
            .forEach(e -> System.out.printf("%15s %s%n", e.getKey(), "*".repeat(e.getValue().intValue())));
    }
}
