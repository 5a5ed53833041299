from collections import OrderedDict


class LruCache:
    """The cache of the sheet on an OrderedDict."""

    def __init__(self, capacity):
        self.capacity = capacity
        self._data = OrderedDict()
        self._hits = {}
        self.misses = 0

    def get(self, key):
        try:
            self._data.move_to_end(key, last=False)
        except KeyError:
            self.misses += 1
            return -1
        self._hits[key] += 1
        return self._data[key]

    def put(self, key, value):
        known = key in self._data
        self._data[key] = value
        self._data.move_to_end(key, last=False)
        self._hits.setdefault(key, 0)
        if not known and len(self._data) > self.capacity:
            oldest, _ = self._data.popitem()
            print("evict", oldest, "after", self._hits.pop(oldest), "hits")

    def dump(self):
        print(*(f"{key}={value}" for key, value in self._data.items()), f"({self.misses} misses)")


def test():
    cache = LruCache(3)
    for key, value in [("red", 11), ("green", 22), ("blue", 33)]:
        cache.put(key, value)
    assert cache.get("red") == 11
    cache.put("white", 44)
    assert cache.get("green") == -1
    cache.put("blue", 55)
    cache.dump()


test()
