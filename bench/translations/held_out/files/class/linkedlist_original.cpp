#include <iostream>
#include <stdexcept>
using namespace std;

class SortedList {
    struct Link {
        int number;
        int copies;
        Link* next;
    };
    Link* first = nullptr;
    int length = 0;

public:
    void insert(int number) {
        Link* before = nullptr;
        Link* current = first;
        while (current != nullptr && current->number < number) {
            before = current;
            current = current->next;
        }
        if (current != nullptr && current->number == number) {
            current->copies++;
            return;
        }
        Link* link = new Link{number, 1, current};
        if (before == nullptr) {
            first = link;
        } else {
            before->next = link;
        }
        length++;
    }

    bool remove(int number) {
        Link* before = nullptr;
        Link* current = first;
        while (current != nullptr && current->number != number) {
            before = current;
            current = current->next;
        }
        if (current == nullptr) {
            return false;
        }
        if (current->copies > 1) {
            current->copies--;
            return true;
        }
        if (before == nullptr) {
            first = current->next;
        } else {
            before->next = current->next;
        }
        delete current;
        length--;
        return true;
    }

    void reverse() {
        Link* result = nullptr;
        Link* current = first;
        while (current != nullptr) {
            Link* following = current->next;
            current->next = result;
            result = current;
            current = following;
        }
        first = result;
    }

    int at(int index) {
        if (index < 0 || index >= length) {
            throw out_of_range("Index is outside of the list");
        }
        Link* current = first;
        for (int i = 0; i < index; i++) {
            current = current->next;
        }
        return current->number;
    }

    int sum() {
        int total = 0;
        for (Link* current = first; current != nullptr; current = current->next) {
            total += current->number * current->copies;
        }
        return total;
    }

    void print() {
        cout << "[" << length << "] ";
        Link* current = first;
        while (current != nullptr) {
            cout << current->number << "x" << current->copies << " ";
            current = current->next;
        }
        cout << endl;
    }
};

int main() {
    SortedList list;
    int numbers[] = {31, 4, 15, 92, 65, 35, 4, 89, 31, 4};
    for (int number : numbers) {
        list.insert(number);
    }
    list.print();
    cout << list.remove(4) << list.remove(92) << list.remove(1000) << endl;
    list.print();
    cout << "Third: " << list.at(2) << endl;
    cout << "Sum: " << list.sum() << endl;
    list.reverse();
    list.print();
    return 0;
}
