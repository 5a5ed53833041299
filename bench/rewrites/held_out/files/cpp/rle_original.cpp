// Run-length coding of text files with statistics.
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

using namespace std;

string compress(const string& text) {
    string result;
    size_t i = 0;
    while (i < text.size()) {
        char c = text[i];
        size_t count = 1;
        while (i + count < text.size() && text[i + count] == c && count < 99) {
            count++;
        }
        if (isdigit(c) || c == '\\') {
            result += to_string(count) + "\\" + c;
        } else if (count > 2) {
            result += to_string(count) + c;
        } else {
            for (size_t k = 0; k < count; k++) {
                result += c;
            }
        }
        i += count;
    }
    return result;
}

string expand(const string& text) {
    string result;
    size_t i = 0;
    while (i < text.size()) {
        int count = 0;
        while (i < text.size() && isdigit(text[i])) {
            count = 10 * count + (text[i] - '0');
            i++;
        }
        if (count == 0) {
            count = 1;
        }
        if (i < text.size() && text[i] == '\\') {
            i++;
        }
        if (i == text.size()) {
            throw runtime_error("The file is damaged");
        }
        result.append(count, text[i]);
        i++;
    }
    return result;
}

string readFile(const string& path) {
    ifstream file(path);
    if (!file) {
        throw runtime_error("Cannot read " + path);
    }
    stringstream buffer;
    buffer << file.rdbuf();
    return buffer.str();
}

void writeFile(const string& path, const string& text) {
    ofstream file(path);
    if (!file) {
        throw runtime_error("Cannot write " + path);
    }
    file << text;
}

void printStatistics(const string& text) {
    map<char, int> counts;
    for (char c : text) {
        counts[c]++;
    }
    for (const auto& entry : counts) {
        if (entry.second * 20 >= (int)text.size()) {
            cout << "'" << entry.first << "' " << 100 * entry.second / text.size() << "%" << endl;
        }
    }
}

int main(int argc, char* argv[]) {
    if (argc != 4) {
        cout << "Usage: rle c|x input output" << endl;
        return 1;
    }
    try {
        string mode = argv[1];
        string input = readFile(argv[2]);
        string output = mode == "c" ? compress(input) : expand(input);
        writeFile(argv[3], output);
        cout << input.size() << " -> " << output.size() << " characters" << endl;
        if (mode == "c" && input.size() > 0) {
            cout << "Saved: " << 100 - 100.0 * output.size() / input.size() << "%" << endl;
            printStatistics(input);
        }
    } catch (const runtime_error& error) {
        cout << "Error: " << error.what() << endl;
        return 1;
    }
    return 0;
}
