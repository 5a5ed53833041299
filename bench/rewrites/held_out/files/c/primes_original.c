/* Primes with a sieve: list, twins, factors, Goldbach pairs. */
#include <stdio.h>
#include <stdlib.h>

#define LIMIT 10000

int is_composite[LIMIT + 1];
int primes[LIMIT];
int prime_count = 0;

void sieve(void)
{
    int i, j;
    is_composite[0] = 1;
    is_composite[1] = 1;
    for (i = 2; i <= LIMIT; i++) {
        if (!is_composite[i]) {
            primes[prime_count++] = i;
            for (j = i * i; j <= LIMIT && i <= 100; j += i)
                is_composite[j] = 1;
        }
    }
}

void list_primes(int from, int to)
{
    int i, column = 0;
    for (i = from; i <= to; i++) {
        if (!is_composite[i]) {
            printf("%6d", i);
            column++;
            if (column % 10 == 0)
                printf("\n");
        }
    }
    printf("\n%d primes\n", column);
}

void twins(int limit)
{
    int i, found = 0;
    for (i = 1; i < prime_count && primes[i] <= limit; i++) {
        if (primes[i] - primes[i - 1] == 2) {
            printf("(%d, %d) ", primes[i - 1], primes[i]);
            found++;
        }
    }
    printf("\n%d twins\n", found);
}

void factors(int number)
{
    int i = 0;
    printf("%d =", number);
    while (number > 1) {
        int exponent = 0;
        while (number % primes[i] == 0) {
            number /= primes[i];
            exponent++;
        }
        if (exponent == 1)
            printf(" %d", primes[i]);
        else if (exponent > 1)
            printf(" %d^%d", primes[i], exponent);
        i++;
    }
    printf("\n");
}

int goldbach(int number, int print)
{
    int i, pairs = 0;
    for (i = 0; i < prime_count && primes[i] <= number / 2; i++) {
        if (!is_composite[number - primes[i]]) {
            pairs++;
            if (print)
                printf("%d = %d + %d\n", number, primes[i], number - primes[i]);
        }
    }
    return pairs;
}

int main(void)
{
    char command;
    int a, b, best = 4, i;
    sieve();
    while (scanf(" %c", &command) == 1 && command != 'q') {
        if (command == 'l' && scanf("%d %d", &a, &b) == 2 && a >= 0 && b <= LIMIT)
            list_primes(a, b);
        else if (command == 't' && scanf("%d", &a) == 1)
            twins(a);
        else if (command == 'f' && scanf("%d", &a) == 1 && a >= 2 && a <= LIMIT)
            factors(a);
        else if (command == 'g' && scanf("%d", &a) == 1 && a >= 4 && a % 2 == 0 && a <= LIMIT)
            printf("%d pairs\n", goldbach(a, 1));
        else
            printf("Wrong input\n");
    }
    for (i = 4; i <= 1000; i += 2)
        if (goldbach(i, 0) > goldbach(best, 0))
            best = i;
    printf("Most pairs up to 1000: %d\n", best);
    return 0;
}
