#include <cstdint>
#include <cstdio>
#include <vector>

// Binary format: a control byte n. n < 128: n + 1 bytes follow. n >= 128: the next byte n - 126 times.
using Bytes = std::vector<std::uint8_t>;

Bytes slurp(FILE* f) {
    Bytes b;
    for (int c; (c = std::fgetc(f)) != EOF;) b.push_back(static_cast<std::uint8_t>(c));
    return b;
}

size_t runLength(const Bytes& b, size_t at) {
    size_t n = 1;
    while (at + n < b.size() && n < 129 && b[at + n] == b[at]) ++n;
    return n;
}

Bytes encode(const Bytes& b) {
    Bytes out, pending;
    auto flush = [&] {
        if (pending.empty()) return;
        out.push_back(pending.size() - 1);
        out.insert(out.end(), pending.begin(), pending.end());
        pending.clear();
    };
    for (size_t at = 0; at < b.size();) {
        size_t n = runLength(b, at);
        if (n >= 3) {
            flush();
            out.push_back(n + 126);
            out.push_back(b[at]);
            at += n;
        } else {
            pending.push_back(b[at++]);
            if (pending.size() == 128) flush();
        }
    }
    flush();
    return out;
}

Bytes decode(const Bytes& b) {
    Bytes out;
    for (size_t at = 0; at + 1 < b.size();) {
        unsigned n = b[at++];
        if (n < 128) {
            for (unsigned k = 0; k <= n && at < b.size(); k++) out.push_back(b[at++]);
        } else {
            out.resize(out.size() + n - 126, b[at++]);
        }
    }
    return out;
}

int main(int argc, char** argv) {
    Bytes in = slurp(stdin);
    Bytes out = argc > 1 && argv[1][0] == '-' && argv[1][1] == 'd' ? decode(in) : encode(in);
    std::fwrite(out.data(), 1, out.size(), stdout);
    std::fprintf(stderr, "%zu bytes in, %zu bytes out\n", in.size(), out.size());
}
