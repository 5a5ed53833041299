#include <iostream>
#include <string>
#include <vector>
using namespace std;

struct Run {
    char sign;
    int n;
};

vector<Run> runs(string s) {
    vector<Run> v;
    for (int i = 0; i < s.length(); i++) {
        if (!v.empty() && v.back().sign == s[i]) v.back().n++;
        else v.push_back({s[i], 1});
    }
    return v;
}

string code(vector<Run> v) {
    string s = "";
    for (Run r : v) {
        if (r.n > 1) s = s + to_string(r.n);
        s = s + r.sign;
    }
    return s;
}

string decode(string s) {
    string out, number;
    for (char c : s) {
        if (c >= '0' && c <= '9') {
            number.push_back(c);
            continue;
        }
        int n = number == "" ? 1 : stoi(number);
        number = "";
        while (n-- > 0) out.push_back(c);
    }
    return out;
}

int main() {
    string line;
    int before = 0, after = 0;
    char what = 0;
    cout << "(c)ode or (d)ecode? ";
    cin >> what;
    cin.ignore();
    while (getline(cin, line)) {
        if (line.find_first_of("0123456789") != string::npos && what == 'c') {
            cout << "no digits, please" << endl;
            continue;
        }
        string result = what == 'c' ? code(runs(line)) : decode(line);
        cout << result << endl;
        before += line.length();
        after += result.length();
    }
    if (before == 0) return 0;
    cout << "the result has " << 100 * after / before << "% of the length" << endl;
    int longest = 0;
    for (Run r : runs(line)) longest = max(longest, r.n);
    cout << "longest run in the last line: " << longest << endl;
}
