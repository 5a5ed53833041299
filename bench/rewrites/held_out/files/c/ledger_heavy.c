/* Shared kitty: only the net amount of each person is kept, in a linked list sorted by what is owed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct person {
    struct person *following;
    long spent;
    long net;
    char label[];
} Person;

static Person *everyone;

static unsigned headcount(void)
{
    unsigned n = 0;
    for (const Person *p = everyone; p; p = p->following)
        ++n;
    return n;
}

static Person **link_of(const char *label)
{
    Person **link = &everyone;
    while (*link && strcmp((*link)->label, label))
        link = &(*link)->following;
    return link;
}

static const char *join(const char *label)
{
    Person **link = link_of(label);
    if (*link)
        return "is in already";
    *link = calloc(1, sizeof(Person) + strlen(label) + 1);
    strcpy((*link)->label, label);
    return "welcome";
}

static const char *spend(const char *label, double euros)
{
    long cents = (long)(100 * euros + 0.5);
    Person *spender = *link_of(label);
    if (!spender || cents < 1)
        return "cannot be booked";
    ldiv_t each = ldiv(cents, headcount());
    spender->net += cents;
    spender->spent += cents;
    for (Person *p = everyone; p; p = p->following)
        p->net -= each.quot + (each.rem-- > 0);
    return "booked";
}

/* The person with the largest net amount in the given direction. */
static Person *extreme(int direction)
{
    Person *best = everyone;
    for (Person *p = everyone; p; p = p->following)
        best = direction * p->net > direction * best->net ? p : best;
    return best;
}

static void transfers(void)
{
    Person *creditor, *debtor;
    while ((creditor = extreme(+1)) && creditor->net > 0) {
        debtor = extreme(-1);
        long flow = labs(debtor->net);
        if (flow > creditor->net)
            flow = creditor->net;
        printf("%s -> %s: %ld.%02ld\n", debtor->label, creditor->label, flow / 100, flow % 100);
        creditor->net -= flow;
        debtor->net += flow;
    }
}

static void overview(void)
{
    for (const Person *p = everyone; p; p = p->following)
        printf("%s\t%.2f\t%+.2f\n", p->label, p->spent * 0.01, p->net * 0.01);
}

int main(void)
{
    char line[100], label[20];
    double euros;
    while (fgets(line, sizeof line, stdin)) {
        switch (line[0]) {
        case 'q':
            return 0;
        case 'm':
            if (sscanf(line, "%*s %19s", label) == 1)
                puts(join(label));
            break;
        case 'p':
            if (sscanf(line, "%*s %19s %lf", label, &euros) == 2)
                puts(spend(label, euros));
            break;
        case 'b':
            overview();
            break;
        case 's':
            transfers();
            break;
        default:
            puts("m NAME, p NAME AMOUNT, b, s or q");
        }
    }
    return 0;
}
