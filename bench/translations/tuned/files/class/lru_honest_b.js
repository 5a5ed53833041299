// LRU cache with a Map: Maps keep the insertion order.
class Cache {
  constructor(limit = 100) {
    if (limit < 1) throw new RangeError("limit must be at least 1");
    this.limit = limit;
    this.map = new Map();
    this.stats = { hit: 0, miss: 0, evicted: 0 };
  }

  get(key) {
    if (!this.map.has(key)) {
      this.stats.miss++;
      return undefined;
    }
    const value = this.map.get(key);
    this.map.delete(key);
    this.map.set(key, value);
    this.stats.hit++;
    return value;
  }

  set(key, value) {
    this.map.delete(key);
    this.map.set(key, value);
    while (this.map.size > this.limit) {
      const [oldest] = this.map.keys();
      this.map.delete(oldest);
      this.stats.evicted++;
    }
  }

  *[Symbol.iterator]() {
    yield* [...this.map.entries()].reverse();
  }
}

function memoize(fn, limit) {
  const cache = new Cache(limit);
  const wrapped = (...args) => {
    const key = JSON.stringify(args);
    let value = cache.get(key);
    if (value === undefined) {
      value = fn(...args);
      cache.set(key, value);
    }
    return value;
  };
  wrapped.cache = cache;
  return wrapped;
}

const fib = memoize((n) => (n < 2 ? n : fib(n - 1) + fib(n - 2)), 40);
console.log(fib(70));
console.log(fib.cache.stats);
for (const [key, value] of fib.cache) {
  console.log(key, "→", value);
}
