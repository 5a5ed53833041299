#include <array>
#include <compare>
#include <cstdlib>
#include <iostream>
#include <sstream>

// A day is one number: the Julian day number.
class Day {
    long jdn;
    explicit Day(long j) : jdn(j) {}

public:
    static Day of(int y, int m, int d) {
        int a = (14 - m) / 12;
        long yy = y + 4800 - a;
        int mm = m + 12 * a - 3;
        return Day(d + (153 * mm + 2) / 5 + 365 * yy + yy / 4 - yy / 100 + yy / 400 - 32045);
    }

    std::array<int, 3> ymd() const {
        long a = jdn + 32044, b = (4 * a + 3) / 146097, c = a - 146097 * b / 4;
        long d = (4 * c + 3) / 1461, e = c - 1461 * d / 4, m = (5 * e + 2) / 153;
        return {int(100 * b + d - 4800 + m / 10), int(m + 3 - 12 * (m / 10)), int(e - (153 * m + 2) / 5 + 1)};
    }

    Day operator+(long n) const { return Day(jdn + n); }
    long operator-(Day o) const { return jdn - o.jdn; }
    auto operator<=>(const Day&) const = default;
    bool weekend() const { return jdn % 7 >= 5; }
};

std::ostream& operator<<(std::ostream& o, Day d) {
    auto [y, m, dd] = d.ymd();
    return o << y << '-' << m / 10 << m % 10 << '-' << dd / 10 << dd % 10;
}

bool read(const char* text, Day& day) {
    std::istringstream in(text);
    int y, m, d;
    char x, z;
    if (!(in >> y >> x >> m >> z >> d) || x != '-' || z != '-') return false;
    day = Day::of(y, m, d);
    return day.ymd() == std::array<int, 3>{y, m, d};  // 30 February comes back as a day of March
}

int main(int argc, char** argv) {
    Day from = Day::of(2000, 1, 1), to = from;
    if (argc < 3 || !read(argv[1], from) || !read(argv[2], to)) {
        std::cerr << "two dates like 2024-02-29\n";
        return 2;
    }
    if (to < from) std::swap(from, to);
    int working = 0;
    for (Day d = from; d < to; d = d + 1) working += !d.weekend();
    std::cout << to - from << " days, " << working << " of them working days\n";
    if (argc > 3) std::cout << from + std::atol(argv[3]) << '\n';
}
