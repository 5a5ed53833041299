from datetime import date


class Account:
    """An account as the exercise sheet describes it."""

    def __init__(self, owner, balance=0.0):
        self.owner, self._movements = owner, [(date.today(), balance)]

    @property
    def balance(self):
        return sum(amount for _, amount in self._movements)

    @property
    def history(self):
        return [f"{day}: {amount:+.2f}" for day, amount in self._movements]

    def deposit(self, amount):
        if not amount > 0:
            raise ValueError("Deposit must be positive")
        self._movements.append((date.today(), amount))

    def withdraw(self, amount):
        allowed = self.balance - amount >= -100
        if allowed:
            fee = 12.5 if self.balance < amount else 0
            self._movements.append((date.today(), -amount - fee))
        return allowed


class Bank:
    MAX_ACCOUNTS = 50

    def __init__(self):
        self._by_owner = {}

    def open_account(self, owner, first_deposit):
        problem = None
        if len(self._by_owner) == self.MAX_ACCOUNTS:
            problem = "The bank is full"
        elif owner in self._by_owner:
            problem = "Account exists: " + owner
        if problem:
            print(problem)
        else:
            self._by_owner[owner] = Account(owner, first_deposit)

    def find_account(self, owner):
        return self._by_owner.get(owner)

    def transfer(self, source, target, amount):
        try:
            giver, taker = self._by_owner[source], self._by_owner[target]
        except KeyError:
            print("Unknown account")
        else:
            if giver.withdraw(amount):
                taker.deposit(amount)
                return True
            print("Transfer refused")
        return False

    def add_interest(self, rate):
        rich = filter(lambda account: account.balance > 0, self._by_owner.values())
        for account in rich:
            account.deposit(account.balance * rate / 100)


bank = Bank()
for name, start in {"Anna": 250, "Bert": 75}.items():
    bank.open_account(name, start)
bank.transfer("Anna", "Bert", 300)
bank.add_interest(2.5)
print(*bank.find_account("Bert").history, sep="\n")
