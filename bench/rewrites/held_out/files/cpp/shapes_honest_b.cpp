#include <cmath>
#include <iostream>
#include <string>
using namespace std;

class Figure {
protected:
    string color;
public:
    Figure(string c) { color = c; }
    virtual float getArea() { return 0; }
    virtual float getLength() { return 0; }
    virtual void describe() {
        cout << "a " << color << " figure with " << getArea() << " cm2 and " << getLength() << " cm around" << endl;
    }
};

class Ellipse : public Figure {
    float a, b;
public:
    Ellipse(string c, float x, float y) : Figure(c) { a = x; b = y; }
    float getArea() { return a * b * 3.1416f; }
    float getLength() {
        float h = pow(a - b, 2) / pow(a + b, 2);
        return 3.1416f * (a + b) * (1 + 3 * h / (10 + sqrt(4 - 3 * h)));
    }
};

class Quad : public Figure {
    float side;
public:
    Quad(string c, float s) : Figure(c), side(s) {}
    float getArea() { return side * side; }
    float getLength() { return 4 * side; }
    void describe() {
        Figure::describe();
        cout << "   (it is a square)" << endl;
    }
};

class Right : public Figure {
    float a, b;
public:
    Right(string c, float a, float b) : Figure(c) {
        this->a = a;
        this->b = b;
    }
    float getArea() { return a * b / 2; }
    float getLength() { return a + b + sqrt(a * a + b * b); }
};

int main() {
    Figure* figures[10];
    int n = 0;
    float total = 0;
    figures[n++] = new Ellipse("red", 3, 3);
    figures[n++] = new Quad("blue", 2.5);
    figures[n++] = new Right("green", 3, 4);
    figures[n++] = new Quad("white", 7);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n - 1; k++) {
            if (figures[k]->getArea() > figures[k + 1]->getArea()) swap(figures[k], figures[k + 1]);
        }
    }
    for (int i = 0; i < n; i++) {
        figures[i]->describe();
        total += figures[i]->getArea();
    }
    cout << "together " << total << endl;
    for (int i = 0; i < n; i++) delete figures[i];
}
