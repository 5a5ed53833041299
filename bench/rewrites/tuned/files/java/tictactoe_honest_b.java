import java.util.ArrayList;
import java.util.Collections;
import java.util.Scanner;

interface Player {
    String move(String board);
}

class Human implements Player {
    private final Scanner input = new Scanner(System.in);

    public String move(String board) {
        System.out.println(board.substring(0, 3) + "\n" + board.substring(3, 6) + "\n" + board.substring(6));
        System.out.println("Type the number of a free place:");
        String n = input.next();
        while (n.length() != 1 || !board.contains(n)) {
            System.out.println("Again:");
            n = input.next();
        }
        return board.replace(n, "X");
    }
}

class Robot implements Player {
    public String move(String board) {
        ArrayList<String> free = new ArrayList<>();
        for (String c : board.split("")) {
            if (Character.isDigit(c.charAt(0))) free.add(c);
        }
        Collections.shuffle(free);
        for (String sign : new String[] {"O", "X"}) {
            for (String c : free) {
                if (Board.won(board.replace(c, sign), sign)) return board.replace(c, "O");
            }
        }
        return free.contains("5") ? board.replace("5", "O") : board.replace(free.get(0), "O");
    }
}

public class Board {
    static boolean won(String board, String sign) {
        String other = sign.equals("X") ? "O" : "X";
        String b = board.replaceAll("[1-9" + other + "]", "-");
        String s = sign + sign + sign;
        return b.substring(0, 3).equals(s) || b.substring(3, 6).equals(s) || b.substring(6).equals(s)
            || b.matches("(..)?" + sign + "..." + sign + "..." + sign) || b.matches("..(" + sign + ".){3}.")
            || b.matches("(.{0,2})" + sign + ".." + sign + ".." + sign + ".*");
    }

    public static void main(String[] args) {
        Player[] players = {new Human(), new Robot()};
        String[] signs = {"X", "O"};
        String board = "123456789";
        for (int turn = 0; turn < 9; turn++) {
            board = players[turn % 2].move(board);
            if (won(board, signs[turn % 2])) {
                System.out.println(signs[turn % 2] + " has won: " + board);
                return;
            }
        }
        System.out.println("no winner: " + board);
    }
}
