#include <iostream>
#include <string>
#include <unordered_map>
using namespace std;

struct Node {
    string key;
    int value;
    int hits;
    Node* prev;
    Node* next;
    Node(string k, int v) : key(k), value(v), hits(0), prev(nullptr), next(nullptr) {}
};

// Least recently used cache: hash map and doubly linked list.
class LruCache {
    int capacity;
    int misses;
    Node* head;
    Node* tail;
    unordered_map<string, Node*> lookup;

    void unlink(Node* node) {
        node->prev->next = node->next;
        node->next->prev = node->prev;
    }

    void pushFront(Node* node) {
        node->next = head->next;
        node->prev = head;
        head->next->prev = node;
        head->next = node;
    }

public:
    LruCache(int size) {
        capacity = size;
        misses = 0;
        head = new Node("", 0);
        tail = new Node("", 0);
        head->next = tail;
        tail->prev = head;
    }

    int get(string key) {
        if (lookup.count(key) == 0) {
            misses++;
            return -1;
        }
        Node* node = lookup[key];
        node->hits++;
        unlink(node);
        pushFront(node);
        return node->value;
    }

    void put(string key, int value) {
        if (lookup.count(key) > 0) {
            Node* node = lookup[key];
            node->value = value;
            unlink(node);
            pushFront(node);
            return;
        }
        if (lookup.size() == capacity) {
            Node* oldest = tail->prev;
            cout << "evict " << oldest->key << " after " << oldest->hits << " hits" << endl;
            unlink(oldest);
            lookup.erase(oldest->key);
            delete oldest;
        }
        Node* node = new Node(key, value);
        lookup[key] = node;
        pushFront(node);
    }

    void dump() {
        Node* node = head->next;
        while (node != tail) {
            cout << node->key << "=" << node->value << " ";
            node = node->next;
        }
        cout << "(" << misses << " misses)" << endl;
    }
};

int main() {
    LruCache cache(3);
    cache.put("red", 11);
    cache.put("green", 22);
    cache.put("blue", 33);
    cache.get("red");
    cache.put("white", 44);
    cache.get("green");
    cache.put("blue", 55);
    cache.dump();
    return 0;
}
