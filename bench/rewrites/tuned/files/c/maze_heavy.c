/* Labyrinth solver: waves of equal distance are written into one flat array, beginning at the exit. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 60, PITCH = SIDE + 2, AREA = PITCH * PITCH, UNKNOWN = -1 };

/* Cells outside of the labyrinth stay walls, so that no step has to be checked. */
static char ground[AREA];
static int wave[AREA];
static const int steps[] = {-PITCH, 1, PITCH, -1};

static int parse(FILE *in)
{
    char text[256];
    int lines = 0;
    memset(ground, '#', AREA);
    while (lines < SIDE && fgets(text, sizeof text, in)) {
        size_t width = strcspn(text, "\r\n");
        memcpy(ground + ++lines * PITCH + 1, text, width < SIDE ? width : SIDE);
    }
    return lines;
}

static int locate(char sign)
{
    const char *at = memchr(ground, sign, AREA);
    return at ? (int)(at - ground) : UNKNOWN;
}

static bool spread(int level)
{
    bool any = false;
    for (int cell = PITCH; cell < AREA - PITCH; ++cell) {
        if (wave[cell] != level)
            continue;
        for (int s = 0; s < 4; ++s) {
            int *other = &wave[cell + steps[s]];
            if (*other == UNKNOWN && ground[cell + steps[s]] != '#') {
                *other = level + 1;
                any = true;
            }
        }
    }
    return any;
}

static int flood(int from, int until)
{
    for (int cell = 0; cell < AREA; ++cell)
        wave[cell] = UNKNOWN;
    wave[from] = 0;
    for (int level = 0; wave[until] == UNKNOWN && spread(level); ++level)
        ;
    return wave[until];
}

static void descend(int cell)
{
    while (wave[cell] > 1) {
        int s = 0;
        while (wave[cell + steps[s]] != wave[cell] - 1)
            ++s;
        cell += steps[s];
        ground[cell] = '.';
    }
}

int main(int count, char **names)
{
    FILE *in = count > 1 ? fopen(names[1], "r") : NULL;
    int lines = in ? parse(in) : 0;
    int entrance = locate('S'), exit = locate('E');
    if (!lines || entrance == UNKNOWN || exit == UNKNOWN) {
        fputs("a labyrinth with S and E is needed\n", stderr);
        return 1;
    }
    int needed = flood(exit, entrance);
    if (needed == UNKNOWN) {
        puts("The exit cannot be reached.");
        return 0;
    }
    descend(entrance);
    printf("%d moves\n", needed);
    for (int line = 1; line <= lines; ++line)
        printf("%.*s\n", SIDE, ground + line * PITCH + 1);
    return 0;
}
