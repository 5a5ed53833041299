#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>
using namespace std;

const double PENALTY = 12.5;
const int LIMIT = 50;

class Customer {
public:
    string name;
    double money;
    vector<string> log;

    Customer(string n, double start) : name(n), money(start) {}

    bool takeOut(double sum) {
        if (sum > money + 100) {
            log.push_back("refused " + to_string(sum));
            return false;
        }
        money -= sum;
        if (money < 0) {
            money -= PENALTY;
            log.push_back("overdraft fee");
        }
        log.push_back("withdraw " + to_string(sum));
        return true;
    }

    void putIn(double sum) {
        if (sum <= 0) throw invalid_argument("Must be positive");
        money += sum;
        log.push_back("deposit " + to_string(sum));
    }
};

class Branch {
public:
    vector<Customer> customers;

    Customer* lookup(const string& name) {
        for (auto& c : customers) {
            if (c.name == name) return &c;
        }
        return nullptr;
    }

    void enroll(const string& name, double start) {
        if (customers.size() >= LIMIT) {
            cout << "No more room" << endl;
            return;
        }
        if (lookup(name) != nullptr) {
            cout << "Already there: " << name << endl;
            return;
        }
        customers.push_back(Customer(name, start));
    }

    bool send(const string& a, const string& b, double sum) {
        Customer* giver = lookup(a);
        Customer* taker = lookup(b);
        if (giver == nullptr || taker == nullptr) {
            cout << "Nobody of that name" << endl;
            return false;
        }
        if (!giver->takeOut(sum)) {
            cout << "Not possible" << endl;
            return false;
        }
        taker->putIn(sum);
        return true;
    }

    void payInterest(double percent) {
        for (auto& c : customers) {
            if (c.money > 0) c.putIn(c.money * percent / 100);
        }
    }
};

int main() {
    Branch b;
    b.enroll("Anna", 250);
    b.enroll("Bert", 75);
    b.send("Anna", "Bert", 300);
    b.send("Bert", "Carl", 20);
    b.payInterest(2.5);
    for (auto& c : b.customers) {
        cout << c.name << ": " << c.money << endl;
        for (auto& entry : c.log) cout << "  " << entry << endl;
    }
    return 0;
}
