#include <algorithm>
#include <cctype>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

struct Entry {
    std::string word;
    int frequency;
};

static bool byFrequency(const Entry& x, const Entry& y) {
    if (x.frequency != y.frequency) return x.frequency > y.frequency;
    return x.word < y.word;
}

int main() {
    std::map<std::string, int> frequency;
    int letters[26] = {0};
    int words = 0, sentences = 0;
    std::string line;
    while (std::getline(std::cin, line)) {
        for (char& c : line) {
            if (c == '.' || c == '?' || c == '!') sentences++;
            if (std::isalpha(static_cast<unsigned char>(c))) {
                c = std::tolower(c);
                letters[c - 'a']++;
            } else {
                c = ' ';
            }
        }
        std::istringstream stream(line);
        std::string word;
        while (stream >> word) {
            frequency[word]++;
            words++;
        }
    }
    std::vector<Entry> entries;
    for (const auto& pair : frequency) entries.push_back({pair.first, pair.second});
    std::sort(entries.begin(), entries.end(), byFrequency);
    std::cout << "Words: " << words << "\nSentences: " << sentences << "\n";
    std::cout << "Distinct: " << entries.size() << "\n";
    for (size_t i = 0; i < entries.size() && i < 20; ++i) {
        std::cout << entries[i].frequency << " " << entries[i].word << "\n";
    }
    std::cout << "Letters:\n";
    for (char c = 'a'; c <= 'z'; ++c) {
        std::cout << c << " " << std::string(letters[c - 'a'] / 10, '#') << "\n";
    }
    return 0;
}
