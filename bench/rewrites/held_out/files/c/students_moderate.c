/* Course register: ordered listings, look-up by matriculation number, summary. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 200, EXAMS = 3 };

typedef struct {
    char who[32];
    int id;
    double mean;
} Person;

typedef struct {
    Person person[CAPACITY];
    int size;
} Register;

typedef int (*Order)(const Person *, const Person *);

static int by_mean(const Person *x, const Person *y)
{
    return (y->mean > x->mean) - (y->mean < x->mean);
}

static int by_id(const Person *x, const Person *y)
{
    return x->id - y->id;
}

static int by_who(const Person *x, const Person *y)
{
    return strcmp(x->who, y->who);
}

static void arrange(Register *r, Order order)
{
    for (int next = 1; next < r->size; ++next) {
        Person moving = r->person[next];
        int hole;
        for (hole = next; hole > 0; --hole) {
            if (order(&r->person[hole - 1], &moving) <= 0)
                break;
            r->person[hole] = r->person[hole - 1];
        }
        r->person[hole] = moving;
    }
}

static const Person *locate(Register *r, int id)
{
    arrange(r, by_id);
    int from = 0, until = r->size;
    while (until > from) {
        int half = from + (until - from) / 2;
        if (id > r->person[half].id)
            from = half + 1;
        else if (id < r->person[half].id)
            until = half;
        else
            return &r->person[half];
    }
    return NULL;
}

static int load(Register *r, const char *name)
{
    FILE *in = fopen(name, "r");
    if (!in)
        return -1;
    while (r->size < CAPACITY) {
        Person *p = &r->person[r->size];
        if (fscanf(in, "%d%31s", &p->id, p->who) != 2)
            break;
        double total = 0, mark;
        int exam = 0;
        while (exam < EXAMS && fscanf(in, "%lf", &mark) == 1) {
            total = total + mark;
            ++exam;
        }
        if (exam < EXAMS)
            break;
        p->mean = total / EXAMS;
        r->size += 1;
    }
    fclose(in);
    return 0;
}

static void summary(const Register *r)
{
    double total = 0;
    int good = 0;
    for (const Person *p = r->person; p != r->person + r->size; ++p) {
        good += !(p->mean < 50);
        total += p->mean;
    }
    if (r->size)
        printf("%d people, %d good enough, mean %.3f\n", r->size, good, total / r->size);
}

static void listing(const Register *r)
{
    printf("%-20s|%8s|%7s\n", "who", "id", "mean");
    for (int at = 0; at < r->size; ++at) {
        const Person *p = r->person + at;
        printf("%-20s|%8d|%7.2f\n", p->who, p->id, p->mean);
    }
}

int main(int argc, char **argv)
{
    static Register r;
    static const Order orders[] = {by_id, by_who, by_mean};
    if (argc < 2 || load(&r, argv[1]) != 0) {
        fputs("nothing to read\n", stderr);
        return EXIT_FAILURE;
    }
    for (int wish = -1; wish != 0;) {
        fputs("list by [1] id [2] name [3] mean, [4] look up, [5] summary, [0] leave > ", stdout);
        if (scanf("%d", &wish) < 1)
            return EXIT_SUCCESS;
        switch (wish) {
        case 5:
            summary(&r);
            break;
        case 4: {
            int id;
            scanf("%d", &id);
            const Person *p = locate(&r, id);
            if (p)
                printf("%d is %s with %.2f\n", p->id, p->who, p->mean);
            else
                puts("nobody");
            break;
        }
        case 1: case 2: case 3:
            arrange(&r, orders[wish - 1]);
            listing(&r);
        }
    }
    return EXIT_SUCCESS;
}
