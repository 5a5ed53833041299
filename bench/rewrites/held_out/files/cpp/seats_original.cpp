// Seat reservation of a small airline.
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

using namespace std;

const int ROWS = 12;
const int COLUMNS = 6;

class Plane {
private:
    string seats[ROWS][COLUMNS];

    bool parseSeat(const string& code, int& row, int& column) const {
        if (code.size() < 2 || code.size() > 3) {
            return false;
        }
        column = toupper(code.back()) - 'A';
        row = 0;
        for (size_t i = 0; i + 1 < code.size(); i++) {
            if (!isdigit(code[i])) {
                return false;
            }
            row = row * 10 + (code[i] - '0');
        }
        row--;
        return row >= 0 && row < ROWS && column >= 0 && column < COLUMNS;
    }

    string seatName(int row, int column) const {
        return to_string(row + 1) + char('A' + column);
    }

public:
    bool reserve(const string& code, const string& passenger) {
        int row, column;
        if (!parseSeat(code, row, column)) {
            cout << "There is no seat " << code << endl;
            return false;
        }
        if (!seats[row][column].empty()) {
            cout << "The seat is taken" << endl;
            return false;
        }
        seats[row][column] = passenger;
        return true;
    }

    bool cancel(const string& code) {
        int row, column;
        if (!parseSeat(code, row, column) || seats[row][column].empty()) {
            return false;
        }
        seats[row][column] = "";
        return true;
    }

    void reserveGroup(const string& passenger, int size) {
        for (int row = 0; row < ROWS; row++) {
            int start = 0;
            for (int column = 0; column < COLUMNS; column++) {
                if (!seats[row][column].empty()) {
                    start = column + 1;
                } else if (column - start + 1 == size) {
                    cout << "Seats:";
                    for (int i = start; i <= column; i++) {
                        seats[row][i] = passenger;
                        cout << " " << seatName(row, i);
                    }
                    cout << endl;
                    return;
                }
            }
        }
        cout << "No " << size << " seats side by side" << endl;
    }

    void print() const {
        int free = 0;
        cout << "   ABC DEF" << endl;
        for (int row = 0; row < ROWS; row++) {
            cout << (row < 9 ? " " : "") << row + 1 << " ";
            for (int column = 0; column < COLUMNS; column++) {
                if (column == COLUMNS / 2) {
                    cout << " ";
                }
                cout << (seats[row][column].empty() ? "." : "X");
                if (seats[row][column].empty()) {
                    free++;
                }
            }
            cout << endl;
        }
        cout << free << " seats are free" << endl;
    }

    void save(const string& path) const {
        ofstream file(path);
        for (int row = 0; row < ROWS; row++) {
            for (int column = 0; column < COLUMNS; column++) {
                if (!seats[row][column].empty()) {
                    file << seatName(row, column) << " " << seats[row][column] << endl;
                }
            }
        }
    }

    void load(const string& path) {
        ifstream file(path);
        string code, passenger;
        while (file >> code >> passenger) {
            reserve(code, passenger);
        }
    }
};

int main() {
    Plane plane;
    plane.load("seats.txt");
    string command, code, name;
    int size;
    while (cin >> command && command != "quit") {
        if (command == "reserve" && cin >> code >> name) {
            plane.reserve(code, name);
        } else if (command == "group" && cin >> name >> size) {
            plane.reserveGroup(name, size);
        } else if (command == "cancel" && cin >> code) {
            cout << (plane.cancel(code) ? "Cancelled" : "Not reserved") << endl;
        } else if (command == "show") {
            plane.print();
        }
    }
    plane.save("seats.txt");
    return 0;
}
