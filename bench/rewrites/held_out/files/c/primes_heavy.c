/* Number theory toolbox on a table of smallest divisors. */
#include <stdbool.h>
#include <stdio.h>

enum { TOP = 10000 };

static short divisor[TOP + 1];

static void prepare(void)
{
    for (int n = TOP; n >= 2; --n)
        divisor[n] = n;
    for (int d = 100; d >= 2; --d)
        for (int multiple = d + d; multiple <= TOP; multiple += d)
            divisor[multiple] = d;
}

static bool prime(int n)
{
    return n > 1 && divisor[n] == n;
}

struct walk {
    int first, last, step;
    bool (*wanted)(int n, int argument);
    void (*report)(int n, int argument);
    int argument;
};

static int visit(struct walk w)
{
    int hits = 0;
    for (int n = w.first; n <= w.last; n += w.step) {
        if (!w.wanted(n, w.argument))
            continue;
        hits += 1;
        if (w.report)
            w.report(n, hits);
    }
    return hits;
}

static bool any_prime(int n, int unused) { (void)unused; return prime(n); }
static bool lower_twin(int n, int unused) { (void)unused; return prime(n) && prime(n + 2); }
static bool summand(int n, int sum) { return prime(n) && prime(sum - n); }

static void in_table(int n, int hits) { printf(hits % 10 ? "%6d" : "%6d\n", n); }
static void as_twin(int n, int hits) { (void)hits; printf("%d/%d ", n, n + 2); }
static void alone(int n, int hits) { printf("[%d] %d and the rest\n", hits, n); }

static int splits(int sum, bool loud)
{
    return visit((struct walk){2, sum / 2, 1, summand, loud ? alone : NULL, sum});
}

static void decompose(int n)
{
    printf("%d:", n);
    while (n > 1) {
        int d = divisor[n], power = 0;
        do {
            n /= d;
            ++power;
        } while (divisor[n] == d);
        printf(power > 1 ? " %d^%d" : " %d", d, power);
    }
    putchar('\n');
}

static bool serve(const char *line)
{
    int x, y;
    if (sscanf(line, " l %d %d", &x, &y) == 2 && 0 <= x && y <= TOP)
        printf("\n%d in all\n", visit((struct walk){x, y, 1, any_prime, in_table, 0}));
    else if (sscanf(line, " t %d", &x) == 1 && x <= TOP)
        printf("\n%d in all\n", visit((struct walk){2, x - 2, 1, lower_twin, as_twin, 0}));
    else if (sscanf(line, " f %d", &x) == 1 && x > 1 && x <= TOP)
        decompose(x);
    else if (sscanf(line, " g %d", &x) == 1 && x > 3 && x <= TOP && !(x & 1))
        printf("%d ways\n", splits(x, true));
    else
        return false;
    return true;
}

int main(void)
{
    char line[80];
    prepare();
    while (fgets(line, sizeof line, stdin) && line[0] != 'q')
        if (!serve(line))
            puts("I cannot do that.");
    int champion = 0, record = 0;
    for (int sum = 4; sum <= 1000; sum += 2) {
        int ways = splits(sum, false);
        if (ways > record) {
            record = ways;
            champion = sum;
        }
    }
    printf("champion below 1001: %d\n", champion);
    return 0;
}
