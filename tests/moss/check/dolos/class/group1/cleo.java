class Harbour {
    static int[] read(java.util.Scanner scanner) {
        int[] levels = new int[scanner.nextInt()];
        for (int at = 0; at < levels.length; at++) {
            levels[at] = scanner.nextInt();
        }
        return levels;
    }

    static int highest(int[] levels) {
        java.util.Arrays.sort(levels);
        return levels[levels.length - 1];
    }

    static double mean(int[] levels) {
        return java.util.Arrays.stream(levels).average().orElse(0);
    }

    static int longestRise(int[] levels) {
        int best = 0;
        int start = 0;
        int at = 0;
        while (++at < levels.length) {
            if (levels[at] <= levels[at - 1]) {
                start = at;
            }
            if (at - start > best) {
                best = at - start;
            }
        }
        return best;
    }
}
