// Geometry list: reads figures and prints them from small to large.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <vector>

struct Figure {
    virtual const char* label() const = 0;
    virtual double boundary() const = 0;
    virtual double surface() const = 0;
    virtual ~Figure() = default;
};

struct ThreeSides final : Figure {
    const double p, q, r;

    ThreeSides(double first, double second, double third) : p{first}, q{second}, r{third} {
        const double longest = std::max({p, q, r});
        if (boundary() - longest <= longest) {
            throw std::invalid_argument("sides do not meet");
        }
    }

    const char* label() const override { return "three sides"; }

    double boundary() const override { return r + q + p; }

    double surface() const override {
        const double half = 0.5 * boundary();
        const double product = half * (half - r) * (half - q) * (half - p);
        return std::sqrt(product);
    }
};

struct Disc final : Figure {
    const double r;

    explicit Disc(double radius) : r{radius} {}

    const char* label() const override { return "disc"; }

    double boundary() const override { return r * 2 * M_PI; }

    double surface() const override { return r * r * M_PI; }
};

struct Box final : Figure {
    const double h, w;

    Box(double width, double height) : h{height}, w{width} {}

    const char* label() const override {
        if (h != w) return "box";
        return "even box";
    }

    double boundary() const override { return h + h + w + w; }

    double surface() const override { return h * w; }
};

using Figures = std::vector<std::shared_ptr<Figure>>;

static std::shared_ptr<Figure> next(std::istream& in, const std::string& word) {
    double first = 0, second = 0, third = 0;
    switch (word[0]) {
        case 't':
            in >> first >> second >> third;
            return std::make_shared<ThreeSides>(first, second, third);
        case 'r':
            in >> first >> second;
            return std::make_shared<Box>(first, second);
        case 'c':
            in >> first;
            return std::make_shared<Disc>(first);
    }
    throw std::invalid_argument("what is " + word);
}

static Figures load(const char* path) {
    Figures figures;
    std::ifstream in{path};
    int row = 1;
    for (std::string word; in >> word; ++row) {
        try {
            figures.push_back(next(in, word));
        } catch (const std::invalid_argument& problem) {
            std::cerr << "row " << row << ": " << problem.what() << '\n';
        }
    }
    return figures;
}

int main(int, char** names) {
    Figures figures = load(names[1]);
    std::sort(figures.begin(), figures.end(), [](auto& x, auto& y) { return y->surface() > x->surface(); });
    double sum = 0;
    for (std::size_t at = 0; at < figures.size(); ++at) {
        const Figure& figure = *figures[at];
        sum = sum + figure.surface();
        std::cout << figure.label() << " surface=" << figure.surface() << " boundary=" << figure.boundary() << '\n';
    }
    std::cout << "all surfaces: " << sum << '\n';
    if (figures.size() > 0) std::cout << "biggest one: " << figures.back()->label() << '\n';
}
