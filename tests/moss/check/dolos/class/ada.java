class Harbour {
    static int[] read(java.util.Scanner scanner) {
        int[] levels = new int[scanner.nextInt()];
        for (int at = 0; at < levels.length; at++) {
            levels[at] = scanner.nextInt();
        }
        return levels;
    }

    static int highest(int[] levels) {
        int highest = levels[0];
        for (int level : levels) {
            if (level > highest) {
                highest = level;
            }
        }
        return highest;
    }

    static double mean(int[] levels) {
        double sum = 0;
        for (int level : levels) {
            sum += level;
        }
        return levels.length == 0 ? 0 : sum / levels.length;
    }

    static int longestRise(int[] levels) {
        int longest = 0;
        int length = 0;
        for (int at = 1; at < levels.length; at++) {
            length = levels[at] > levels[at - 1] ? length + 1 : 0;
            longest = Math.max(longest, length);
        }
        return longest;
    }
}
