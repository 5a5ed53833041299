#include <cctype>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

// Expression tree
struct Expr {
    virtual ~Expr() = default;
    virtual double eval() const = 0;
    virtual std::string show() const = 0;
};
using Ptr = std::unique_ptr<Expr>;

struct Number : Expr {
    double value;
    explicit Number(double v) : value(v) {}
    double eval() const override { return value; }
    std::string show() const override { return std::to_string(value); }
};

struct Binary : Expr {
    char op;
    Ptr left, right;
    Binary(char o, Ptr l, Ptr r) : op(o), left(std::move(l)), right(std::move(r)) {}
    double eval() const override {
        switch (op) {
            case '+': return left->eval() + right->eval();
            case '-': return left->eval() - right->eval();
            case '*': return left->eval() * right->eval();
            default: return left->eval() / right->eval();
        }
    }
    std::string show() const override { return "(" + left->show() + op + right->show() + ")"; }
};

static int level(int c) {
    return c == '+' || c == '-' ? 1 : c == '*' || c == '/' ? 2 : 0;
}

static Ptr parse(std::istream& in, int minimum) {
    Ptr left;
    if ((in >> std::ws).peek() == '(') {
        in.get();
        left = parse(in, 1);
        if ((in >> std::ws).get() != ')') throw std::runtime_error("missing )");
    } else {
        double value;
        if (!(in >> value)) throw std::runtime_error("number expected");
        left = std::make_unique<Number>(value);
    }
    while (level((in >> std::ws).peek()) >= minimum) {
        char op = in.get();
        left = std::make_unique<Binary>(op, std::move(left), parse(in, level(op) + 1));
    }
    return left;
}

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream in(line);
        try {
            Ptr tree = parse(in, 1);
            std::cout << tree->show() << " is " << tree->eval() << "\n";
        } catch (const std::exception& problem) {
            std::cerr << problem.what() << "\n";
        }
    }
}
