class LinkedList:
    """A singly linked list of nested pairs (value, rest); the empty list is None."""

    def __init__(self, values=()):
        self._pairs = None
        for value in reversed(list(values)):
            self._pairs = (value, self._pairs)

    def __iter__(self):
        pairs = self._pairs
        while pairs:
            value, pairs = pairs
            yield value

    def __len__(self):
        return sum(1 for _ in self)

    def __contains__(self, wanted):
        return any(value == wanted for value in self)

    def __repr__(self):
        return f"LinkedList({list(self)!r})"

    def map(self, function):
        return LinkedList(function(value) for value in self)

    def merge(self, other):
        """Merge two sorted lists."""

        def merged(a, b):
            if a is None or b is None:
                return a or b
            if a[0] <= b[0]:
                return a[0], merged(a[1], b)
            return b[0], merged(a, b[1])

        result = LinkedList()
        result._pairs = merged(self._pairs, other._pairs)
        return result

    def halves(self):
        values = list(self)
        middle = len(values) // 2
        return LinkedList(values[:middle]), LinkedList(values[middle:])

    def sorted(self):
        if len(self) < 2:
            return self
        front, back = self.halves()
        return front.sorted().merge(back.sorted())


def test():
    unordered = LinkedList([5, 2, 8, 1, 9, 3])
    assert list(unordered.sorted()) == [1, 2, 3, 5, 8, 9]
    assert 8 in unordered and 7 not in unordered
    assert len(unordered.map(str)) == 6
    print(unordered, "->", unordered.sorted())


test()
