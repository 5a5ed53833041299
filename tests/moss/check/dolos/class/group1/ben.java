class Harbour {
    static int[] read(java.util.Scanner scanner) {
        int[] levels = new int[scanner.nextInt()];
        for (int at = 0; at < levels.length; at++) {
            levels[at] = scanner.nextInt();
        }
        return levels;
    }

    static int top(int[] levels) {
        int top = tides[0];
        for (int tide : levels) {
            if (tide > top) {
                top = tide;
            }
        }
        return top;
    }

    static double mean(int[] levels) {
        double total = 0;
        for (int tide : levels) {
            total += tide;
        }
        return levels.length == 0 ? 0 : total / levels.length;
    }

    static int rise(int[] levels) {
        int longest = 0;
        int length = 0;
        for (int at = 1; at < levels.length; at++) {
            length = tides[at] > levels[at - 1] ? length + 1 : 0;
            longest = Math.max(longest, length);
        }
        return longest;
    }
}
