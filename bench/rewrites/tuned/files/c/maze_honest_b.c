#include <stdio.h>
#include <stdlib.h>

typedef struct list {
    int x, y;
    struct list *from;
    struct list *next;
} list;

static const char *walls[] = {
    "##########",
    "#S  #    #",
    "# # # ## #",
    "# #   #  #",
    "# ##### ##",
    "#      E #",
    "##########",
};
static int visited[7][10];
static list *tail;

static void visit(int x, int y, list *from)
{
    if (walls[y][x] == '#' || visited[y][x])
        return;
    list *l = malloc(sizeof(list));
    l->x = x;
    l->y = y;
    l->from = from;
    l->next = NULL;
    visited[y][x] = 1;
    if (tail)
        tail->next = l;
    tail = l;
}

static int track(const list *l)
{
    if (!l->from) {
        printf("(%d,%d)", l->x, l->y);
        return 0;
    }
    int n = 1 + track(l->from);
    printf(" -> (%d,%d)", l->x, l->y);
    return n;
}

int main(void)
{
    visit(1, 1, NULL);
    list *begin = tail;
    for (list *l = begin; l; l = l->next) {
        if (walls[l->y][l->x] == 'E') {
            int n = track(l);
            printf("\nlength %d\n", n);
            break;
        }
        visit(l->x + 1, l->y, l);
        visit(l->x - 1, l->y, l);
        visit(l->x, l->y + 1, l);
        visit(l->x, l->y - 1, l);
        if (!l->next)
            printf("no path\n");
    }
    while (begin) {
        list *l = begin;
        begin = begin->next;
        free(l);
    }
    return 0;
}
