#include <iostream>
#include <string>
using namespace std;

struct Item {
    string name;
    float price;
    int pieces;
    int low;
};

Item items[100];
int number = 0;
float income = 0;

int ask(string text) {
    int x;
    cout << text << ": ";
    cin >> x;
    return x;
}

int choose() {
    for (int i = 0; i < number; i++) cout << i << " = " << items[i].name << endl;
    int i = ask("number");
    while (i < 0 || i >= number) i = ask("wrong, again");
    return i;
}

int main() {
    int menu;
    do {
        menu = ask("1 new, 2 buy, 3 sell, 4 table, 5 shopping list, 0 exit");
        if (menu == 1) {
            Item& item = items[number];
            cout << "name and price: ";
            cin >> item.name >> item.price;
            item.pieces = ask("pieces");
            item.low = ask("lowest number");
            number++;
        }
        if (menu == 2) {
            int i = choose();
            items[i].pieces += ask("how many");
        }
        if (menu == 3) {
            int i = choose();
            int n = ask("how many");
            if (n > items[i].pieces) {
                cout << "we sell the last " << items[i].pieces << endl;
                n = items[i].pieces;
            }
            items[i].pieces -= n;
            income += n * items[i].price;
        }
        if (menu == 4) {
            float sum = 0;
            for (int i = 0; i < number; i++) {
                cout << items[i].name << "\t" << items[i].price << "\t" << items[i].pieces << endl;
                sum += items[i].price * items[i].pieces;
            }
            cout << "stock: " << sum << " income: " << income << endl;
        }
        if (menu == 5) {
            for (int i = 0; i < number; i++)
                if (items[i].pieces < items[i].low) cout << "buy " << items[i].name << endl;
        }
    } while (menu != 0);
}
