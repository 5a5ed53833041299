#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct student {
    char *first, *last;
    unsigned id;
    int points;
    struct student *next;
} student;

static student *parse(char *line)
{
    student *s = malloc(sizeof *s);
    char *field = strtok(line, ",");
    s->id = strtoul(field, NULL, 10);
    s->first = strdup(strtok(NULL, ","));
    s->last = strdup(strtok(NULL, ","));
    s->points = 0;
    while ((field = strtok(NULL, ",")))
        s->points += atoi(field);
    s->next = NULL;
    return s;
}

static student *merge(student *a, student *b)
{
    if (!a)
        return b;
    if (!b)
        return a;
    int c = strcmp(a->last, b->last);
    if (c > 0 || (c == 0 && strcmp(a->first, b->first) > 0)) {
        b->next = merge(a, b->next);
        return b;
    }
    a->next = merge(a->next, b);
    return a;
}

static student *sorted(student *list)
{
    if (!list || !list->next)
        return list;
    student *a = NULL, *b = NULL;
    while (list) {
        student *rest = list->next;
        list->next = a;
        a = b;
        b = list;
        list = rest;
    }
    return merge(sorted(a), sorted(b));
}

static char grade(int points)
{
    return points >= 270 ? 'A' : points >= 240 ? 'B' : points >= 200 ? 'C' : points >= 150 ? 'D' : 'F';
}

int main(void)
{
    student *all = NULL;
    char line[300];
    int histogram[128] = {0};
    while (fgets(line, sizeof line, stdin)) {
        student *s = parse(line);
        s->next = all;
        all = s;
        histogram[(int)grade(s->points)]++;
    }
    for (student *s = sorted(all); s; s = s->next)
        printf("%s, %s (%u): %c\n", s->last, s->first, s->id, grade(s->points));
    for (char g = 'A'; g <= 'F'; g++)
        if (g != 'E')
            printf("%c: %d students\n", g, histogram[(int)g]);
    return 0;
}
