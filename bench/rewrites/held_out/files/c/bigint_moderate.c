/* Calculator for natural numbers with up to a thousand places. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PLACES = 1000 };

struct natural {
    int size;
    int place[PLACES];
};

static void strip(struct natural *n)
{
    for (; n->size > 1; --n->size)
        if (n->place[n->size - 1] != 0)
            break;
}

static int order(const struct natural *x, const struct natural *y)
{
    int difference = x->size - y->size;
    for (int at = x->size; difference == 0 && at-- > 0;)
        difference = x->place[at] - y->place[at];
    return difference;
}

static struct natural times(const struct natural *x, const struct natural *y)
{
    struct natural result = {.size = y->size + x->size};
    int row = 0;
    while (row < x->size) {
        int rest = 0, col = 0;
        while (col < y->size) {
            rest += y->place[col] * x->place[row] + result.place[row + col];
            result.place[row + col] = rest % 10;
            rest /= 10;
            ++col;
        }
        result.place[row + y->size] = rest;
        ++row;
    }
    strip(&result);
    return result;
}

static int digit_at(const struct natural *n, int at)
{
    return at >= n->size ? 0 : n->place[at];
}

static struct natural plus(const struct natural *x, const struct natural *y)
{
    struct natural result = {0};
    int rest = 0;
    do {
        rest = rest + digit_at(x, result.size) + digit_at(y, result.size);
        result.place[result.size++] = rest % 10;
        rest = rest / 10;
    } while (rest || result.size < x->size || result.size < y->size);
    return result;
}

static bool parse(const char *text, struct natural *n)
{
    n->size = 0;
    const char *sign = text + strlen(text);
    if (sign == text || sign - text > PLACES)
        return false;
    while (sign-- > text) {
        if (*sign < '0' || '9' < *sign)
            return false;
        n->place[n->size++] = *sign - '0';
    }
    strip(n);
    return true;
}

static void show(const char *label, struct natural n)
{
    fputs(label, stdout);
    while (n.size)
        putchar('0' + n.place[--n.size]);
    putchar('\n');
}

int main(void)
{
    static struct natural x, y;
    char left[PLACES + 1], right[PLACES + 1];
    fputs("Please enter both values: ", stdout);
    if (scanf("%1000s%1000s", left, right) == 2 && parse(left, &x) && parse(right, &y)) {
        show("added: ", plus(&x, &y));
        show("multiplied: ", times(&x, &y));
        int result = order(&x, &y);
        if (result > 0)
            puts("left > right");
        else if (result < 0)
            puts("left < right");
        else
            puts("left = right");
        return 0;
    }
    puts("Only digits are allowed.");
    return 1;
}
