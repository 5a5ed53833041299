#include <deque>
#include <iostream>
#include <memory>
#include <random>
#include <sstream>

class Participant {
protected:
    std::deque<std::string> cards;

public:
    virtual ~Participant() = default;
    virtual bool again() = 0;
    void receive(std::string card) { cards.push_back(std::move(card)); }
    void reset() { cards.clear(); }

    int score() const {
        int s = 0, aces = 0;
        for (const auto& c : cards) {
            if (c == "A") aces++;
            else if (c == "J" || c == "Q" || c == "K") s += 10;
            else s += std::stoi(c);
        }
        // each ace counts 11 as long as the others still fit with 1
        for (; aces > 0; aces--) s += s + 11 + (aces - 1) <= 21 ? 11 : 1;
        return s;
    }

    std::string line() const {
        std::ostringstream o;
        for (const auto& c : cards) o << c << ' ';
        o << '=' << ' ' << score();
        return o.str();
    }
};

class Person : public Participant {
public:
    bool again() override {
        std::string word;
        std::cout << line() << "\nMore? ";
        return std::getline(std::cin, word) && (word == "j" || word == "y");
    }
};

class Dealer : public Participant {
public:
    bool again() override { return score() < 17; }
};

class Round {
    std::mt19937 generator{std::random_device{}()};
    const char* ranks[13] = {"A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"};
    std::string random() { return ranks[std::uniform_int_distribution<>(0, 12)(generator)]; }

public:
    void run(Participant& p) {
        p.reset();
        for (int i = 0; i < 2; i++) p.receive(random());
        while (p.score() < 21 && p.again()) p.receive(random());
        std::cout << p.line() << std::endl;
    }
};

int main() {
    Round round;
    Person person;
    auto dealer = std::make_unique<Dealer>();
    int balance = 0;
    for (int i = 1; i <= 5; i++) {
        std::cout << "Round " << i << " of 5\n";
        round.run(person);
        round.run(*dealer);
        int a = person.score() > 21 ? 0 : person.score();
        int b = dealer->score() > 21 ? 1 : dealer->score();
        balance += a > b ? 10 : a < b ? -10 : 0;
    }
    std::cout << (balance < 0 ? "You lost " : "You gained ") << std::abs(balance) << " dollars.\n";
}
