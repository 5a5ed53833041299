import java.util.List;
import java.util.Scanner;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Noughts and crosses with both sides as nine-bit masks. */
public class Noughts {
    private static final int ALL = 0b111111111;
    private static final int[] LINES = {0b111, 0b111000, 0b111000000, 0b1001001, 0b10010010, 0b100100100, 0b100010001, 0b1010100};

    private final Scanner keyboard = new Scanner(System.in);
    private int person;
    private int machine;

    private static boolean complete(int mask) {
        return IntStream.of(LINES).anyMatch(line -> (mask & line) == line);
    }

    private List<Integer> open() {
        return IntStream.range(0, 9).filter(cell -> ((person | machine) >> cell & 1) == 0).boxed().collect(Collectors.toList());
    }

    private String symbol(int cell) {
        int bit = 1 << cell;
        return (person & bit) != 0 ? "X" : (machine & bit) != 0 ? "O" : " ";
    }

    private void draw() {
        String rows = IntStream.range(0, 3)
            .mapToObj(row -> IntStream.range(0, 3).mapToObj(col -> " " + symbol(row * 3 + col)).collect(Collectors.joining(" |")))
            .collect(Collectors.joining("\n---+---+---\n"));
        System.out.println(rows);
    }

    private int ask() {
        int cell = -1;
        while (!open().contains(cell)) {
            System.out.print("Your line and place: ");
            int line = keyboard.nextInt();
            int place = keyboard.nextInt();
            cell = line < 1 || line > 3 || place < 1 || place > 3 ? -1 : 3 * line + place - 4;
        }
        return 1 << cell;
    }

    /** Complete a line, else stop one, else anything. */
    private int choose() {
        for (int mask : new int[] {machine, person}) {
            for (int cell : open()) {
                if (complete(mask | 1 << cell)) {
                    return 1 << cell;
                }
            }
        }
        List<Integer> cells = open();
        return 1 << cells.get(ThreadLocalRandom.current().nextInt(cells.size()));
    }

    private String verdict() {
        boolean personIsNext = Integer.bitCount(person) == Integer.bitCount(machine);
        if (complete(person)) {
            return "Congratulations";
        }
        if (complete(machine)) {
            return "The machine was better";
        }
        if ((person | machine) == ALL) {
            return "Nobody has won";
        }
        if (personIsNext) {
            draw();
            person |= ask();
        } else {
            machine |= choose();
        }
        return verdict();
    }

    public static void main(String[] arguments) {
        Noughts match = new Noughts();
        String result = match.verdict();
        match.draw();
        System.out.println(result);
    }
}
