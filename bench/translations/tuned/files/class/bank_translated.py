OVERDRAFT_FEE = 12.5
MAX_ACCOUNTS = 50


class Account:
    def __init__(self, owner, balance):
        self.owner = owner
        self.balance = balance
        self.history = []

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("Deposit must be positive")
        self.balance += amount
        self.history.append(f"deposit {amount}")

    def withdraw(self, amount):
        if amount > self.balance + 100:
            self.history.append(f"refused {amount}")
            return False
        self.balance -= amount
        if self.balance < 0:
            self.balance -= OVERDRAFT_FEE
            self.history.append("overdraft fee")
        self.history.append(f"withdraw {amount}")
        return True


class Bank:
    def __init__(self):
        self.accounts = []

    def find_account(self, owner):
        for account in self.accounts:
            if account.owner == owner:
                return account
        return None

    def open_account(self, owner, first_deposit):
        if len(self.accounts) >= MAX_ACCOUNTS:
            print("The bank is full")
            return
        if self.find_account(owner) is not None:
            print("Account exists: " + owner)
            return
        self.accounts.append(Account(owner, first_deposit))

    def transfer(self, from_owner, to_owner, amount):
        source = self.find_account(from_owner)
        target = self.find_account(to_owner)
        if source is None or target is None:
            print("Unknown account")
            return False
        if not source.withdraw(amount):
            print("Transfer refused")
            return False
        target.deposit(amount)
        return True

    def add_interest(self, rate):
        for account in self.accounts:
            if account.balance > 0:
                account.deposit(account.balance * rate / 100)


if __name__ == "__main__":
    bank = Bank()
    bank.open_account("Anna", 250)
    bank.open_account("Bert", 75)
    bank.transfer("Anna", "Bert", 300)
    bank.transfer("Bert", "Carl", 20)
    bank.add_interest(2.5)
    for account in bank.accounts:
        print(f"{account.owner} has {account.balance}")
        for line in account.history:
            print("  " + line)
