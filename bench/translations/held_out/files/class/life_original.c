#include <stdio.h>
#include <string.h>

#define ROWS 12
#define COLUMNS 20
#define GENERATIONS 25

/* Conway's Game of Life on a torus */

static char world[ROWS][COLUMNS];
static char next_world[ROWS][COLUMNS];

void clear_world(void) {
    int r, c;
    for (r = 0; r < ROWS; r++) {
        for (c = 0; c < COLUMNS; c++) {
            world[r][c] = 0;
        }
    }
}

void place_pattern(const char *pattern, int top, int left) {
    int r = top, c = left, i;
    for (i = 0; i < strlen(pattern); i++) {
        if (pattern[i] == '/') {
            r++;
            c = left;
        } else {
            if (pattern[i] == 'O') {
                world[r][c] = 1;
            }
            c++;
        }
    }
}

int count_neighbours(int row, int column) {
    int count = 0, dr, dc;
    for (dr = -1; dr <= 1; dr++) {
        for (dc = -1; dc <= 1; dc++) {
            if (dr != 0 || dc != 0) {
                count += world[(row + dr + ROWS) % ROWS][(column + dc + COLUMNS) % COLUMNS];
            }
        }
    }
    return count;
}

int step(void) {
    int changes = 0, r, c;
    for (r = 0; r < ROWS; r++) {
        for (c = 0; c < COLUMNS; c++) {
            int neighbours = count_neighbours(r, c);
            if (world[r][c]) {
                next_world[r][c] = neighbours == 2 || neighbours == 3;
            } else {
                next_world[r][c] = neighbours == 3;
            }
            if (next_world[r][c] != world[r][c]) {
                changes++;
            }
        }
    }
    memcpy(world, next_world, sizeof(world));
    return changes;
}

int population(void) {
    int alive = 0, r, c;
    for (r = 0; r < ROWS; r++) {
        for (c = 0; c < COLUMNS; c++) {
            alive += world[r][c];
        }
    }
    return alive;
}

int main(void) {
    int generation;
    clear_world();
    place_pattern(".O./..O/OOO", 1, 1);
    place_pattern("OOO", 7, 12);
    for (generation = 1; generation <= GENERATIONS; generation++) {
        int changes = step();
        printf("Generation %d: %d alive, %d changes\n", generation, population(), changes);
        if (changes == 0) {
            printf("Stable\n");
            break;
        }
    }
    return 0;
}
