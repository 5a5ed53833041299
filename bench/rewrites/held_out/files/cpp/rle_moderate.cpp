// Packs texts by shortening repeated signs, and unpacks them again.
#include <array>
#include <cctype>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>

class Packer {
public:
    static std::string unpack(const std::string& packed) {
        std::string plain;
        int repeat = 0;
        bool literal = false;
        for (const char sign : packed) {
            if (!literal && std::isdigit(static_cast<unsigned char>(sign))) {
                repeat = repeat * 10 + sign - '0';
                continue;
            }
            if (!literal && sign == '\\') {
                literal = true;
                continue;
            }
            plain += std::string(repeat ? repeat : 1, sign);
            repeat = 0;
            literal = false;
        }
        if (repeat != 0 || literal) {
            throw std::runtime_error("the end is missing");
        }
        return plain;
    }

    static std::string pack(const std::string& plain) {
        std::string packed;
        auto from = plain.begin();
        while (from != plain.end()) {
            auto until = from;
            do {
                ++until;
            } while (until != plain.end() && *until == *from && until - from < 99);
            packed += run(*from, until - from);
            from = until;
        }
        return packed;
    }

private:
    static std::string run(char sign, long repeat) {
        const bool special = sign == '\\' || std::isdigit(static_cast<unsigned char>(sign));
        if (special) return std::to_string(repeat) + '\\' + sign;
        if (repeat < 3) return std::string(repeat, sign);
        return std::to_string(repeat) + sign;
    }
};

static void frequent(const std::string& plain) {
    std::array<std::size_t, 256> table{};
    for (unsigned char sign : plain) table[sign] += 1;
    for (std::size_t sign = 0; sign < table.size(); ++sign) {
        if (table[sign] == 0 || table[sign] * 20 < plain.size()) continue;
        std::cout << static_cast<char>(sign) << ": " << table[sign] * 100 / plain.size() << " percent\n";
    }
}

static int work(bool packing, const char* source, const char* target) {
    std::ifstream in(source);
    if (!in.is_open()) throw std::runtime_error(std::string(source) + " cannot be opened");
    const std::string before{std::istreambuf_iterator<char>(in), {}};
    const std::string after = packing ? Packer::pack(before) : Packer::unpack(before);
    std::ofstream out(target);
    if (!(out << after)) throw std::runtime_error(std::string(target) + " cannot be opened");
    std::cout << "from " << before.size() << " to " << after.size() << " signs\n";
    if (packing && !before.empty()) {
        const double part = static_cast<double>(after.size()) / before.size();
        std::cout << (1 - part) * 100 << " percent less\n";
        frequent(before);
    }
    return 0;
}

int main(int count, char** words) {
    if (count == 4) {
        try {
            return work(std::strcmp(words[1], "c") == 0, words[2], words[3]);
        } catch (const std::runtime_error& problem) {
            std::cerr << problem.what() << '\n';
        }
    } else {
        std::cerr << "three words are needed: c or x, source, target\n";
    }
    return 1;
}
