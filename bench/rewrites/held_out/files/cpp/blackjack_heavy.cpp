// Twenty-one: cards are numbers from 0 to 51, a side is a total and a count of soft aces.
#include <iostream>
#include <numeric>
#include <random>
#include <string_view>
#include <array>

namespace twentyone {

constexpr std::string_view FACES[] = {"ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king"};
constexpr std::string_view COLOURS[] = {"hearts", "diamonds", "clubs", "spades"};

class Shoe {
    std::array<unsigned char, 52> order{};
    std::size_t dealt = order.size();
    std::mt19937 source{std::random_device{}()};

public:
    unsigned char next() {
        if (dealt == order.size()) {
            std::iota(order.begin(), order.end(), 0);
            dealt = 0;
        }
        std::uniform_int_distribution<std::size_t> any(dealt, order.size() - 1);
        std::swap(order[dealt], order[any(source)]);
        return order[dealt++];
    }

    void renew() { dealt = order.size(); }
};

struct Side {
    std::string_view who;
    int points = 0;
    int soft = 0;

    Side& take(Shoe& shoe) {
        const int card = shoe.next(), face = card % 13;
        points += face == 0 ? 11 : std::min(face + 1, 10);
        soft += face == 0;
        for (; points > 21 && soft; --soft) points -= 10;
        std::cout << who << " got " << FACES[face] << " of " << COLOURS[card / 13] << " and has " << points << '\n';
        return *this;
    }
};

bool wantsMore() {
    char reply = 'n';
    std::cout << "[y] for one more: ";
    std::cin >> reply;
    return reply == 'y';
}

/** 1: the guest wins, 0: nobody, -1: the house. */
int outcome(Shoe& shoe) {
    shoe.renew();
    Side guest{"guest"}, house{"house"};
    guest.take(shoe);
    house.take(shoe);
    guest.take(shoe);
    while (guest.points < 21 && wantsMore()) guest.take(shoe);
    if (guest.points > 21) return -1;
    while (house.points <= 16) house.take(shoe);
    if (house.points > 21) return 1;
    return (guest.points > house.points) - (guest.points < house.points);
}

}  // namespace twentyone

int main() {
    constexpr std::string_view verdicts[] = {"lost", "neither", "won"};
    twentyone::Shoe shoe;
    int purse = 100, bet = 0;
    do {
        std::cout << "purse: " << purse << ", your bet? ";
        if (!(std::cin >> bet) || bet < 1) break;
        const int result = twentyone::outcome(shoe);
        std::cout << verdicts[result + 1] << '\n';
        purse += result * (bet < purse ? bet : purse);
    } while (purse);
    std::cout << "finally " << purse << '\n';
}
