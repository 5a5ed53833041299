class Harbour {
    static int[] read(java.util.Scanner scanner) {
        int[] levels = new int[scanner.nextInt()];
        for (int at = 0; at < levels.length; at++) {
            levels[at] = scanner.nextInt();
        }
        return levels;
    }
}
