// Stock of a shop: products, deliveries, sales, report of what is low.
#include <algorithm>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace std;

class Product {
private:
    string name;
    double price;
    int amount;
    int minimum;
    int sold;

public:
    Product(string name, double price, int amount, int minimum)
        : name(name), price(price), amount(amount), minimum(minimum), sold(0) {}

    string getName() const { return name; }
    int getAmount() const { return amount; }
    bool isLow() const { return amount < minimum; }
    double value() const { return amount * price; }
    double turnover() const { return sold * price; }
    int toOrder() const { return 2 * minimum - amount; }

    void deliver(int n) { amount += n; }

    bool sell(int n) {
        if (n > amount) {
            return false;
        }
        amount -= n;
        sold += n;
        return true;
    }

    void print() const {
        cout << left << setw(15) << name << right << setw(8) << fixed << setprecision(2) << price
             << setw(6) << amount << (isLow() ? " LOW" : "") << endl;
    }
};

class Stock {
private:
    vector<Product> products;

public:
    Product* find(const string& name) {
        for (size_t i = 0; i < products.size(); i++) {
            if (products[i].getName() == name) {
                return &products[i];
            }
        }
        return nullptr;
    }

    void load(const string& path) {
        ifstream file(path);
        string line;
        while (getline(file, line)) {
            istringstream in(line);
            string name;
            double price;
            int amount, minimum;
            if (in >> name >> price >> amount >> minimum) {
                products.push_back(Product(name, price, amount, minimum));
            }
        }
    }

    void report() const {
        double value = 0;
        double turnover = 0;
        for (const Product& p : products) {
            p.print();
            value += p.value();
            turnover += p.turnover();
        }
        cout << "Value of the stock: " << value << endl;
        cout << "Turnover: " << turnover << endl;
    }

    void orderList() {
        vector<Product> low;
        for (const Product& p : products) {
            if (p.isLow()) {
                low.push_back(p);
            }
        }
        sort(low.begin(), low.end(), [](const Product& a, const Product& b) { return a.toOrder() > b.toOrder(); });
        for (const Product& p : low) {
            cout << p.toOrder() << " x " << p.getName() << endl;
        }
    }
};

int main() {
    Stock stock;
    stock.load("stock.txt");
    string command, name;
    int n;
    while (cin >> command) {
        if (command == "report") {
            stock.report();
        } else if (command == "order") {
            stock.orderList();
        } else if (command == "sell" || command == "deliver") {
            cin >> name >> n;
            Product* product = stock.find(name);
            if (product == nullptr) {
                cout << "Unknown product" << endl;
            } else if (command == "deliver") {
                product->deliver(n);
            } else if (!product->sell(n)) {
                cout << "Only " << product->getAmount() << " left" << endl;
            }
        }
    }
    return 0;
}
