// Shortest routes between cities with Dijkstra's algorithm.
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <string>
#include <vector>

using namespace std;

const int INFINITE = numeric_limits<int>::max();

class Graph {
private:
    struct Edge {
        int target;
        int length;
    };

    vector<string> names;
    vector<vector<Edge>> edges;
    map<string, int> numbers;

public:
    int addCity(const string& name) {
        if (numbers.count(name) > 0) {
            return numbers[name];
        }
        int number = names.size();
        numbers[name] = number;
        names.push_back(name);
        edges.push_back(vector<Edge>());
        return number;
    }

    void addRoad(const string& from, const string& to, int length) {
        int a = addCity(from);
        int b = addCity(to);
        edges[a].push_back({b, length});
        edges[b].push_back({a, length});
    }

    bool hasCity(const string& name) const {
        return numbers.find(name) != numbers.end();
    }

    void printRoute(const string& from, const string& to) {
        int start = numbers[from];
        int end = numbers[to];
        vector<int> distance(names.size(), INFINITE);
        vector<int> previous(names.size(), -1);
        vector<bool> done(names.size(), false);
        distance[start] = 0;
        for (size_t round = 0; round < names.size(); round++) {
            int current = -1;
            for (size_t i = 0; i < names.size(); i++) {
                if (!done[i] && distance[i] != INFINITE) {
                    if (current == -1 || distance[i] < distance[current]) {
                        current = i;
                    }
                }
            }
            if (current == -1 || current == end) {
                break;
            }
            done[current] = true;
            for (const Edge& edge : edges[current]) {
                int length = distance[current] + edge.length;
                if (length < distance[edge.target]) {
                    distance[edge.target] = length;
                    previous[edge.target] = current;
                }
            }
        }
        if (distance[end] == INFINITE) {
            cout << "There is no route" << endl;
            return;
        }
        string route = names[end];
        int city = end;
        while (previous[city] != -1) {
            city = previous[city];
            route = names[city] + " - " + route;
        }
        cout << route << ": " << distance[end] << " km" << endl;
    }
};

int main(int argc, char* argv[]) {
    Graph graph;
    ifstream file(argc > 1 ? argv[1] : "roads.txt");
    if (!file) {
        cout << "Cannot open the file" << endl;
        return 1;
    }
    string from, to;
    int length;
    while (file >> from >> to >> length) {
        graph.addRoad(from, to, length);
    }
    cout << "From and to: ";
    while (cin >> from >> to) {
        if (!graph.hasCity(from) || !graph.hasCity(to)) {
            cout << "Unknown city" << endl;
        } else {
            graph.printRoute(from, to);
        }
        cout << "From and to: ";
    }
    return 0;
}
