// Blackjack against the bank.
#include <algorithm>
#include <iostream>
#include <random>
#include <string>
#include <vector>

using namespace std;

enum Suit { HEARTS, DIAMONDS, CLUBS, SPADES };

class Card {
private:
    Suit suit;
    int rank;

public:
    Card(Suit s, int r) : suit(s), rank(r) {}

    int value() const {
        if (rank == 1) {
            return 11;
        }
        return rank > 10 ? 10 : rank;
    }

    bool isAce() const { return rank == 1; }

    string text() const {
        static const string suits[] = {"hearts", "diamonds", "clubs", "spades"};
        static const string ranks[] = {"ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king"};
        return ranks[rank - 1] + " of " + suits[suit];
    }
};

class Deck {
private:
    vector<Card> cards;

public:
    Deck() {
        for (int s = HEARTS; s <= SPADES; s++) {
            for (int r = 1; r <= 13; r++) {
                cards.push_back(Card((Suit)s, r));
            }
        }
        shuffle(cards.begin(), cards.end(), mt19937(random_device()()));
    }

    Card draw() {
        Card card = cards.back();
        cards.pop_back();
        return card;
    }
};

class Hand {
private:
    vector<Card> cards;

public:
    void add(const Card& card) { cards.push_back(card); }

    int total() const {
        int sum = 0;
        int aces = 0;
        for (const Card& card : cards) {
            sum += card.value();
            if (card.isAce()) {
                aces++;
            }
        }
        while (sum > 21 && aces > 0) {
            sum -= 10;
            aces--;
        }
        return sum;
    }

    void print(const string& owner) const {
        cout << owner << ":" << endl;
        for (const Card& card : cards) {
            cout << "  " << card.text() << endl;
        }
        cout << "  = " << total() << endl;
    }
};

int play(int stake) {
    Deck deck;
    Hand player, bank;
    player.add(deck.draw());
    bank.add(deck.draw());
    player.add(deck.draw());
    char answer = 'y';
    while (player.total() < 21 && answer == 'y') {
        player.print("You");
        cout << "Another card (y/n)? ";
        cin >> answer;
        if (answer == 'y') {
            player.add(deck.draw());
        }
    }
    player.print("You");
    if (player.total() > 21) {
        cout << "Too much" << endl;
        return -stake;
    }
    while (bank.total() < 17) {
        bank.add(deck.draw());
    }
    bank.print("Bank");
    if (bank.total() > 21 || bank.total() < player.total()) {
        cout << "You win" << endl;
        return stake;
    }
    if (bank.total() == player.total()) {
        cout << "Draw" << endl;
        return 0;
    }
    cout << "The bank wins" << endl;
    return -stake;
}

int main() {
    int money = 100;
    while (money > 0) {
        int stake;
        cout << "You have " << money << ". Stake (0 ends): ";
        cin >> stake;
        if (stake <= 0) {
            break;
        }
        money += play(min(stake, money));
    }
    cout << "You leave with " << money << endl;
    return 0;
}
