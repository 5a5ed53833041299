#include <bits/stdc++.h>
using namespace std;

int main() {
    int n, m;
    cin >> n >> m;
    vector<string> city(n);
    for (auto& c : city) cin >> c;
    const long INF = 1e15;
    vector<vector<long>> d(n, vector<long>(n, INF));
    vector<vector<int>> via(n, vector<int>(n, -1));
    auto index = [&](const string& s) { return int(find(city.begin(), city.end(), s) - city.begin()); };
    for (int i = 0; i < n; i++) d[i][i] = 0;
    while (m--) {
        string a, b;
        long w;
        cin >> a >> b >> w;
        int i = index(a), j = index(b);
        if (i == n || j == n) {
            cerr << "bad line " << a << " " << b << "\n";
            return 1;
        }
        d[i][j] = d[j][i] = min(d[i][j], w);
    }
    // Floyd and Warshall
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (d[i][k] + d[k][j] < d[i][j]) {
                    d[i][j] = d[i][k] + d[k][j];
                    via[i][j] = k;
                }
    function<void(int, int)> path = [&](int i, int j) {
        if (via[i][j] < 0) {
            cout << " -> " << city[j];
            return;
        }
        path(i, via[i][j]);
        path(via[i][j], j);
    };
    string a, b;
    while (cin >> a >> b) {
        int i = index(a), j = index(b);
        if (i == n || j == n) cout << "?\n";
        else if (d[i][j] >= INF) cout << "unreachable\n";
        else {
            cout << d[i][j] << ": " << a;
            path(i, j);
            cout << "\n";
        }
    }
}
