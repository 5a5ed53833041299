// Works with days of the calendar from 1900 on.
#include <cstdio>
#include <iostream>
#include <stdexcept>

namespace {

const char* const NAMES[7] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};

bool hasLeapDay(int year) {
    if (year % 400 == 0) return true;
    if (year % 100 == 0) return false;
    return year % 4 == 0;
}

int length(int year) { return 365 + hasLeapDay(year); }

int length(int year, int month) {
    switch (month) {
        case 4: case 6: case 9: case 11:
            return 30;
        case 2:
            return 28 + hasLeapDay(year);
        default:
            return 31;
    }
}

}  // namespace

struct CalendarDay {
    int y, m, d;

    CalendarDay(int year, int month, int dayOfMonth) : y{year}, m{month}, d{dayOfMonth} {
        const bool monthExists = m > 0 && m <= 12 && y >= 1900;
        if (!monthExists || d < 1 || length(y, m) < d) {
            throw std::domain_error("no such day");
        }
    }

    CalendarDay later(int count) const {
        CalendarDay result = *this;
        for (; count > 0;) {
            const int remaining = length(result.y, result.m) - result.d;
            if (remaining >= count) {
                result.d = result.d + count;
                return result;
            }
            count = count - remaining - 1;
            result.d = 1;
            if (++result.m == 13) {
                result.m = 1;
                ++result.y;
            }
        }
        return result;
    }

    int serial() const {
        int days = d - 1;
        int month = m;
        while (--month >= 1) days += length(y, month);
        int year = y;
        while (--year >= 1900) days += length(year);
        return days;
    }

    const char* name() const { return NAMES[serial() % 7]; }
};

int operator-(const CalendarDay& a, const CalendarDay& b) { return a.serial() - b.serial(); }

CalendarDay ask(const char* what) {
    int d = 0, m = 0, y = 0;
    std::cout << what << " (day.month.year)? " << std::flush;
    if (std::scanf("%d.%d.%d", &d, &m, &y) != 3) throw std::domain_error("cannot read that");
    return {y, m, d};
}

int main() try {
    const CalendarDay a = ask("From");
    const CalendarDay b = ask("To");
    std::printf("%s to %s\n", a.name(), b.name());
    std::printf("%d days lie between them\n", b - a);
    std::cout << "Move by? " << std::flush;
    int count = 0;
    std::scanf("%d", &count);
    const CalendarDay c = a.later(count);
    std::printf("%s, %02d.%02d.%d\n", c.name(), c.d, c.m, c.y);
    return 0;
} catch (const std::domain_error& problem) {
    std::cerr << problem.what() << '\n';
    return 1;
}
