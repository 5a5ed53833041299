class Harbour {
    static int[] read(java.util.Scanner scanner) {
        int[] levels = new int[scanner.nextInt()];
        for (int at = 0; at < levels.length; at++) {
            levels[at] = scanner.nextInt();
        }
        return levels;
    }

    static void print(int[] levels) {
        java.util.Map<Integer, Integer> counts = new java.util.TreeMap<>();
        for (int level : levels) {
            counts.merge(level, 1, Integer::sum);
        }
        counts.forEach((level, count) -> System.out.println(level + " " + "*".repeat(count)));
    }

    public static void main(String[] arguments) {
        try (java.util.Scanner scanner = new java.util.Scanner(System.in)) {
            print(read(scanner));
        }
    }
}
