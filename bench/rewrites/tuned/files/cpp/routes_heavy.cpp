// Travel planner: places are keys of maps, the frontier is an ordered set.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

using Place = std::string;
using Network = std::unordered_map<Place, std::unordered_map<Place, int>>;

struct Trip {
    int kilometres;
    std::string description;
};

static Network load(std::istream& in) {
    Network network;
    Place a, b;
    for (int km; in >> a >> b >> km;) {
        const auto connect = [&](const Place& x, const Place& y) {
            auto [road, isNew] = network[x].emplace(y, km);
            if (!isNew) road->second = std::min(road->second, km);
        };
        connect(a, b);
        connect(b, a);
    }
    return network;
}

static std::string describe(const std::unordered_map<Place, Place>& origin, const Place& at) {
    const auto before = origin.find(at);
    return before == origin.end() ? at : describe(origin, before->second) + " > " + at;
}

static std::optional<Trip> plan(const Network& network, const Place& start, const Place& goal) {
    std::unordered_map<Place, int> best{{start, 0}};
    std::unordered_map<Place, Place> origin;
    std::set<std::pair<int, Place>> frontier{{0, start}};
    while (!frontier.empty()) {
        const auto [km, here] = *frontier.begin();
        frontier.erase(frontier.begin());
        if (here == goal) return Trip{km, describe(origin, goal)};
        for (const auto& [there, road] : network.at(here)) {
            const auto known = best.find(there);
            if (known != best.end() && known->second <= km + road) continue;
            if (known != best.end()) frontier.erase({known->second, there});
            best[there] = km + road;
            origin[there] = here;
            frontier.emplace(km + road, there);
        }
    }
    return std::nullopt;
}

int main(int count, char** names) {
    std::ifstream in{count < 2 ? "roads.txt" : names[1]};
    if (!in.is_open()) {
        std::cerr << "no roads\n";
        return 1;
    }
    const Network network = load(in);
    for (Place start, goal; std::cout << "trip? " && std::cin >> start >> goal;) {
        if (!network.contains(start) || !network.contains(goal)) {
            std::cout << "one of these places is not on the map\n";
        } else if (const auto trip = plan(network, start, goal)) {
            std::cout << trip->kilometres << " km by " << trip->description << '\n';
        } else {
            std::cout << "not connected\n";
        }
    }
}
