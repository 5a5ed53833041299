#include <algorithm>
#include <iostream>
#include <numbers>
#include <string>
#include <variant>
#include <vector>
#include <cmath>
#include <ranges>

struct Circle { double r; };
struct Rect { double a, b; };
struct Polygon { std::vector<std::pair<double, double>> points; };
using Shape = std::variant<Circle, Rect, Polygon>;

template <class... F>
struct overload : F... { using F::operator()...; };

double area(const Shape& s) {
    return std::visit(overload{
        [](const Circle& c) { return std::numbers::pi * c.r * c.r; },
        [](const Rect& r) { return r.a * r.b; },
        [](const Polygon& p) {
            double sum = 0;
            for (std::size_t i = 0; i < p.points.size(); i++) {
                auto [x1, y1] = p.points[i];
                auto [x2, y2] = p.points[(i + 1) % p.points.size()];
                sum += x1 * y2 - x2 * y1;
            }
            return std::abs(sum) / 2;
        }}, s);
}

double perimeter(const Shape& s) {
    if (auto c = std::get_if<Circle>(&s)) return 2 * std::numbers::pi * c->r;
    if (auto r = std::get_if<Rect>(&s)) return 2 * r->a + 2 * r->b;
    auto& points = std::get<Polygon>(s).points;
    double sum = 0;
    auto last = points.back();
    for (auto p : points) {
        sum += std::hypot(p.first - last.first, p.second - last.second);
        last = p;
    }
    return sum;
}

int main() {
    std::vector<Shape> all{Circle{1.5}, Rect{2, 3}, Polygon{{{0, 0}, {4, 0}, {0, 3}}}};
    double r;
    while (std::cout << "radius (0 ends): " && std::cin >> r && r > 0) all.push_back(Circle{r});
    std::ranges::sort(all, std::greater{}, area);
    for (const Shape& s : all) {
        const char* names[] = {"circle", "rectangle", "polygon"};
        std::cout << names[s.index()] << ' ' << area(s) << ' ' << perimeter(s) << '\n';
    }
    double sum = 0;
    for (double a : all | std::views::transform(area)) sum += a;
    std::cout << "sum " << sum << '\n';
}
