// Cabin plan: bookings are a sorted map from seat number to traveller, free seats are what it lacks.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <ranges>
#include <string>

namespace cabin {

constexpr int WIDTH = 6, TOTAL = 12 * WIDTH;
using Bookings = std::map<int, std::string>;

std::string label(int seat) {
    std::string text = std::to_string(seat / WIDTH + 1);
    text.push_back("ABCDEF"[seat % WIDTH]);
    return text;
}

std::optional<int> number(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char sign) { return std::toupper(sign); });
    const auto all = std::views::iota(0, TOTAL);
    const auto hit = std::ranges::find_if(all, [&](int seat) { return label(seat) == text; });
    return hit == all.end() ? std::nullopt : std::optional{*hit};
}

const char* book(Bookings& bookings, const std::string& text, const std::string& traveller) {
    const auto seat = number(text);
    if (!seat) return "this seat does not exist";
    return bookings.try_emplace(*seat, traveller).second ? "ok" : "somebody sits there";
}

const char* release(Bookings& bookings, const std::string& text) {
    const auto seat = number(text);
    return seat && bookings.erase(*seat) ? "released" : "nobody sits there";
}

std::string bookTogether(Bookings& bookings, const std::string& traveller, int people) {
    for (int first = 0; first + people <= TOTAL; ++first) {
        const int last = first + people - 1;
        if (first / WIDTH != last / WIDTH) continue;
        const auto next = bookings.lower_bound(first);
        if (next != bookings.end() && next->first <= last) continue;
        std::string given;
        for (int seat = first; seat <= last; ++seat) {
            bookings[seat] = traveller;
            given += label(seat) + ' ';
        }
        return given;
    }
    return "not possible in one row";
}

void draw(const Bookings& bookings) {
    std::string plan = "   ABC DEF";
    for (int seat = 0; seat < TOTAL; ++seat) {
        char head[8] = "";
        if (seat % WIDTH == 0) std::snprintf(head, sizeof head, "\n%2d ", seat / WIDTH + 1);
        plan += head;
        plan += seat % WIDTH == WIDTH / 2 ? " " : "";
        plan += bookings.contains(seat) ? 'X' : '.';
    }
    std::cout << plan << '\n' << TOTAL - bookings.size() << " left\n";
}

}  // namespace cabin

int main() {
    const char* const store = "seats.txt";
    cabin::Bookings bookings;
    std::string verb, x, y;
    for (std::ifstream in{store}; in >> x >> y;) cabin::book(bookings, x, y);
    for (; std::cin >> verb && verb != "quit";) {
        if (verb == "show") {
            cabin::draw(bookings);
            continue;
        }
        std::cin >> x;
        if (verb == "cancel") {
            std::cout << cabin::release(bookings, x) << '\n';
            continue;
        }
        std::cin >> y;
        if (verb == "group") std::cout << cabin::bookTogether(bookings, x, std::stoi(y)) << '\n';
        if (verb == "reserve") std::cout << cabin::book(bookings, x, y) << '\n';
    }
    std::ofstream out{store};
    for (const auto& [seat, traveller] : bookings) out << cabin::label(seat) << ' ' << traveller << '\n';
}
