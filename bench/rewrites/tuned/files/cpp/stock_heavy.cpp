// Warehouse journal: nothing is stored but movements, all figures are derived from them.
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <string>
#include <vector>

struct Article {
    double unitPrice{};
    int reserve{};
    std::vector<int> movements;  // positive: came in, negative: went out

    int onHand() const { return std::accumulate(movements.begin(), movements.end(), 0); }

    int goneOut() const {
        return std::accumulate(movements.begin(), movements.end(), 0, [](int sum, int m) { return m < 0 ? sum - m : sum; });
    }

    int shortage() const { return onHand() < reserve ? reserve * 2 - onHand() : 0; }
};

using Warehouse = std::map<std::string, Article>;

Warehouse open(const char* name) {
    Warehouse all;
    std::ifstream in{name};
    std::string label;
    int initial;
    for (Article a; in >> label >> a.unitPrice >> initial >> a.reserve; a = {}) {
        a.movements = {initial};
        all.emplace(label, a);
    }
    return all;
}

void overview(const Warehouse& all) {
    double bound = 0, earned = 0;
    for (const auto& [label, a] : all) {
        std::printf("%-15s%8.2f%6d%s\n", label.c_str(), a.unitPrice, a.onHand(), a.shortage() ? " !" : "");
        bound += a.unitPrice * a.onHand();
        earned += a.unitPrice * a.goneOut();
    }
    std::printf("money in goods %.2f, earned %.2f\n", bound, earned);
}

void purchase(const Warehouse& all) {
    std::multimap<int, std::string, std::greater<>> wanted;
    for (const auto& [label, a] : all)
        if (const int pieces = a.shortage()) wanted.emplace(pieces, label);
    for (const auto& [pieces, label] : wanted) std::printf("please send %d of %s\n", pieces, label.c_str());
}

void move(Warehouse& all, int direction) {
    std::string label;
    int pieces;
    std::cin >> label >> pieces;
    if (const auto entry = all.find(label); entry == all.end())
        std::puts("we do not have this article");
    else if (direction < 0 && entry->second.onHand() < pieces)
        std::printf("not enough, there are %d\n", entry->second.onHand());
    else
        entry->second.movements.push_back(direction * pieces);
}

int main() {
    Warehouse all = open("stock.txt");
    const std::map<std::string, std::function<void()>> actions{
        {"report", [&] { overview(all); }},
        {"order", [&] { purchase(all); }},
        {"sell", [&] { move(all, -1); }},
        {"deliver", [&] { move(all, +1); }},
    };
    for (std::string word; std::cin >> word;)
        if (const auto action = actions.find(word); action != actions.end()) action->second();
}
