#include <iostream>
#include <fstream>
#include <string>
using namespace std;

// one line of text for each row, * means free
string plan[10];

void fill() {
    ifstream in("plane.dat");
    for (int i = 0; i < 10; i++) {
        if (!(in >> plan[i])) plan[i] = "****";
    }
}

void store() {
    ofstream out("plane.dat");
    for (string line : plan) out << line << "\n";
}

void show() {
    for (int i = 0; i < 10; i++) {
        cout << i << "  " << plan[i].substr(0, 2) << "  " << plan[i].substr(2) << endl;
    }
}

int main() {
    fill();
    int choice = 1;
    while (choice != 0) {
        show();
        cout << "1 book  2 cancel  3 group  0 end: ";
        cin >> choice;
        if (choice == 1 || choice == 2) {
            int row, seat;
            cout << "row (0-9) and seat (1-4): ";
            cin >> row >> seat;
            if (row < 0 || row > 9 || seat < 1 || seat > 4) {
                cout << "wrong" << endl;
            } else if (choice == 2) {
                plan[row][seat - 1] = '*';
            } else if (plan[row][seat - 1] != '*') {
                cout << "occupied" << endl;
            } else {
                string initial;
                cout << "first letter of the name: ";
                cin >> initial;
                plan[row][seat - 1] = initial[0];
            }
        } else if (choice == 3) {
            int people;
            cout << "how many? ";
            cin >> people;
            string wanted(people, '*');
            bool done = false;
            for (int i = 0; i < 10 && !done; i++) {
                size_t p = plan[i].find(wanted);
                if (p != string::npos) {
                    plan[i].replace(p, people, string(people, 'G'));
                    cout << "row " << i << " from seat " << p + 1 << endl;
                    done = true;
                }
            }
            if (!done) cout << "they cannot sit together" << endl;
        }
    }
    store();
    int free = 0;
    for (string line : plan)
        for (char c : line)
            if (c == '*') free++;
    cout << free << " free places" << endl;
}
