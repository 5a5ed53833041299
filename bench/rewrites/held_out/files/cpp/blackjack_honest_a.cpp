#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>

int deck[52];
int top;

void mix() {
    for (int i = 0; i < 52; i++) deck[i] = i % 13 + 2;  // 2 to 14, 14 is an ace
    for (int i = 0; i < 1000; i++) {
        int a = std::rand() % 52, b = std::rand() % 52;
        int c = deck[a];
        deck[a] = deck[b];
        deck[b] = c;
    }
    top = 0;
}

std::string show(int card) {
    if (card <= 10) return std::to_string(card);
    return std::string(1, "JQKA"[card - 11]);
}

int points(const std::string& name, const int* hand, int n) {
    int low = 0;
    bool ace = false;
    std::cout << name;
    for (int i = 0; i < n; i++) {
        std::cout << " [" << show(hand[i]) << "]";
        if (hand[i] == 14) {
            ace = true;
            low += 1;
        } else if (hand[i] > 10) {
            low += 10;
        } else {
            low += hand[i];
        }
    }
    int sum = ace && low + 10 <= 21 ? low + 10 : low;
    std::cout << " (" << sum << ")\n";
    return sum;
}

int main() {
    std::srand(std::time(nullptr));
    int won = 0, lost = 0;
    std::string again;
    do {
        mix();
        int mine[12], yours[12], m = 0, y = 0, p, q;
        yours[y++] = deck[top++];
        yours[y++] = deck[top++];
        while ((p = points("your cards", yours, y)) < 21) {
            std::string s;
            std::cout << "hit or stand? ";
            std::cin >> s;
            if (s != "hit") break;
            yours[y++] = deck[top++];
        }
        do {
            mine[m++] = deck[top++];
            q = points("my cards", mine, m);
        } while (p <= 21 && q < 17);
        if (p <= 21 && (q > 21 || p > q)) {
            won++;
            std::cout << "well played!\n";
        } else {
            lost += p != q;
            std::cout << (p == q ? "equal\n" : "that was mine\n");
        }
        std::cout << won << ":" << lost << " again? ";
    } while (std::cin >> again && again == "yes");
}
