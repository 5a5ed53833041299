// Bank account exercise
class BankAccount {
  #balance = 0;

  constructor(holder, iban) {
    this.holder = holder;
    this.iban = iban;
    this.transactions = [];
  }

  get balance() {
    return this.#balance;
  }

  deposit(amount) {
    if (typeof amount !== "number" || amount <= 0) {
      throw new RangeError("Amount must be greater than zero");
    }
    this.#balance += amount;
    this.transactions.push({ type: "in", amount, date: new Date() });
  }

  withdraw(amount) {
    if (amount > this.#balance) {
      throw new Error("Insufficient funds");
    }
    this.#balance -= amount;
    this.transactions.push({ type: "out", amount, date: new Date() });
  }

  printTransactions() {
    this.transactions.forEach((t, i) => {
      console.log(`${i + 1}. ${t.type} ${t.amount.toFixed(2)}`);
    });
  }
}

class SavingsAccount extends BankAccount {
  constructor(holder, iban, rate) {
    super(holder, iban);
    this.rate = rate;
  }

  closeYear() {
    const interest = this.balance * this.rate;
    if (interest > 0) {
      this.deposit(interest);
    }
    return interest;
  }
}

const giro = new BankAccount("Mia", "DE02100500000054540402");
const savings = new SavingsAccount("Mia", "DE02300209000106531065", 0.015);
giro.deposit(1200);
giro.withdraw(450.5);
savings.deposit(450.5);
savings.closeYear();
try {
  giro.withdraw(5000);
} catch (error) {
  console.log("Error:", error.message);
}
giro.printTransactions();
console.log(`Total wealth ${(giro.balance + savings.balance).toFixed(2)}`);
