"""Vending machine with coins and change."""

COINS = [200, 100, 50, 20, 10]


class Machine:
    def __init__(self):
        self.items = {
            "A1": ["Water", 120, 5],
            "A2": ["Cola", 180, 3],
            "B1": ["Chocolate", 150, 4],
            "B2": ["Crisps", 220, 2],
        }
        self.coins = {200: 2, 100: 5, 50: 5, 20: 10, 10: 10}
        self.credit = 0

    def insert(self, coin):
        if coin not in COINS:
            print("Coin not accepted")
            return
        self.coins[coin] += 1
        self.credit += coin
        print("Credit: %.2f" % (self.credit / 100))

    def change(self, amount):
        result = []
        for coin in COINS:
            available = self.coins[coin]
            while amount >= coin and available > 0:
                result.append(coin)
                available -= 1
                amount -= coin
        if amount > 0:
            return None
        return result

    def buy(self, code):
        if code not in self.items:
            print("No such product")
            return
        name, price, stock = self.items[code]
        if stock == 0:
            print("Sold out")
        elif self.credit < price:
            print("Please insert %.2f more" % ((price - self.credit) / 100))
        else:
            coins = self.change(self.credit - price)
            if coins is None:
                print("No change, choose something else")
                return
            self.items[code][2] -= 1
            self.credit = 0
            print("Here is your", name)
            self.pay_out(coins)

    def pay_out(self, coins):
        for coin in coins:
            self.coins[coin] -= 1
        if coins:
            print("Change:", " ".join("%.2f" % (coin / 100) for coin in coins))

    def cancel(self):
        coins = self.change(self.credit)
        self.credit = 0
        self.pay_out(coins)


def main():
    machine = Machine()
    while True:
        words = input("> ").split()
        if not words:
            continue
        if words[0] == "coin":
            machine.insert(int(words[1]))
        elif words[0] == "buy":
            machine.buy(words[1].upper())
        elif words[0] == "cancel":
            machine.cancel()
        elif words[0] == "quit":
            break


main()
