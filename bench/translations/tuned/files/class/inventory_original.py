import sys


class Item:
    """One line of the stock."""

    def __init__(self, sku, title, quantity, price):
        self.sku = sku
        self.title = title
        self.quantity = quantity
        self.price = price

    def value(self):
        return self.quantity * self.price


class Inventory:
    REORDER_LEVEL = 15

    def __init__(self):
        self.items = {}
        self.backorders = []

    def receive(self, sku, title, quantity, price):
        if sku in self.items:
            item = self.items[sku]
            item.quantity += quantity
            item.price = price
        else:
            self.items[sku] = Item(sku, title, quantity, price)

    def ship(self, sku, quantity):
        if sku not in self.items:
            print("No such article: " + sku)
            return 0
        item = self.items[sku]
        shipped = min(quantity, item.quantity)
        item.quantity -= shipped
        if shipped < quantity:
            # the customer waits for the rest
            self.backorders.append((sku, quantity - shipped))
        return shipped

    def low_stock(self):
        result = []
        for item in self.items.values():
            if item.quantity < self.REORDER_LEVEL:
                result.append(item.sku)
        result.sort()
        return result

    def total_value(self):
        total = 0.0
        for item in self.items.values():
            total += item.value()
        return total

    def discount_category(self, prefix, percent):
        changed = 0
        for item in self.items.values():
            if item.sku.startswith(prefix) and item.quantity > 3 * self.REORDER_LEVEL:
                item.price = round(item.price * (100 - percent) / 100, 2)
                changed += 1
        return changed


def main():
    stock = Inventory()
    stock.receive("T-100", "Hammer", 40, 12.99)
    stock.receive("T-205", "Pliers", 8, 7.49)
    stock.receive("G-310", "Hose", 120, 19.95)
    stock.receive("T-100", "Hammer", 20, 13.49)
    print("Shipped", stock.ship("T-100", 55))
    print("Shipped", stock.ship("T-205", 11))
    print("Shipped", stock.ship("X-999", 1))
    print("Discounted", stock.discount_category("G", 15))
    print("Low stock:", stock.low_stock())
    print("Backorders:", stock.backorders)
    print("Stock value: %.2f" % stock.total_value())


main()
