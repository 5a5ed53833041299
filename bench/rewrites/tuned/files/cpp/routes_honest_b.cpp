#include <iostream>
#include <list>
#include <queue>
#include <string>

class City;

struct Road {
    City* a;
    City* b;
    double km;
    City* other(City* c) const { return c == a ? b : a; }
};

class City {
public:
    std::string name;
    std::list<Road*> roads;
    double far = -1;
    Road* arrived = nullptr;
    City(std::string n) : name(std::move(n)) {}
};

struct Later {
    bool operator()(const std::pair<double, City*>& x, const std::pair<double, City*>& y) const { return x.first > y.first; }
};

class Map {
    std::list<City> cities;
    std::list<Road> roads;

public:
    City& get(const std::string& name) {
        for (City& c : cities)
            if (c.name == name) return c;
        return cities.emplace_back(name);
    }

    void road(const std::string& a, const std::string& b, double km) {
        roads.push_back(Road{&get(a), &get(b), km});
        get(a).roads.push_back(&roads.back());
        get(b).roads.push_back(&roads.back());
    }

    void explore(const std::string& from) {
        for (City& c : cities) c.far = -1;
        std::priority_queue<std::pair<double, City*>, std::vector<std::pair<double, City*>>, Later> q;
        q.push({0.0, &get(from)});
        get(from).arrived = nullptr;
        get(from).far = 0;
        while (!q.empty()) {
            auto top = q.top();
            q.pop();
            if (top.first > top.second->far) continue;
            for (Road* r : top.second->roads) {
                City* o = r->other(top.second);
                if (o->far < 0 || o->far > top.first + r->km) {
                    o->far = top.first + r->km;
                    o->arrived = r;
                    q.push({o->far, o});
                }
            }
        }
    }

    void tell() {
        for (City& c : cities) {
            std::cout << c.name << '\t';
            if (c.far < 0) std::cout << "not reachable";
            else std::cout << c.far << " km";
            City* x = &c;
            while (x->arrived && c.far > 0) {
                x = x->arrived->other(x);
                std::cout << " from " << x->name;
            }
            std::cout << std::endl;
        }
    }
};

int main() {
    Map map;
    map.road("Rome", "Florence", 275);
    map.road("Florence", "Milan", 305);
    map.road("Rome", "Naples", 225);
    map.road("Milan", "Turin", 144);
    map.road("Palermo", "Catania", 208);
    map.explore("Naples");
    map.tell();
}
