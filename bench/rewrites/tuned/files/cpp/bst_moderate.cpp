// Ordered collection of whole numbers, kept in a tree.
#include <algorithm>
#include <cstddef>
#include <iostream>

class SortedNumbers {
    struct Item {
        Item* smaller = nullptr;
        Item* larger = nullptr;
        int key;
        explicit Item(int k) : key{k} {}
    };

    Item* top = nullptr;
    std::size_t items = 0;

    static std::size_t levels(const Item* item) {
        return item ? std::max(levels(item->larger), levels(item->smaller)) + 1 : 0;
    }

    static void write(const Item* item, std::ostream& out) {
        if (!item) return;
        write(item->smaller, out);
        out << item->key << ' ';
        write(item->larger, out);
    }

    static void destroy(Item* item) {
        if (!item) return;
        destroy(item->larger);
        destroy(item->smaller);
        delete item;
    }

    void erase(Item*& place, int key) {
        if (!place) {
            return;
        }
        if (place->key < key) {
            erase(place->larger, key);
            return;
        }
        if (key < place->key) {
            erase(place->smaller, key);
            return;
        }
        if (!place->smaller || !place->larger) {
            Item* gone = place;
            place = gone->smaller ? gone->smaller : gone->larger;
            delete gone;
            --items;
            return;
        }
        Item* successor;
        for (successor = place->larger; successor->smaller; successor = successor->smaller) {
        }
        place->key = successor->key;
        erase(place->larger, successor->key);
    }

    void put(Item*& place, int key) {
        if (place) {
            if (place->key < key)
                put(place->larger, key);
            else if (key < place->key)
                put(place->smaller, key);
        } else {
            place = new Item(key);
            ++items;
        }
    }

public:
    bool has(int key) const {
        const Item* item = top;
        for (; item && item->key != key; item = item->key < key ? item->larger : item->smaller) {
        }
        return item != nullptr;
    }

    SortedNumbers& add(int key) {
        put(top, key);
        return *this;
    }

    SortedNumbers& drop(int key) {
        erase(top, key);
        return *this;
    }

    friend std::ostream& operator<<(std::ostream& out, const SortedNumbers& numbers) {
        write(numbers.top, out);
        return out << '[' << numbers.items << " in " << levels(numbers.top) << " levels]\n";
    }

    ~SortedNumbers() { destroy(top); }
};

int main() {
    SortedNumbers numbers;
    numbers.add(50).add(30).add(70).add(20).add(40).add(60).add(80).add(30);
    std::cout << numbers;
    numbers.drop(30).drop(50);
    std::cout << numbers;
    std::cout << std::boolalpha << "60? " << numbers.has(60) << "\n50? " << numbers.has(50) << '\n';
}
