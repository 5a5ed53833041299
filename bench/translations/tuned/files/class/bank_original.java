import java.util.ArrayList;
import java.util.List;

/** A small bank with accounts, transfers and a statement. */
public class Bank {
    private static final double OVERDRAFT_FEE = 12.5;
    private static final int MAX_ACCOUNTS = 50;

    private static class Account {
        private final String owner;
        private double balance;
        private final List<String> history = new ArrayList<>();

        Account(String owner, double balance) {
            this.owner = owner;
            this.balance = balance;
        }

        void deposit(double amount) {
            if (amount <= 0) {
                throw new IllegalArgumentException("Deposit must be positive");
            }
            balance += amount;
            history.add("deposit " + amount);
        }

        // Going below zero is allowed once, for a fee.
        boolean withdraw(double amount) {
            if (amount > balance + 100) {
                history.add("refused " + amount);
                return false;
            }
            balance -= amount;
            if (balance < 0) {
                balance -= OVERDRAFT_FEE;
                history.add("overdraft fee");
            }
            history.add("withdraw " + amount);
            return true;
        }
    }

    private final List<Account> accounts = new ArrayList<>();

    Account findAccount(String owner) {
        for (Account account : accounts) {
            if (account.owner.equals(owner)) {
                return account;
            }
        }
        return null;
    }

    void openAccount(String owner, double firstDeposit) {
        if (accounts.size() >= MAX_ACCOUNTS) {
            System.out.println("The bank is full");
            return;
        }
        if (findAccount(owner) != null) {
            System.out.println("Account exists: " + owner);
            return;
        }
        accounts.add(new Account(owner, firstDeposit));
    }

    boolean transfer(String from, String to, double amount) {
        Account source = findAccount(from);
        Account target = findAccount(to);
        if (source == null || target == null) {
            System.out.println("Unknown account");
            return false;
        }
        if (!source.withdraw(amount)) {
            System.out.println("Transfer refused");
            return false;
        }
        target.deposit(amount);
        return true;
    }

    void addInterest(double rate) {
        for (Account account : accounts) {
            if (account.balance > 0) {
                account.deposit(account.balance * rate / 100);
            }
        }
    }

    public static void main(String[] args) {
        Bank bank = new Bank();
        bank.openAccount("Anna", 250);
        bank.openAccount("Bert", 75);
        bank.transfer("Anna", "Bert", 300);
        bank.transfer("Bert", "Carl", 20);
        bank.addInterest(2.5);
        for (Account account : bank.accounts) {
            System.out.println(account.owner + " has " + account.balance);
            for (String line : account.history) {
                System.out.println("  " + line);
            }
        }
    }
}
