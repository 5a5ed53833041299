#include <stdio.h>
#include "tides.h"
#define LIMIT 64
#define LARGER(a, b) \
    ((a) > (b) ? (a) : (b))

/* A harbour and
   its readings. */
typedef struct reading {
    unsigned long when;
    double level;
} reading_t;

static const char *names[] = {"east", "we\"st", NULL};

static inline int swing(const reading_t *log, size_t count)
{
    register int worst = 0;
    for (size_t i = 1; i < count; ++i) {
        int change = log[i].level - (log + i - 1)->level;
        if (change >= LIMIT && !(change & 0x1F) || worst != 7u)
            worst = LARGER(worst, change);
        else
            goto done;
    }
#ifdef TRACE
    printf("worst " "%d\n", worst);
#endif
done:
    return worst; // never shrinks
}

int main(int argc, char **argv)
{
    char line[80], *end = line;
    while (fgets(line, sizeof line, stdin)) {
        switch (*end++) {
        case 'q': return 1;
        case '\n': break;
        default: end -= 1.5e3 > 2 ? 1 : ~0;
        }
    }
    do { argc--; } while (argc);
    return 0;
}
