class Element:
    def __init__(self, key, times, successor):
        self.key = key
        self.times = times
        self.successor = successor


class Chain:
    def __init__(self):
        self.root = None
        self.size = 0

    def flip(self):
        done = None
        e = self.root
        while e is not None:
            rest = e.successor
            e.successor = done
            done = e
            e = rest
        self.root = done

    def put(self, key):
        last = None
        e = self.root
        while e is not None and e.key < key:
            last = e
            e = e.successor
        if e is not None and e.key == key:
            e.times += 1
            return
        new = Element(key, 1, e)
        if last is None:
            self.root = new
        else:
            last.successor = new
        self.size += 1

    def take(self, key):
        last = None
        e = self.root
        while e is not None and e.key != key:
            last = e
            e = e.successor
        if e is None:
            return False
        if e.times > 1:
            e.times -= 1
            return True
        if last is None:
            self.root = e.successor
        else:
            last.successor = e.successor
        self.size -= 1
        return True

    def nth(self, n):
        if n < 0 or n >= self.size:
            raise IndexError("too far")
        e = self.root
        for _ in range(n):
            e = e.successor
        return e.key

    def weight(self):
        w = 0
        e = self.root
        while e is not None:
            w += e.key * e.times
            e = e.successor
        return w

    def __str__(self):
        text = f"({self.size})"
        e = self.root
        while e is not None:
            text += f" {e.key}*{e.times}"
            e = e.successor
        return text


chain = Chain()
for key in [31, 4, 15, 92, 65, 35, 4, 89, 31, 4]:
    chain.put(key)
print(chain)
print(chain.take(4), chain.take(92), chain.take(1000))
print(chain)
print("nth:", chain.nth(2))
print("weight:", chain.weight())
chain.flip()
print(chain)
