// Calendar dates: validity, weekday, difference in days, adding days.
#include <iomanip>
#include <iostream>
#include <stdexcept>
#include <string>

class Date {
private:
    int day;
    int month;
    int year;

public:
    Date(int d, int m, int y) : day(d), month(m), year(y) {
        if (!isValid(d, m, y)) {
            throw std::invalid_argument("This date does not exist");
        }
    }

    static bool isLeap(int y) {
        return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
    }

    static int daysInMonth(int m, int y) {
        if (m == 2) {
            return isLeap(y) ? 29 : 28;
        }
        if (m == 4 || m == 6 || m == 9 || m == 11) {
            return 30;
        }
        return 31;
    }

    static bool isValid(int d, int m, int y) {
        if (y < 1900 || m < 1 || m > 12) {
            return false;
        }
        return d >= 1 && d <= daysInMonth(m, y);
    }

    int toNumber() const {
        int number = 0;
        for (int y = 1900; y < year; y++) {
            number += isLeap(y) ? 366 : 365;
        }
        for (int m = 1; m < month; m++) {
            number += daysInMonth(m, year);
        }
        return number + day - 1;
    }

    int difference(const Date& other) const {
        return other.toNumber() - toNumber();
    }

    std::string weekday() const {
        std::string names[] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
        return names[toNumber() % 7];
    }

    void addDays(int n) {
        while (n > 0) {
            int left = daysInMonth(month, year) - day;
            if (n <= left) {
                day += n;
                n = 0;
            } else {
                n -= left + 1;
                day = 1;
                month++;
                if (month > 12) {
                    month = 1;
                    year++;
                }
            }
        }
    }

    void print() const {
        std::cout << std::setfill('0') << std::setw(2) << day << "." << std::setw(2) << month << "." << year;
    }
};

Date readDate(const std::string& prompt) {
    int d, m, y;
    char dot;
    std::cout << prompt;
    std::cin >> d >> dot >> m >> dot >> y;
    return Date(d, m, y);
}

int main() {
    try {
        Date first = readDate("First date: ");
        Date second = readDate("Second date: ");
        std::cout << "The first is a " << first.weekday() << std::endl;
        std::cout << "The second is a " << second.weekday() << std::endl;
        std::cout << "Difference: " << first.difference(second) << " days" << std::endl;
        int n;
        std::cout << "Days to add: ";
        std::cin >> n;
        first.addDays(n);
        std::cout << "Result: ";
        first.print();
        std::cout << " (" << first.weekday() << ")" << std::endl;
    } catch (const std::invalid_argument& error) {
        std::cout << "Error: " << error.what() << std::endl;
        return 1;
    }
    return 0;
}
