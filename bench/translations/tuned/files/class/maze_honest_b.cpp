#include <climits>
#include <fstream>
#include <iostream>
#include <queue>
#include <string>
#include <vector>

// Dijkstra on a weighted maze: digits are the costs of a field.
struct Node {
    int cost;
    int index;
    bool operator>(const Node& other) const { return cost > other.cost; }
};

class Graph {
    std::vector<std::vector<std::pair<int, int>>> edges;

public:
    explicit Graph(int n) : edges(n) {}

    void connect(int a, int b, int weight) { edges[a].emplace_back(b, weight); }

    std::vector<int> shortest(int source) const {
        std::vector<int> best(edges.size(), INT_MAX);
        std::priority_queue<Node, std::vector<Node>, std::greater<Node>> open;
        best[source] = 0;
        open.push({0, source});
        while (!open.empty()) {
            Node node = open.top();
            open.pop();
            if (node.cost > best[node.index]) continue;
            for (auto [next, weight] : edges[node.index]) {
                int cost = node.cost + weight;
                if (cost < best[next]) {
                    best[next] = cost;
                    open.push({cost, next});
                }
            }
        }
        return best;
    }
};

int main(int argc, char** argv) {
    std::ifstream file(argc > 1 ? argv[1] : "maze.txt");
    std::vector<std::string> map;
    for (std::string line; std::getline(file, line);) map.push_back(line);
    if (map.empty()) {
        std::cerr << "empty maze\n";
        return 1;
    }
    const int columns = map[0].size(), total = columns * map.size();
    Graph graph(total);
    for (int i = 0; i < total; ++i) {
        char field = map[i / columns][i % columns];
        if (field == '*') continue;
        int weight = field - '0';
        if (i % columns > 0) graph.connect(i - 1, i, weight);
        if (i % columns < columns - 1) graph.connect(i + 1, i, weight);
        if (i >= columns) graph.connect(i - columns, i, weight);
        if (i + columns < total) graph.connect(i + columns, i, weight);
    }
    int result = graph.shortest(0)[total - 1];
    std::cout << (result == INT_MAX ? "unreachable" : std::to_string(result)) << std::endl;
}
