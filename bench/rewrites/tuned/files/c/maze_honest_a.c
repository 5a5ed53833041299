#include <stdio.h>
#include <limits.h>

char m[40][41];
int best = INT_MAX;
char solution[40][41];
int h, w;

void copy(void)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x <= w; x++)
            solution[y][x] = m[y][x];
}

/* try every direction, undo afterwards */
void walk(int y, int x, int steps)
{
    if (y < 0 || x < 0 || y >= h || x >= w || steps >= best)
        return;
    if (m[y][x] == 'E') {
        best = steps;
        copy();
        return;
    }
    if (m[y][x] != ' ' && m[y][x] != 'S')
        return;
    char old = m[y][x];
    m[y][x] = old == 'S' ? 's' : '+';
    walk(y + 1, x, steps + 1);
    walk(y, x + 1, steps + 1);
    walk(y - 1, x, steps + 1);
    walk(y, x - 1, steps + 1);
    m[y][x] = old;
}

int main(void)
{
    int sy = -1, sx = -1;
    scanf("%d %d\n", &h, &w);
    if (h > 40 || w > 40)
        return 1;
    for (int y = 0; y < h; y++) {
        fgets(m[y], sizeof m[y], stdin);
        for (int x = 0; x < w; x++) {
            if (m[y][x] == 'S') {
                sy = y;
                sx = x;
            }
        }
    }
    if (sy == -1) {
        printf("no S\n");
        return 1;
    }
    walk(sy, sx, 0);
    if (best == INT_MAX)
        printf("impossible\n");
    else {
        printf("%d steps:\n", best);
        for (int y = 0; y < h; y++)
            puts(solution[y]);
    }
    return 0;
}
