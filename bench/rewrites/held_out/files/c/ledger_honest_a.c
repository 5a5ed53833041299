#include <stdio.h>
#include <string.h>

#define P 10

static const char *persons[P];
static double debt[P][P]; /* debt[i][j]: i owes j */
static int n;

static int who(const char *s)
{
    int i = 0;
    while (i < n && strcmp(persons[i], s))
        i++;
    if (i == n && n < P)
        persons[n++] = strdup(s);
    return i;
}

static void simplify(void)
{
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double d = debt[i][j] - debt[j][i];
            debt[i][j] = d > 0 ? d : 0;
            debt[j][i] = d < 0 ? -d : 0;
        }
}

int main(int argc, char **argv)
{
    char payer[30], line[200];
    float amount;
    FILE *in = argc > 1 ? fopen(argv[1], "r") : stdin;
    if (in == NULL) {
        perror("ledger");
        return 1;
    }
    /* payer amount person person ... */
    while (fgets(line, sizeof line, in)) {
        int used, parts = 0, part[P];
        if (sscanf(line, "%29s %f%n", payer, &amount, &used) < 2)
            continue;
        int p = who(payer);
        for (char *s = strtok(line + used, " \n"); s && parts < P; s = strtok(NULL, " \n"))
            part[parts++] = who(s);
        for (int i = 0; i < parts; i++)
            if (part[i] != p)
                debt[part[i]][p] += amount / parts;
    }
    simplify();
    int nothing = 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (debt[i][j] >= 0.01) {
                printf("%s owes %s %.2f\n", persons[i], persons[j], debt[i][j]);
                nothing = 0;
            }
    if (nothing)
        puts("everything is settled");
    return 0;
}
