#include <stdio.h>
#include <stdlib.h>

#define LEVELS 3

struct item {
    int nr;
    int pages;
    struct item *behind;
};

/* one queue for each priority */
struct queue {
    struct item *front, *back;
} queues[LEVELS];

int counter = 100;

void enqueue(int level, int pages)
{
    struct item *x = calloc(1, sizeof *x);
    x->nr = counter++;
    x->pages = pages;
    if (queues[level].back)
        queues[level].back->behind = x;
    else
        queues[level].front = x;
    queues[level].back = x;
    printf("your number is %d\n", x->nr);
}

int dequeue(int level)
{
    struct item *x = queues[level].front;
    if (!x)
        return 0;
    queues[level].front = x->behind;
    if (!x->behind)
        queues[level].back = NULL;
    printf("*** number %d ***\n", x->nr);
    for (int p = 1; p <= x->pages; p++)
        printf("page %d\n", p);
    free(x);
    return 1;
}

void drop(int nr)
{
    for (int level = 0; level < LEVELS; level++) {
        struct item **p = &queues[level].front, *last = NULL;
        while (*p) {
            if ((*p)->nr == nr) {
                struct item *gone = *p;
                *p = gone->behind;
                if (queues[level].back == gone)
                    queues[level].back = last;
                free(gone);
                return;
            }
            last = *p;
            p = &last->behind;
        }
    }
    puts("unknown number");
}

int main(int argc, char **argv)
{
    int key, x, level;
    while ((key = getchar()) != EOF) {
        switch (key) {
        case '+':
            if (scanf("%d,%d", &level, &x) == 2 && level >= 0 && level < LEVELS)
                enqueue(level, x);
            break;
        case '-':
            if (scanf("%d", &x) == 1)
                drop(x);
            break;
        case 'p':
            for (level = LEVELS - 1; level >= 0 && !dequeue(level); level--)
                ;
            break;
        case '?':
            for (level = 0; level < LEVELS; level++) {
                printf("[%d]", level);
                for (struct item *i = queues[level].front; i; i = i->behind)
                    printf(" %d(%d)", i->nr, i->pages);
                printf("\n");
            }
        }
    }
    return 0;
}
