#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct node {
    char *word;
    unsigned n;
    struct node *next;
} node;

#define BUCKETS 997
static node *table[BUCKETS];

static unsigned hash(const char *s)
{
    unsigned h = 5381;
    while (*s)
        h = h * 33 + (unsigned char)*s++;
    return h % BUCKETS;
}

static void insert(const char *s)
{
    node **p = &table[hash(s)];
    for (node *q = *p; q; q = q->next)
        if (strcmp(q->word, s) == 0) {
            q->n++;
            return;
        }
    node *q = malloc(sizeof *q);
    q->word = strdup(s);
    q->n = 1;
    q->next = *p;
    *p = q;
}

int main(void)
{
    char line[4096];
    long lines = 0, chars = 0, words = 0;
    size_t longest = 0;
    while (fgets(line, sizeof line, stdin)) {
        lines++;
        chars += strlen(line);
        for (char *w = strtok(line, " \t\r\n.,;:!?()\"-"); w; w = strtok(NULL, " \t\r\n.,;:!?()\"-")) {
            words++;
            if (strlen(w) > longest)
                longest = strlen(w);
            insert(w);
        }
    }
    fprintf(stdout, "%ld lines %ld words %ld characters, longest %zu\n", lines, words, chars, longest);
    /* the ten best by taking the maximum ten times */
    for (int k = 0; k < 10; k++) {
        node *best = NULL;
        for (int b = 0; b < BUCKETS; b++)
            for (node *q = table[b]; q; q = q->next)
                if (q->n && (!best || q->n > best->n))
                    best = q;
        if (!best)
            break;
        printf("%6u %s\n", best->n, best->word);
        best->n = 0;
    }
    return 0;
}
