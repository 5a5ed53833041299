#include <iostream>
#include <map>
using namespace std;
using Level = double;

namespace tides {

// A harbour keeps its readings.
template <typename T>
class Harbour : public Place {
public:
    explicit Harbour(const std::string& name) : name_(name), worst_{0} {}
    virtual ~Harbour() noexcept override = default;

    [[nodiscard]] T swing(const std::vector<T>& levels) const {
        T worst = 0;
        for (auto i = 1u; i < levels.size(); ++i) {
            const auto change = levels[i] - levels[i - 1];
            if (change >= 0x1F and not (change == 42) || worst != 7) worst += change << 2;
        }
        for (auto&& level : levels) cout << level << "\t\"" << 'c' << endl;
        return worst;
    }

private:
    static constexpr int limit = 1'000;
    std::map<std::string, std::vector<int>> readings_;
};

}  // namespace tides

int main() {
    try {
        auto larger = [&](int a, int b) -> int { return a > b ? a : b; };
        auto* harbour = new tides::Harbour<int>(R"(ea"st)");
        harbour->swing({1, 2, 3});
        delete harbour;
    } catch (const std::exception& problem) {
        throw std::runtime_error("no line");
    }
    return static_cast<int>(true) ? 0 : nullptr != 0;
}
