// Binary search tree of integers with traversal, removal and checks.
#include <iostream>
#include <vector>

using namespace std;

struct Node {
    int value;
    Node* left;
    Node* right;

    Node(int v) : value(v), left(nullptr), right(nullptr) {}
};

class Tree {
private:
    Node* root = nullptr;
    int size = 0;

    Node* insert(Node* node, int value) {
        if (node == nullptr) {
            size++;
            return new Node(value);
        }
        if (value < node->value) {
            node->left = insert(node->left, value);
        } else if (value > node->value) {
            node->right = insert(node->right, value);
        }
        return node;
    }

    Node* remove(Node* node, int value) {
        if (node == nullptr) {
            return nullptr;
        }
        if (value < node->value) {
            node->left = remove(node->left, value);
        } else if (value > node->value) {
            node->right = remove(node->right, value);
        } else if (node->left != nullptr && node->right != nullptr) {
            Node* next = node->right;
            while (next->left != nullptr) {
                next = next->left;
            }
            node->value = next->value;
            node->right = remove(node->right, next->value);
        } else {
            Node* child = node->left != nullptr ? node->left : node->right;
            delete node;
            size--;
            return child;
        }
        return node;
    }

    int height(Node* node) const {
        if (node == nullptr) {
            return 0;
        }
        return 1 + max(height(node->left), height(node->right));
    }

    void collect(Node* node, vector<int>& values) const {
        if (node != nullptr) {
            collect(node->left, values);
            values.push_back(node->value);
            collect(node->right, values);
        }
    }

    void clear(Node* node) {
        if (node != nullptr) {
            clear(node->left);
            clear(node->right);
            delete node;
        }
    }

public:
    ~Tree() { clear(root); }

    void insert(int value) { root = insert(root, value); }

    void remove(int value) { root = remove(root, value); }

    bool contains(int value) const {
        Node* node = root;
        while (node != nullptr) {
            if (value == node->value) {
                return true;
            }
            node = value < node->value ? node->left : node->right;
        }
        return false;
    }

    int height() const { return height(root); }

    void print() const {
        vector<int> values;
        collect(root, values);
        for (int i = 0; i < (int)values.size(); i++) {
            cout << values[i] << " ";
        }
        cout << "(" << size << " values, height " << height() << ")" << endl;
    }
};

int main() {
    Tree tree;
    int input[] = {50, 30, 70, 20, 40, 60, 80, 30};
    for (int value : input) {
        tree.insert(value);
    }
    tree.print();
    tree.remove(30);
    tree.remove(50);
    tree.print();
    cout << "Contains 60: " << tree.contains(60) << endl;
    cout << "Contains 50: " << tree.contains(50) << endl;
    return 0;
}
