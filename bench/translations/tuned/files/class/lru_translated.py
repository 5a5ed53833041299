class Node:
    def __init__(self, key, value):
        self.key = key
        self.value = value
        self.hits = 0
        self.prev = None
        self.next = None


class LruCache:
    def __init__(self, size):
        self.capacity = size
        self.misses = 0
        self.lookup = {}
        self.head = Node("", 0)
        self.tail = Node("", 0)
        self.head.next = self.tail
        self.tail.prev = self.head

    def unlink(self, node):
        node.prev.next = node.next
        node.next.prev = node.prev

    def push_front(self, node):
        node.next = self.head.next
        node.prev = self.head
        self.head.next.prev = node
        self.head.next = node

    def get(self, key):
        if key not in self.lookup:
            self.misses += 1
            return -1
        node = self.lookup[key]
        node.hits += 1
        self.unlink(node)
        self.push_front(node)
        return node.value

    def put(self, key, value):
        if key in self.lookup:
            node = self.lookup[key]
            node.value = value
            self.unlink(node)
            self.push_front(node)
            return
        if len(self.lookup) == self.capacity:
            oldest = self.tail.prev
            print(f"evict {oldest.key} after {oldest.hits} hits")
            self.unlink(oldest)
            del self.lookup[oldest.key]
        node = Node(key, value)
        self.lookup[key] = node
        self.push_front(node)

    def dump(self):
        node = self.head.next
        while node is not self.tail:
            print(f"{node.key}={node.value}", end=" ")
            node = node.next
        print(f"({self.misses} misses)")


cache = LruCache(3)
cache.put("red", 11)
cache.put("green", 22)
cache.put("blue", 33)
cache.get("red")
cache.put("white", 44)
cache.get("green")
cache.put("blue", 55)
cache.dump()
