#include <iostream>
#include <map>
#include <set>
#include <string>

struct Line {
    int count = 0;
    int cents = 0;
};

class Inventory {
    std::map<std::string, Line> lines;
    std::map<std::string, int> limit;
    std::set<std::string> reorder;

    void check(const std::string& id) {
        if (lines[id].count <= limit[id])
            reorder.insert(id);
        else
            reorder.erase(id);
    }

public:
    Inventory& define(const std::string& id, int cents, int low) {
        lines[id].cents = cents;
        limit[id] = low;
        check(id);
        return *this;
    }

    void change(const std::string& id, int delta) {
        auto it = lines.find(id);
        if (it == lines.end()) throw std::out_of_range(id);
        if (it->second.count + delta < 0) throw std::invalid_argument("negative stock of " + id);
        it->second.count += delta;
        check(id);
    }

    long worth() const {
        long sum = 0;
        for (auto& entry : lines) sum += long(entry.second.count) * entry.second.cents;
        return sum;
    }

    void print(std::ostream& os) const {
        for (auto& entry : lines) os << entry.first << ": " << entry.second.count << '\n';
        os << "worth " << worth() / 100 << '.' << worth() % 100 << '\n';
        os << "reorder:";
        for (auto& id : reorder) os << ' ' << id;
        os << "\n";
    }
};

int main() {
    Inventory inv;
    inv.define("nail", 2, 500).define("hammer", 1499, 3).define("saw", 2199, 2);
    std::string line;
    while (std::getline(std::cin, line)) {
        if (line.empty()) break;
        std::size_t space = line.find_last_of(" ");
        try {
            inv.change(line.substr(0, space), std::stoi(line.substr(space + 1)));
        } catch (const std::out_of_range& e) {
            std::cerr << "no article " << e.what() << '\n';
        } catch (const std::exception& e) {
            std::cerr << e.what() << '\n';
        }
    }
    inv.print(std::cout);
}
