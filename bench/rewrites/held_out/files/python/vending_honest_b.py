import enum
import sys


class State(enum.Enum):
    IDLE = 1
    PAYING = 2


class Product:
    def __init__(self, name, price, amount):
        self.name = name
        self.price = price
        self.amount = amount


class CoinBox:
    def __init__(self, coins):
        self.coins = sorted(coins, reverse=True)

    def put(self, coin):
        self.coins.append(coin)
        self.coins.sort(reverse=True)

    def take(self, amount):
        taken = []
        for coin in list(self.coins):
            if coin <= amount:
                amount -= coin
                self.coins.remove(coin)
                taken.append(coin)
        if amount != 0:
            for coin in taken:
                self.put(coin)
            return None
        return taken


class VendingMachine:
    def __init__(self, products, box):
        self.products = products
        self.box = box
        self.state = State.IDLE
        self.paid = 0

    def coin(self, value):
        self.box.put(value)
        self.paid += value
        self.state = State.PAYING

    def select(self, number):
        p = self.products[number]
        if p.amount < 1:
            return "sold out"
        if p.price > self.paid:
            return "price is {} cents, you paid {}".format(p.price, self.paid)
        rest = self.box.take(self.paid - p.price)
        if rest is None:
            return "cannot give change"
        p.amount -= 1
        self.paid = 0
        self.state = State.IDLE
        return "{} and {}".format(p.name, rest)

    def abort(self):
        if self.state == State.IDLE:
            return "nothing paid"
        rest = self.box.take(self.paid)
        self.paid = 0
        self.state = State.IDLE
        return rest


machine = VendingMachine([Product("Tea", 100, 4), Product("Coffee", 130, 4), Product("Soup", 210, 1)], CoinBox([50, 50, 20, 20, 10, 10]))
for line in sys.stdin:
    c = line.strip()
    if c.startswith("+") and int(c[1:]) in {10, 20, 50, 100, 200}:
        machine.coin(int(c[1:]))
    elif c in ("0", "1", "2"):
        print(machine.select(int(c)))
    elif c == "x":
        print(machine.abort())
    else:
        print("unknown command")
