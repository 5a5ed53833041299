import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Scanner;
import java.util.function.Function;

/** LRU cache by inheritance from LinkedHashMap. */
public class CacheDemo<K, V> extends LinkedHashMap<K, V> {
    private final int maxEntries;
    private final Function<K, V> loader;
    private long requests;
    private long loads;

    public CacheDemo(int maxEntries, Function<K, V> loader) {
        super(16, 0.75f, true);
        this.maxEntries = maxEntries;
        this.loader = loader;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > maxEntries;
    }

    public V load(K key) {
        requests++;
        return computeIfAbsent(key, k -> {
            loads++;
            return loader.apply(k);
        });
    }

    public double hitRate() {
        return requests == 0 ? 0.0 : 1.0 - (double) loads / requests;
    }

    static long collatz(long start) {
        long steps = 0;
        for (long n = start; n != 1; steps++) {
            n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        }
        return steps;
    }

    public static void main(String[] args) {
        CacheDemo<Long, Long> cache = new CacheDemo<>(64, CacheDemo::collatz);
        try (Scanner scanner = new Scanner(System.in)) {
            while (scanner.hasNextLong()) {
                long number = scanner.nextLong();
                if (number < 1) {
                    System.err.println("only positive numbers please");
                    continue;
                }
                System.out.println(number + " -> " + cache.load(number));
            }
        }
        System.out.printf("hit rate %.1f %%%n", 100 * cache.hitRate());
    }
}
