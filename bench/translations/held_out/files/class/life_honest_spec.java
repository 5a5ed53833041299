import java.util.BitSet;
import java.util.stream.IntStream;

/** Life as on the sheet: 12 rows, 20 columns, a torus, 25 generations. */
public class World {
    static final int ROWS = 12, COLUMNS = 20, GENERATIONS = 25;
    private BitSet world = new BitSet(ROWS * COLUMNS);

    void placePattern(String pattern, int top, int left) {
        String[] lines = pattern.split("/");
        for (int r = 0; r < lines.length; r++) {
            int row = top + r;
            IntStream.range(0, lines[r].length()).filter(c -> lines[row - top].charAt(c) == 'O')
                .forEach(c -> world.set(index(row, left + c)));
        }
    }

    private static int index(int row, int column) {
        return Math.floorMod(row, ROWS) * COLUMNS + Math.floorMod(column, COLUMNS);
    }

    int countNeighbours(int cell) {
        int row = cell / COLUMNS, column = cell % COLUMNS;
        return (int) IntStream.range(0, 9).filter(n -> n != 4)
            .map(n -> index(row + n / 3 - 1, column + n % 3 - 1)).filter(world::get).count();
    }

    int step() {
        BitSet next = new BitSet();
        IntStream.range(0, ROWS * COLUMNS).forEach(cell -> {
            int neighbours = countNeighbours(cell);
            next.set(cell, neighbours == 3 || neighbours == 2 && world.get(cell));
        });
        BitSet changes = (BitSet) world.clone();
        changes.xor(next);
        world = next;
        return changes.cardinality();
    }

    public static void main(String[] args) {
        World world = new World();
        world.placePattern(".O./..O/OOO", 1, 1);
        world.placePattern("OOO", 7, 12);
        int generation = 0, changes;
        do {
            changes = world.step();
            System.out.printf("Generation %d: %d alive, %d changes%n", ++generation, world.world.cardinality(), changes);
        } while (changes > 0 && generation < GENERATIONS);
        if (changes == 0) {
            System.out.println("Stable");
        }
    }
}
