#include <functional>
#include <iostream>
#include <memory>
#include <queue>
#include <string>

template <typename T>
class SearchTree {
    struct N {
        T data;
        std::unique_ptr<N> child[2];
    };
    std::unique_ptr<N> root;

    std::unique_ptr<N>* locate(const T& x) {
        auto* p = &root;
        while (*p && (*p)->data != x) p = &(*p)->child[x > (*p)->data];
        return p;
    }

public:
    bool add(T x) {
        auto* p = locate(x);
        if (*p) return false;
        *p = std::make_unique<N>(N{std::move(x), {}});
        return true;
    }

    bool remove(const T& x) {
        auto* p = locate(x);
        if (!*p) return false;
        if (!(*p)->child[0]) {
            *p = std::move((*p)->child[1]);
        } else {
            auto* q = &(*p)->child[0];
            while ((*q)->child[1]) q = &(*q)->child[1];
            (*p)->data = (*q)->data;
            *q = std::move((*q)->child[0]);
        }
        return true;
    }

    void each(const std::function<void(const T&)>& f) const {
        std::function<void(const N*)> go = [&](const N* n) {
            if (n) {
                go(n->child[0].get());
                f(n->data);
                go(n->child[1].get());
            }
        };
        go(root.get());
    }

    int depth() const {
        std::queue<const N*> level;
        if (root) level.push(root.get());
        int d = 0;
        for (; !level.empty(); d++) {
            for (auto k = level.size(); k > 0; k--) {
                for (auto& c : level.front()->child)
                    if (c) level.push(c.get());
                level.pop();
            }
        }
        return d;
    }
};

int main() {
    SearchTree<std::string> t;
    for (std::string w; std::cin >> w;) {
        if (w[0] == '-')
            std::cout << (t.remove(w.substr(1)) ? "gone\n" : "was not there\n");
        else if (!t.add(w))
            std::cout << w << " again\n";
    }
    t.each([](const std::string& w) { std::cout << w << '\n'; });
    std::cout << "depth " << t.depth() << '\n';
}
