import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** Warehouse program: reads articles from a file and prints reports. */
public class WarehouseReport {
    record Article(String name, String shelf, int stock, int centsEach) {
        static Article parse(String line) {
            String[] parts = line.split(";");
            if (parts.length != 4) {
                throw new IllegalArgumentException("bad line: " + line);
            }
            return new Article(parts[0].trim(), parts[1].trim(), Integer.parseInt(parts[2]), Integer.parseInt(parts[3]));
        }
    }

    private final List<Article> articles;

    WarehouseReport(List<Article> articles) {
        this.articles = articles;
    }

    static List<Article> load(String file) throws IOException {
        List<Article> loaded = new ArrayList<>();
        try (BufferedReader reader = new BufferedReader(new FileReader(file))) {
            String line = reader.readLine();
            while (line != null) {
                if (!line.isBlank() && !line.startsWith("#")) {
                    loaded.add(Article.parse(line));
                }
                line = reader.readLine();
            }
        }
        return loaded;
    }

    String mostExpensive() {
        return articles.stream().max(Comparator.comparingInt(Article::centsEach)).map(Article::name).orElse("none");
    }

    void printShelves() {
        var byShelf = articles.stream().collect(Collectors.groupingBy(Article::shelf));
        byShelf.forEach((shelf, list) -> {
            int sum = list.stream().mapToInt(a -> a.stock() * a.centsEach()).sum();
            System.out.printf("%-8s %3d articles %10.2f Euro%n", shelf, list.size(), sum / 100.0);
        });
    }

    public static void main(String[] args) {
        try {
            WarehouseReport report = new WarehouseReport(load(args.length > 0 ? args[0] : "articles.csv"));
            report.printShelves();
            System.out.println("Most expensive article: " + report.mostExpensive());
        } catch (IOException e) {
            System.err.println("Cannot read the file: " + e.getMessage());
            System.exit(1);
        }
    }
}
