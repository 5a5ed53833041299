#include <cstdio>

// the tree lives in arrays, 0 is no node
const int MAX = 1000;
int key[MAX], l[MAX], r[MAX], up[MAX];
int root = 0, used = 0;

int search(int k) {
    int x = root;
    while (x != 0 && key[x] != k) {
        if (k < key[x]) x = l[x];
        else x = r[x];
    }
    return x;
}

void add(int k) {
    if (search(k)) return;
    int parent = 0, x = root;
    while (x) {
        parent = x;
        x = k < key[x] ? l[x] : r[x];
    }
    key[++used] = k;
    up[used] = parent;
    if (!parent) root = used;
    else if (k < key[parent]) l[parent] = used;
    else r[parent] = used;
}

void replace(int x, int by) {
    if (up[x] == 0) root = by;
    else if (l[up[x]] == x) l[up[x]] = by;
    else r[up[x]] = by;
    if (by) up[by] = up[x];
}

void del(int k) {
    int x = search(k);
    if (!x) return;
    if (!l[x]) replace(x, r[x]);
    else if (!r[x]) replace(x, l[x]);
    else {
        int m = r[x];
        while (l[m]) m = l[m];
        int mk = key[m];
        replace(m, r[m]);
        key[x] = mk;
    }
}

void show(int x, int indent) {
    if (!x) return;
    show(r[x], indent + 4);
    std::printf("%*d\n", indent, key[x]);
    show(l[x], indent + 4);
}

int main() {
    char c;
    int k;
    while (std::scanf(" %c%d", &c, &k) == 2) {
        switch (c) {
        case '+': add(k); break;
        case '-': del(k); break;
        case '?': std::puts(search(k) ? "yes" : "no"); break;
        }
        show(root, 4);
    }
}
