// Shapes with area and perimeter, read from a file, sorted and summed.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

const double PI = 3.14159265358979;

class Shape {
public:
    virtual ~Shape() {}
    virtual double area() const = 0;
    virtual double perimeter() const = 0;
    virtual std::string name() const = 0;

    void print() const {
        std::cout << name() << ": area " << area() << ", perimeter " << perimeter() << std::endl;
    }
};

class Circle : public Shape {
private:
    double radius;

public:
    Circle(double r) : radius(r) {}
    double area() const override { return PI * radius * radius; }
    double perimeter() const override { return 2 * PI * radius; }
    std::string name() const override { return "Circle"; }
};

class Rectangle : public Shape {
private:
    double width;
    double height;

public:
    Rectangle(double w, double h) : width(w), height(h) {}
    double area() const override { return width * height; }
    double perimeter() const override { return 2 * (width + height); }
    std::string name() const override { return width == height ? "Square" : "Rectangle"; }
};

class Triangle : public Shape {
private:
    double a, b, c;

public:
    Triangle(double x, double y, double z) : a(x), b(y), c(z) {
        if (a + b <= c || a + c <= b || b + c <= a) {
            throw std::string("No triangle has these sides");
        }
    }
    double area() const override {
        double s = perimeter() / 2;
        return std::sqrt(s * (s - a) * (s - b) * (s - c));
    }
    double perimeter() const override { return a + b + c; }
    std::string name() const override { return "Triangle"; }
};

int main(int argc, char* argv[]) {
    std::vector<std::unique_ptr<Shape>> shapes;
    std::ifstream file(argv[1]);
    std::string kind;
    int line = 0;
    while (file >> kind) {
        line++;
        double x, y, z;
        try {
            if (kind == "circle") {
                file >> x;
                shapes.push_back(std::make_unique<Circle>(x));
            } else if (kind == "rectangle") {
                file >> x >> y;
                shapes.push_back(std::make_unique<Rectangle>(x, y));
            } else if (kind == "triangle") {
                file >> x >> y >> z;
                shapes.push_back(std::make_unique<Triangle>(x, y, z));
            } else {
                std::cout << "Unknown shape in line " << line << std::endl;
            }
        } catch (const std::string& message) {
            std::cout << message << " in line " << line << std::endl;
        }
    }
    std::sort(shapes.begin(), shapes.end(),
              [](const std::unique_ptr<Shape>& a, const std::unique_ptr<Shape>& b) { return a->area() < b->area(); });
    double total = 0;
    for (const auto& shape : shapes) {
        shape->print();
        total += shape->area();
    }
    std::cout << "Total area: " << total << std::endl;
    if (!shapes.empty()) {
        std::cout << "Largest: " << shapes.back()->name() << std::endl;
    }
    return 0;
}
