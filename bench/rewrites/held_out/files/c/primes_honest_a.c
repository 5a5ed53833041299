#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int prime(unsigned n)
{
    if (n < 4)
        return n > 1;
    if (n % 2 == 0 || n % 3 == 0)
        return 0;
    unsigned root = (unsigned)sqrt((double)n);
    for (unsigned d = 5; d <= root; d += 6)
        if (n % d == 0 || n % (d + 2) == 0)
            return 0;
    return 1;
}

static unsigned next_prime(unsigned n)
{
    do
        n++;
    while (!prime(n));
    return n;
}

static void factorize(unsigned n)
{
    char *separator = "";
    for (unsigned p = 2; p * p <= n; p = next_prime(p)) {
        while (n % p == 0) {
            printf("%s%u", separator, p);
            separator = " * ";
            n /= p;
        }
    }
    if (n > 1)
        printf("%s%u", separator, n);
    puts("");
}

static void conjecture(unsigned n)
{
    unsigned p = 2;
    while (p <= n && !prime(n - p))
        p = next_prime(p);
    if (p > n)
        printf("You have disproved Goldbach!\n");
    else
        printf("%u + %u\n", p, n - p);
}

int main(int argc, char *argv[])
{
    if (argc != 3) {
        printf("%s [-n|-t|-f|-g] NUMBER\n", argv[0]);
        return EXIT_FAILURE;
    }
    unsigned n = (unsigned)atoi(argv[2]);
    unsigned p, q;
    switch (argv[1][1]) {
    case 'n':
        for (p = 2; n > 0; n--, p = next_prime(p))
            printf("%u ", p);
        break;
    case 't':
        for (p = 3, q = 5; q <= n; p = q, q = next_prime(q))
            if (q == p + 2)
                printf("%u and %u are twins\n", p, q);
        break;
    case 'f':
        factorize(n);
        break;
    case 'g':
        if (n % 2)
            puts("even numbers only");
        else
            conjecture(n);
    }
    return EXIT_SUCCESS;
}
