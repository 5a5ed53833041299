import java.util.*;

/** Bowling with the names and messages of the sheet. */
public class Game {
    private final String player;
    private final LinkedList<Integer> rolls = new LinkedList<>();

    public Game(String player) {
        this.player = player;
    }

    public void roll(int pins) {
        if (pins != Math.min(10, Math.max(0, pins))) {
            throw new IllegalArgumentException("Invalid number of pins: " + pins);
        }
        rolls.addLast(pins);
    }

    public int score() {
        return score(new ArrayDeque<>(rolls), 1);
    }

    private static int score(Deque<Integer> left, int frame) {
        if (frame > 10 || left.isEmpty()) {
            return 0;
        }
        int first = left.removeFirst();
        Iterator<Integer> ahead = left.iterator();
        int bonus = ahead.next();
        if (first < 10) {
            left.removeFirst();
            if (first + bonus < 10) {
                return first + bonus + score(left, frame + 1);
            }
        }
        return first + bonus + ahead.next() + score(left, frame + 1);
    }

    public String grade() {
        TreeMap<Integer, String> grades = new TreeMap<>(Map.of(
            0, "beginner", 110, "good", 180, "professional", 300, "perfect game"));
        return grades.floorEntry(score()).getValue();
    }

    static Game parseLine(String line) {
        Scanner scanner = new Scanner(line).useDelimiter("[: ]+");
        Game game = new Game(scanner.next());
        while (scanner.hasNext()) {
            String symbol = scanner.next();
            switch (symbol) {
                case "X" -> game.roll(10);
                case "/" -> game.roll(10 - game.rolls.getLast());
                case "-" -> game.roll(0);
                default -> game.roll(Integer.valueOf(symbol));
            }
        }
        return game;
    }

    public static void main(String[] args) {
        List<Game> games = new ArrayList<>();
        games.add(parseLine("Walter: X X X X X X X X X X X X"));
        games.add(parseLine("Smokey: 8 1 7 2 - - 3 3 4 5 9 - 2 2 1 / 6 1 X 5 4"));
        games.forEach(g -> System.out.println(g.player + " scored " + g.score() + " (" + g.grade() + ")"));
        System.out.println("The winner is " + Collections.max(games, Comparator.comparing(Game::score)).player);
    }
}
