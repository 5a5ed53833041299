import java.util.Random;
import java.util.Scanner;

/** Tic-tac-toe against the computer. */
public class TicTacToe {
    private char[][] board = new char[3][3];
    private Random random = new Random();
    private Scanner scanner = new Scanner(System.in);

    TicTacToe() {
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                board[i][j] = ' ';
            }
        }
    }

    void print() {
        for (int i = 0; i < 3; i++) {
            System.out.println(" " + board[i][0] + " | " + board[i][1] + " | " + board[i][2]);
            if (i < 2) {
                System.out.println("---+---+---");
            }
        }
    }

    boolean wins(char player) {
        for (int i = 0; i < 3; i++) {
            if (board[i][0] == player && board[i][1] == player && board[i][2] == player) {
                return true;
            }
            if (board[0][i] == player && board[1][i] == player && board[2][i] == player) {
                return true;
            }
        }
        if (board[0][0] == player && board[1][1] == player && board[2][2] == player) {
            return true;
        }
        return board[0][2] == player && board[1][1] == player && board[2][0] == player;
    }

    boolean isFull() {
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                if (board[i][j] == ' ') {
                    return false;
                }
            }
        }
        return true;
    }

    void humanMove() {
        while (true) {
            System.out.print("Row and column (1-3): ");
            int row = scanner.nextInt() - 1;
            int column = scanner.nextInt() - 1;
            if (row >= 0 && row < 3 && column >= 0 && column < 3 && board[row][column] == ' ') {
                board[row][column] = 'X';
                return;
            }
            System.out.println("This field is not free");
        }
    }

    boolean completes(char player) {
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                if (board[i][j] == ' ') {
                    board[i][j] = player;
                    if (wins(player)) {
                        board[i][j] = 'O';
                        return true;
                    }
                    board[i][j] = ' ';
                }
            }
        }
        return false;
    }

    void computerMove() {
        if (completes('O') || completes('X')) {
            return;
        }
        int row;
        int column;
        do {
            row = random.nextInt(3);
            column = random.nextInt(3);
        } while (board[row][column] != ' ');
        board[row][column] = 'O';
    }

    void play() {
        while (true) {
            print();
            humanMove();
            if (wins('X')) {
                System.out.println("You win");
                break;
            }
            if (isFull()) {
                System.out.println("Draw");
                break;
            }
            computerMove();
            if (wins('O')) {
                System.out.println("Computer wins");
                break;
            }
        }
        print();
    }

    public static void main(String[] args) {
        new TicTacToe().play();
    }
}
