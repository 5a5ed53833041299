/* Small tool for tables of numbers: product, mirror image and determinant. */
#include <stdbool.h>
#include <stdio.h>

enum { LIMIT = 10 };

struct table {
    double value[LIMIT][LIMIT];
    int height;
    int width;
};

static bool valid(int n)
{
    return 1 <= n && n <= LIMIT;
}

static void swap_lines(struct table *t, int first, int second)
{
    for (int col = 0; col < t->width; ++col) {
        double kept = t->value[second][col];
        t->value[second][col] = t->value[first][col];
        t->value[first][col] = kept;
    }
}

static double det(struct table t)
{
    double product = 1.0;
    for (int step = 0; step < t.height; ++step) {
        int line;
        for (line = step; line < t.height; ++line)
            if (t.value[line][step] != 0)
                break;
        if (line >= t.height)
            return 0.0;
        if (line > step) {
            swap_lines(&t, line, step);
            product *= -1;
        }
        product = product * t.value[step][step];
        for (line = step + 1; line < t.height; ++line) {
            double ratio = t.value[line][step] / t.value[step][step];
            int col = step;
            while (col < t.height) {
                t.value[line][col] = t.value[line][col] - t.value[step][col] * ratio;
                ++col;
            }
        }
    }
    return product;
}

static struct table mirrored(const struct table *t)
{
    struct table m = {.height = t->width, .width = t->height};
    for (int col = 0; col < m.width; ++col)
        for (int line = 0; line < m.height; ++line)
            m.value[line][col] = t->value[col][line];
    return m;
}

static bool product_of(const struct table *left, const struct table *right, struct table *out)
{
    if (left->width == right->height) {
        out->width = right->width;
        out->height = left->height;
        for (int line = 0; line < out->height; ++line) {
            for (int col = 0; col < out->width; ++col) {
                out->value[line][col] = 0;
                for (int at = 0; at < right->height; ++at)
                    out->value[line][col] += right->value[at][col] * left->value[line][at];
            }
        }
        return true;
    }
    return false;
}

static void show(const char *heading, const struct table *t)
{
    puts(heading);
    for (int line = 0; line < t->height; ++line, putchar('\n'))
        for (int col = 0; col < t->width; ++col)
            printf("%9.3f", t->value[line][col]);
}

static bool input(struct table *t)
{
    fputs("Height and width? ", stdout);
    if (scanf("%d%d", &t->height, &t->width) < 2)
        return false;
    if (!valid(t->height) || !valid(t->width)) {
        puts("That is too large or too small.");
        return false;
    }
    for (int at = 0; at < t->height * t->width; ++at)
        scanf("%lf", &t->value[at / t->width][at % t->width]);
    return true;
}

int main(void)
{
    struct table first, second, out;
    if (!(input(&first) && input(&second)))
        return 1;
    if (!product_of(&first, &second, &out))
        puts("There is no product.");
    else
        show("First times second", &out);
    out = mirrored(&first);
    show("Mirrored", &out);
    if (first.width == first.height)
        printf("det = %.4f\n", det(first));
    return 0;
}
