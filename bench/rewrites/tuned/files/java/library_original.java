import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;

/** A library that lends books to members. */
public class Library {
    static final int MAX_LOANS = 3;
    static final int LOAN_DAYS = 14;
    static final double FINE_PER_DAY = 0.25;

    static class Book {
        String title;
        String author;
        String borrower;
        int dueDay;

        Book(String title, String author) {
            this.title = title;
            this.author = author;
        }

        boolean isAvailable() {
            return borrower == null;
        }
    }

    private List<Book> books = new ArrayList<>();
    private int today = 1;

    void addBook(String title, String author) {
        books.add(new Book(title, author));
    }

    Book findBook(String title) {
        for (Book book : books) {
            if (book.title.equalsIgnoreCase(title)) {
                return book;
            }
        }
        return null;
    }

    int countLoans(String member) {
        int count = 0;
        for (Book book : books) {
            if (member.equals(book.borrower)) {
                count++;
            }
        }
        return count;
    }

    void lend(String title, String member) {
        Book book = findBook(title);
        if (book == null) {
            System.out.println("No such book");
        } else if (!book.isAvailable()) {
            System.out.println("Already lent to " + book.borrower);
        } else if (countLoans(member) >= MAX_LOANS) {
            System.out.println(member + " has too many books");
        } else {
            book.borrower = member;
            book.dueDay = today + LOAN_DAYS;
            System.out.println("Lent until day " + book.dueDay);
        }
    }

    void giveBack(String title) {
        Book book = findBook(title);
        if (book == null || book.isAvailable()) {
            System.out.println("This book is not lent");
            return;
        }
        int late = today - book.dueDay;
        if (late > 0) {
            double fine = late * FINE_PER_DAY;
            System.out.printf("Fine for %s: %.2f%n", book.borrower, fine);
        }
        book.borrower = null;
    }

    void list() {
        for (Book book : books) {
            String state = book.isAvailable() ? "available" : "lent to " + book.borrower;
            System.out.println(book.title + " by " + book.author + " (" + state + ")");
        }
    }

    public static void main(String[] args) {
        Library library = new Library();
        library.addBook("Emma", "Austen");
        library.addBook("Ulysses", "Joyce");
        library.addBook("Dracula", "Stoker");
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) {
            String[] words = in.nextLine().split(" ");
            if (words[0].equals("lend")) {
                library.lend(words[1], words[2]);
            } else if (words[0].equals("return")) {
                library.giveBack(words[1]);
            } else if (words[0].equals("day")) {
                library.today += Integer.parseInt(words[1]);
            } else if (words[0].equals("list")) {
                library.list();
            }
        }
    }
}
