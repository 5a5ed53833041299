#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    int n, i, k;
    char *s;
    printf("Sieve up to: ");
    if (scanf("%d", &n) != 1 || n < 2)
        return 1;
    s = malloc(n + 1);
    memset(s, 'p', n + 1);
    s[0] = s[1] = '-';
    i = 2;
    while (i <= n) {
        if (s[i] == 'p')
            for (k = 2 * i; k <= n; k = k + i)
                s[k] = '-';
        i = i + 1;
    }
    int number = 0;
    int last = 0;
    int twins = 0;
    int gap = 0;
    for (i = 0; i <= n; i++) {
        if (s[i] != 'p')
            continue;
        number++;
        printf("%d ", i);
        if (last > 0 && i - last == 2)
            twins++;
        if (last > 0 && i - last > gap)
            gap = i - last;
        last = i;
    }
    printf("\nThere are %d primes and %d twins, the largest gap is %d.\n", number, twins, gap);
    printf("Number to split: ");
    while (scanf("%d", &i) == 1 && i > 1) {
        int x = i;
        printf("factors: ");
        for (k = 2; k <= x; k++) {
            while (x % k == 0) {
                printf("%d ", k);
                x = x / k;
            }
        }
        printf("\n");
        if (i <= n && i % 2 == 0) {
            printf("sums: ");
            for (k = i / 2; k > 1; k--)
                if (s[k] == 'p' && s[i - k] == 'p')
                    printf("%d+%d ", k, i - k);
            printf("\n");
        }
        printf("Number to split: ");
    }
    free(s);
    return 0;
}
