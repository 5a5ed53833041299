#include <bitset>
#include <iostream>
#include <vector>

class Row {
    std::bitset<4> taken;
    int n;

public:
    explicit Row(int number) : n(number) {}

    bool take(char letter) {
        int i = letter - 'a';
        if (i < 0 || i > 3 || taken[i]) return false;
        taken.set(i);
        return true;
    }

    void leave(char letter) { taken.reset(letter - 'a'); }

    char window() const {
        if (!taken[0]) return 'a';
        return taken[3] ? 0 : 'd';
    }

    char aisle() const { return !taken[1] ? 'b' : !taken[2] ? 'c' : 0; }
    int number() const { return n; }
    std::size_t free() const { return 4 - taken.count(); }

    friend std::ostream& operator<<(std::ostream& o, const Row& r) {
        o << r.n << '\t';
        for (int i = 0; i < 4; i++) o << (r.taken[i] ? '#' : char('a' + i)) << (i == 1 ? " " : "");
        return o << '\n';
    }
};

int main() {
    std::vector<Row> rows;
    for (int i = 1; i <= 15; i++) rows.emplace_back(i);
    char key;
    while (std::cout << "[w]indow [a]isle [s]eat [c]ancel [q]uit? ", std::cin >> key) {
        if (key == 'q') break;
        int n;
        char letter = 0;
        if (key == 'w' || key == 'a') {
            for (Row& row : rows) {
                letter = key == 'w' ? row.window() : row.aisle();
                if (letter && row.take(letter)) {
                    std::cout << "You have " << row.number() << letter << '\n';
                    break;
                }
            }
            if (!letter) std::cout << "Sorry, no such seat is left.\n";
        } else if (std::cin >> n >> letter && n >= 1 && n <= 15) {
            if (key == 'c') rows[n - 1].leave(letter);
            else if (!rows[n - 1].take(letter)) std::cout << "Not this one.\n";
        }
        std::size_t sum = 0;
        for (const Row& row : rows) {
            std::cout << row;
            sum += row.free();
        }
        std::cout << "free: " << sum << '\n';
    }
}
