products = [("water", 1.2), ("juice", 1.7), ("bar", 0.9), ("nuts", 2.4)]
stock = [10, 10, 10, 10]
cash = 0


def show():
    for number, (name, price) in enumerate(products):
        if stock[number]:
            print(number, name, price, "EUR,", stock[number], "left")


def pay(price):
    paid = 0
    while paid < price:
        text = input(f"Still to pay {price - paid:.2f}, coin (or c): ")
        if text == "c":
            print(f"You get {paid:.2f} back")
            return False
        try:
            coin = float(text)
        except ValueError:
            print("what?")
            continue
        if coin in (2, 1, 0.5, 0.2, 0.1):
            paid = round(paid + coin, 2)
        else:
            print("The machine does not know this coin")
    back(round((paid - price) * 100))
    return True


def back(cents):
    for coin in 200, 100, 50, 20, 10:
        n, cents = divmod(cents, coin)
        if n:
            print(n, "x", coin, "cents")


while True:
    show()
    choice = input("Product, or q: ")
    if choice == "q":
        print(f"Earned: {cash:.2f}")
        break
    if not choice.isdigit() or int(choice) >= len(products) or not stock[int(choice)]:
        print("not available")
        continue
    if pay(products[int(choice)][1]):
        stock[int(choice)] -= 1
        cash += products[int(choice)][1]
