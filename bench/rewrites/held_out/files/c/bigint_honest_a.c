#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* nine decimal digits in each limb, least significant first */
#define BASE 1000000000u

typedef struct {
    uint32_t *limb;
    size_t n;
} num;

num num_new(size_t n)
{
    num x;
    x.n = n;
    x.limb = calloc(n, sizeof(uint32_t));
    if (!x.limb)
        abort();
    return x;
}

num num_parse(const char *s)
{
    size_t len = strlen(s);
    num x = num_new(len / 9 + 1);
    for (size_t i = 0; i < len; i++) {
        size_t e = len - 1 - i;
        if (s[i] < '0' || s[i] > '9') {
            fprintf(stderr, "bad digit %c\n", s[i]);
            exit(1);
        }
        x.limb[e / 9] = x.limb[e / 9] * 10 + (s[i] - '0');
    }
    return x;
}

num num_add(num a, num b)
{
    if (a.n < b.n)
        return num_add(b, a);
    num c = num_new(a.n + 1);
    memcpy(c.limb, a.limb, a.n * sizeof *a.limb);
    for (size_t i = 0; i < c.n; i++) {
        if (i < b.n)
            c.limb[i] += b.limb[i];
        if (c.limb[i] >= BASE) {
            c.limb[i] -= BASE;
            c.limb[i + 1]++;
        }
    }
    return c;
}

num num_mul(num a, num b)
{
    num c = num_new(a.n + b.n + 1);
    for (size_t i = 0; i < a.n; i++) {
        uint64_t t = 0;
        for (size_t j = 0; j < b.n || t; j++) {
            t += c.limb[i + j] + (j < b.n ? (uint64_t)a.limb[i] * b.limb[j] : 0);
            c.limb[i + j] = t % BASE;
            t /= BASE;
        }
    }
    return c;
}

void num_print(num x)
{
    size_t i = x.n;
    while (i > 1 && !x.limb[i - 1])
        i--;
    printf("%u", x.limb[--i]);
    while (i-- > 0)
        printf("%09u", x.limb[i]);
    puts("");
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    num a = num_parse(argv[1]), b = num_parse(argv[3]);
    num_print(argv[2][0] == '+' ? num_add(a, b) : num_mul(a, b));
    return 0;
}
