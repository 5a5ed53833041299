import java.nio.file.*;
import java.util.*;
import java.util.regex.*;

/** Text statistics with regular expressions. */
class TextStatistics {
    private static final Pattern WORD = Pattern.compile("\\p{L}+");
    private final int[] lengths = new int[30];
    private final HashMap<String, Integer> histogram = new HashMap<>();
    private int characters;
    private int lines;

    void feed(String line) {
        lines++;
        characters += line.length();
        Matcher matcher = WORD.matcher(line);
        while (matcher.find()) {
            String word = matcher.group().toLowerCase();
            histogram.merge(word, 1, Integer::sum);
            lengths[Math.min(word.length(), lengths.length - 1)]++;
        }
    }

    double averageLength() {
        double sum = 0;
        int words = 0;
        for (int length = 1; length < lengths.length; length++) {
            sum += length * lengths[length];
            words += lengths[length];
        }
        return words == 0 ? 0 : sum / words;
    }

    PriorityQueue<Map.Entry<String, Integer>> queue() {
        var queue = new PriorityQueue<Map.Entry<String, Integer>>((x, y) -> y.getValue().compareTo(x.getValue()));
        queue.addAll(histogram.entrySet());
        return queue;
    }

    public static void main(String[] args) throws Exception {
        if (args.length != 1) {
            System.err.println("usage: TextStatistics FILE");
            return;
        }
        TextStatistics statistics = new TextStatistics();
        Files.lines(Path.of(args[0])).forEach(statistics::feed);
        System.out.println(statistics.lines + " lines, " + statistics.characters + " characters");
        System.out.println("average word length " + statistics.averageLength());
        var queue = statistics.queue();
        for (int i = 0; i < 10 && !queue.isEmpty(); i++) {
            var entry = queue.poll();
            System.out.println(entry.getValue() + "\t" + entry.getKey());
        }
    }
}
