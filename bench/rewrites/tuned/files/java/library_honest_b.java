import java.util.Scanner;

class Main {
    static String[] titles = new String[100];
    static String[] lentTo = new String[100];
    static int[] lentOn = new int[100];
    static int n = 0;
    static int day = 0;
    static Scanner scanner = new Scanner(System.in);

    static int ask(String question) {
        System.out.print(question + " ");
        return Integer.parseInt(scanner.nextLine());
    }

    static String askText(String question) {
        System.out.print(question + " ");
        return scanner.nextLine();
    }

    static void printAll() {
        for (int i = 0; i < n; i++) {
            System.out.print(i + ": " + titles[i]);
            if (!lentTo[i].equals("")) {
                System.out.print(" -> " + lentTo[i] + " since day " + lentOn[i]);
            }
            System.out.println();
        }
    }

    static void borrow() {
        int i = ask("Number of the book?");
        String name = askText("Your name?");
        int has = 0;
        for (int k = 0; k < n; k++) {
            has += lentTo[k].equals(name) ? 1 : 0;
        }
        if (i < 0 || i >= n || !lentTo[i].isEmpty() || has > 2) {
            System.out.println("not possible");
        } else {
            lentTo[i] = name;
            lentOn[i] = day;
        }
    }

    static void bring() {
        int i = ask("Number of the book?");
        int days = day - lentOn[i];
        lentTo[i] = "";
        if (days > 14) {
            System.out.println("Please pay " + (days - 14) * 25 + " cents");
        }
    }

    public static void main(String[] args) {
        int choice;
        do {
            choice = ask("1 new book, 2 borrow, 3 bring back, 4 next day, 5 show, 0 end");
            switch (choice) {
                case 1 -> { titles[n] = askText("Title?"); lentTo[n++] = ""; }
                case 2 -> borrow();
                case 3 -> bring();
                case 4 -> day++;
                case 5 -> printAll();
                default -> System.out.println();
            }
        } while (choice != 0);
    }
}
