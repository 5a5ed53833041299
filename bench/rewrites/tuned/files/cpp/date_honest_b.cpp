#include <iostream>
#include <string>
using namespace std;

int lengths[13] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

void setYear(int year) {
    lengths[2] = 28;
    if (year % 4 == 0) {
        lengths[2] = 29;
        if (year % 100 == 0) {
            lengths[2] = 28;
            if (year % 400 == 0) lengths[2] = 29;
        }
    }
}

struct Date {
    int d, m, y;

    void next() {
        setYear(y);
        d++;
        if (d > lengths[m]) {
            d = 1;
            m++;
        }
        if (m == 13) {
            m = 1;
            y++;
        }
    }

    bool before(Date o) {
        if (y != o.y) return y < o.y;
        if (m != o.m) return m < o.m;
        return d < o.d;
    }
};

int zeller(Date t) {
    if (t.m < 3) {
        t.m += 12;
        t.y--;
    }
    return (t.d + 13 * (t.m + 1) / 5 + t.y + t.y / 4 - t.y / 100 + t.y / 400) % 7;
}

int main() {
    string days = "SatSunMonTueWedThuFri";
    Date a, b;
    cout << "day month year: ";
    cin >> a.d >> a.m >> a.y;
    setYear(a.y);
    if (a.m < 1 || a.m > 12 || a.d < 1 || a.d > lengths[a.m]) {
        cout << "impossible" << endl;
        return 0;
    }
    cout << days.substr(3 * zeller(a), 3) << endl;
    cout << "another one: ";
    cin >> b.d >> b.m >> b.y;
    int n = 0;
    Date x = a;
    while (x.before(b)) {
        x.next();
        n++;
    }
    cout << "from the first to the second: " << n << " days" << endl;
    cout << "how many days later? ";
    cin >> n;
    for (int i = 0; i < n; i++) a.next();
    cout << a.d << "/" << a.m << "/" << a.y << " " << days.substr(3 * zeller(a), 3) << endl;
}
